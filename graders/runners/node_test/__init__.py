"""``node --test``, the test runner of Node.js."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.languages.javascript import apart
from gradebox.graders.runners.javascript_command import INSIDE, NO_TESTS, count, has_any
from gradebox.graders.runners.runner import File, Head, Runner, SourceText, Word, is_installed

_INSIDE = Path(__file__).parent / "inside"
_REPORTER = File(
    SourceText((INSIDE / "token.js", _INSIDE / "node_test_adapter.mjs")), ".gradebox/node_test_adapter.mjs"
)
_PRELOAD = File(SourceText((_INSIDE / "node_test_preload.cjs",)), ".gradebox/node_test_preload.cjs")
_APART = File(
    SourceText((*apart("node"), INSIDE / "token.js", INSIDE / "apart_start.js", _INSIDE / "node_test_apart.mjs")),
    ".gradebox/node_test_apart.mjs",
)
# With the other options Node runs no test, or runs tests in a process that our adapter does not see.
_NOT_ADAPTED = NO_TESTS | {
    "--eval", "-e", "--print", "-p", "--check", "-c", "--interactive", "-i", "--run",
    "--test-isolation", "--experimental-test-isolation",
}  # fmt: skip


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for a command of Node's test runner, None for another command."""
    program = words[0]
    if basename(program) not in ("node", "nodejs") or not is_installed(program):
        return None
    if "--test" not in words or has_any(words[1:], _NOT_ADAPTED):
        return None
    reporters, destinations = count(words, "--test-reporter"), count(words, "--test-reporter-destination")
    added: list[Word] = [program, "--test-reporter", _REPORTER]
    if reporters:
        added.append("--test-reporter-destination=stderr")
    # A single reporter needs no destination; with two, each needs one, in the same order.
    if reporters == 1 and not destinations:
        added.append("--test-reporter-destination=stdout")
    elif reporters != destinations:
        return None
    return Head(1, tuple(added), files=(_PRELOAD,))


RUNNER = Runner(
    name="node-test",
    language="javascript",
    recognise=recognise,
    shape="`node --test ...`",
    words="--test",
    sources=(_REPORTER.source, _PRELOAD.source),
    apart=_APART,
    counts_as_its_report=True,
)
