"""Vitest, started by its name or by ``npx``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gradebox.graders.languages.language import ControlFile
from gradebox.graders.runners.javascript_command import NO_TESTS, REPORTING, count, has_any, package_program
from gradebox.graders.runners.runner import File, Head, Runner, SourceText, Word

_ADAPTER = Path(__file__).parent / "inside" / "vitest_adapter.mjs"
_REPORTER = File(SourceText((*REPORTING, _ADAPTER)), ".gradebox/vitest_adapter.mjs")
_NOT_ADAPTED = NO_TESTS | {"-w", "--ui", "--standalone", "--mergeReports", "--merge-reports"}


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for a command of Vitest, None for another command or one that watches files."""
    found = package_program(words, "vitest")
    if found is None or has_any(words[found.count :], _NOT_ADAPTED):
        return None
    place, run = found.count, found.words
    if list(words[place : place + 1]) == ["run"]:
        place, run = place + 1, (*run, "run")
    elif "--run" not in words:
        return None
    own: tuple[Word, ...] = () if count(words, "--reporter") else ("--reporter=default",)
    return Head(place, (*run, "--reporter", _REPORTER, *own))


RUNNER = Runner(
    name="vitest",
    language="javascript",
    recognise=recognise,
    shape="`vitest run ...` or `npx vitest run ...`",
    words="vitest",
    sources=(_REPORTER.source,),
    control_files=(
        ControlFile("vitest.config.*"),
        ControlFile("vitest.workspace.*"),
        ControlFile("vitest.projects.*"),
        ControlFile("vite.config.*"),
    ),
    # Vitest always loads these as programs into its main process. (vite.dev: PostCSS)
    loads=("postcss.config.*", ".postcssrc", ".postcssrc.*"),
    package_keys=("postcss",),
    loading_keys=("environment", "globalSetup", "reporters", "runner", "setupFiles", "snapshotSerializers"),
    counts_as_its_report=True,
)
