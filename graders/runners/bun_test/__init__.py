"""``bun test``, which runs tests of JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.languages.javascript import apart
from gradebox.graders.runners.javascript_command import INSIDE, NO_TESTS, has_any
from gradebox.graders.runners.runner import Head, Runner, SourceText, is_installed

_INSIDE = Path(__file__).parent / "inside"
_ADAPTER = SourceText((_INSIDE / "bun_test_adapter.ts",))
_PRELOAD = SourceText((_INSIDE / "bun_test_preload.mjs",))
_APART = SourceText((*apart("bun"), INSIDE / "token.js", INSIDE / "apart_start.js", _INSIDE / "bun_test_apart.mjs"))
# With the other options Bun runs tests in processes that our adapter does not see, or never ends.
_NOT_ADAPTED = NO_TESTS | {"--hot", "--isolate", "--parallel", "--test-worker"}


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for a command of Bun's test runner, None for another command."""
    program = words[0]
    if not (basename(program) == "bun" and is_installed(program) and list(words[1:2]) == ["test"]):
        return None
    if has_any(words[2:], _NOT_ADAPTED):
        return None
    # The workspace's configuration must apply only to the tests, not to the adapter that waits for them.
    head = (program, "--config=/dev/null", "--tsconfig-override=/dev/null", "-e", _ADAPTER, "--", _PRELOAD)
    return Head(2, (*head, program, "test"))


RUNNER = Runner(
    name="bun-test",
    language="typescript",
    recognise=recognise,
    shape="`bun test ...`",
    words=r"bun\s+(?:run\s+)?test",
    sources=(_PRELOAD, _ADAPTER),
    apart=_APART,
    counts_as_its_report=True,
)
