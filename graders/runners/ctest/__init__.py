"""CTest, for test programs in C and C++, such as those of Catch2: ``ctest --test-dir DIR``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.languages.language import ControlFile
from gradebox.graders.runners.runner import File, Head, Runner, SourceText, is_installed

_NATIVE = Path(__file__).parents[1] / "inside" / "native"
_SHARED = tuple(_NATIVE / f"{name}.sh" for name in ("witness", "counted", "native"))
_ADAPTER = SourceText((*_SHARED, Path(__file__).parent / "inside" / "ctest_adapter.sh"))
_WITNESS = File(SourceText((_NATIVE / "gradebox_main.c",)), ".gradebox/gradebox_main.c")
# With these options CTest runs no test, or does not report how many ran.
_NOT_ADAPTED = frozenset(
    {"-h", "--help", "--version", "-N", "--show-only", "--print-labels", "-Q", "--quiet", "-S", "--script"}
    | {"-SP", "--script-new-process", "-D", "--dashboard", "-M", "--test-model", "-T", "--test-action"}
)


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for ``ctest``, None for another command or one that runs no test."""
    if basename(words[0]) != "ctest" or not is_installed(words[0]):
        return None
    if not _NOT_ADAPTED.isdisjoint(word.partition("=")[0] for word in words[1:]):
        return None
    return Head(1, ("sh", "-c", _ADAPTER, words[0], _WITNESS))


RUNNER = Runner(
    name="ctest",
    language="cpp",
    recognise=recognise,
    shape="`ctest ...`",
    words="ctest",
    sources=(_ADAPTER, _WITNESS.source),
    # These files list the test programs.
    control_files=(
        ControlFile("CMakeCache.txt"),
        ControlFile("CMakePresets.json"),
        ControlFile("CMakeUserPresets.json"),
        ControlFile("CTest*.cmake"),
        ControlFile("DartConfiguration.tcl"),
    ),
    counts_as_its_report=True,
)
