"""Which commands are test runners of JavaScript and TypeScript, and what is run in their place. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from posixpath import basename
from types import MappingProxyType

from graders.runners.adapter_heads import (
    Adapter,
    File,
    Head,
    Recogniser,
    Source,
    Word,
    is_installed,
)

SOURCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        Adapter.BUN_TEST: ("bun", "bun_test_adapter.ts"),
        "bun-test preload": ("bun", "bun_test_preload.mjs"),
        Adapter.NODE_TEST: ("node", "token.js", "node_test_adapter.mjs"),
        "node-test preload": ("node", "node_test_preload.cjs"),
        Adapter.VITEST: ("node", "token.js", "controls.js", "vitest_adapter.mjs"),
        Adapter.JEST: ("node", "token.js", "controls.js", "jest_adapter.cjs"),
    }
)

_NODE_REPORTER = File(Adapter.NODE_TEST, ".gradebox/node_test_adapter.mjs")
_NODE_PRELOAD = File("node-test preload", ".gradebox/node_test_preload.cjs")
_VITEST_REPORTER = File(Adapter.VITEST, ".gradebox/vitest_adapter.mjs")
_JEST_REPORTER = File(Adapter.JEST, ".gradebox/jest_adapter.cjs")

# With these no test is run, or it never ends, or it is run by processes that our runner does not see.
_NO_TESTS = ("--help", "-h", "--version", "-v", "--watch")
_NOT_OURS: Mapping[Adapter, frozenset[str]] = {
    Adapter.BUN_TEST: frozenset({*_NO_TESTS, "--hot", "--isolate", "--parallel", "--test-worker"}),
    Adapter.NODE_TEST: frozenset(
        {*_NO_TESTS, "--eval", "-e", "--print", "-p", "--check", "-c", "--interactive", "-i", "--run"}
        | {"--test-isolation", "--experimental-test-isolation"}
    ),
    Adapter.VITEST: frozenset({*_NO_TESTS, "-w", "--ui", "--standalone", "--mergeReports", "--merge-reports"}),
    Adapter.JEST: frozenset({*_NO_TESTS, "--watchAll", "--init", "--listTests", "--showConfig", "--clearCache"}),
}

# These run a program of a package: that of the workspace, or the one that is installed. They would close descriptor 3.
_LAUNCHERS: tuple[tuple[str, ...], ...] = (("npx",), ("npm", "exec"), ("pnpm", "exec"))
_LAUNCHER_FLAGS = frozenset({"--", "--no", "--no-install", "-y", "--yes"})
_LAUNCH = (
    'd=$PWD; while [ -n "$d" ] && [ ! -x "$d/node_modules/.bin/$0" ]; do d=${d%/*}; done; '
    'PATH=$d/node_modules/.bin:$PATH; export PATH; exec "$0" "$@"'
)


def _bun(words: Sequence[str]) -> Head | None:
    program = words[0]
    if not (basename(program) == "bun" and is_installed(program) and list(words[1:2]) == ["test"]):
        return None
    if _is_not_ours(words[2:], Adapter.BUN_TEST):
        return None
    # The workspace's configuration is for the tests, not for what waits for them.
    sources = ("-e", Source(Adapter.BUN_TEST), "--", Source("bun-test preload"))
    return Head(2, (program, "--config=/dev/null", *sources, program, "test"))


def _node(words: Sequence[str]) -> Head | None:
    program = words[0]
    if basename(program) not in ("node", "nodejs") or not is_installed(program):
        return None
    if "--test" not in words or _is_not_ours(words[1:], Adapter.NODE_TEST):
        return None
    reporters, destinations = _count(words, "--test-reporter"), _count(words, "--test-reporter-destination")
    added: list[Word] = [program, "--test-reporter", _NODE_REPORTER]
    if reporters:
        added.append("--test-reporter-destination=stderr")
    # One reporter alone needs no destination, of two each does, in their order.
    if reporters == 1 and not destinations:
        added.append("--test-reporter-destination=stdout")
    elif reporters != destinations:
        return None
    return Head(1, tuple(added), files=(_NODE_PRELOAD,))


def _vitest(words: Sequence[str]) -> Head | None:
    found = _program(words, "vitest")
    if found is None or _is_not_ours(words[found.count :], Adapter.VITEST):
        return None
    count, run = found.count, found.words
    if list(words[count : count + 1]) == ["run"]:
        count, run = count + 1, (*run, "run")
    elif "--run" not in words:
        return None
    own: tuple[Word, ...] = () if _count(words, "--reporter") else ("--reporter=default",)
    return Head(count, (*run, "--reporter", _VITEST_REPORTER, *own))


def _jest(words: Sequence[str]) -> Head | None:
    found = _program(words, "jest")
    if found is None or _is_not_ours(words[found.count :], Adapter.JEST):
        return None
    own: tuple[Word, ...] = () if _count(words, "--reporters") else ("--reporters=default",)
    # Its list of reporters takes all words up to the next option, which is one that says what is so anyway.
    return Head(found.count, (*found.words, "--reporters", _JEST_REPORTER, *own, "--logHeapUsage=false"))


def _program(words: Sequence[str], name: str) -> Head | None:
    """Return how a program of a package is started, without what follows it."""
    if basename(words[0]) == name:
        return Head(1, (words[0],))
    for launcher in _LAUNCHERS:
        place = len(launcher)
        if (basename(words[0]), *words[1:place]) != launcher:
            continue
        while place < len(words) and words[place] in _LAUNCHER_FLAGS:
            place += 1
        if list(words[place : place + 1]) == [name]:
            return Head(place + 1, ("sh", "-c", _LAUNCH, name))
    return None


def _count(words: Iterable[str], option: str) -> int:
    return sum(word == option or word.startswith(f"{option}=") for word in words)


def _is_not_ours(words: Iterable[str], adapter: Adapter) -> bool:
    return any(re.split("=", word, maxsplit=1)[0] in _NOT_OURS[adapter] for word in words)


RECOGNISERS: Mapping[Adapter, Recogniser] = MappingProxyType(
    {Adapter.BUN_TEST: _bun, Adapter.NODE_TEST: _node, Adapter.VITEST: _vitest, Adapter.JEST: _jest}
)
