"""Jest, started by its name or by ``npx``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gradebox.graders.languages.language import ControlFile
from gradebox.graders.runners.javascript_command import NO_TESTS, REPORTING, count, has_any, package_program
from gradebox.graders.runners.runner import File, Head, Runner, SourceText, Word

_ADAPTER = Path(__file__).parent / "inside" / "jest_adapter.cjs"
_REPORTER = File(SourceText((*REPORTING, _ADAPTER)), ".gradebox/jest_adapter.cjs")
_NOT_ADAPTED = NO_TESTS | {"--watchAll", "--init", "--listTests", "--showConfig", "--clearCache"}

# Settings that name modules.
_LOADING_KEYS = (
    *("dependencyExtractor", "globalSetup", "globalTeardown", "preset", "reporters", "resolver", "runner"),
    *("setupFiles", "setupFilesAfterEnv", "snapshotResolver", "snapshotSerializers", "testEnvironment"),
    *("testResultsProcessor", "testRunner", "testSequencer", "transform"),
)


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for a command of Jest, None for another command or one that runs no test."""
    found = package_program(words, "jest")
    if found is None or has_any(words[found.count :], _NOT_ADAPTED):
        return None
    own: tuple[Word, ...] = () if count(words, "--reporters") else ("--reporters=default",)
    # Without a snapshot, nothing would be expected.
    own += () if count(words, "--ci") else ("--ci",)
    # The option `--reporters` takes all words up to the next option, so an option without effect follows.
    return Head(found.count, (*found.words, "--reporters", _REPORTER, *own, "--logHeapUsage=false"))


RUNNER = Runner(
    name="jest",
    language="javascript",
    recognise=recognise,
    shape="`jest ...` or `npx jest ...`",
    words="jest",
    sources=(_REPORTER.source,),
    control_files=(ControlFile("jest.config.*"),),
    loading_keys=_LOADING_KEYS,
    mocks="__mocks__",
)
