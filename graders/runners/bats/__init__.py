"""Bats, the tests of shell scripts, started by its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.languages.language import ControlFile
from gradebox.graders.runners.runner import Head, Runner, SourceText, is_installed

_HERE = Path(__file__).parent
_SHARED = tuple(_HERE.parent / "inside" / "native" / f"{name}.sh" for name in ("witness", "counted"))
_ADAPTER = SourceText((*_SHARED, _HERE / "inside" / "bats_adapter.sh"))
# With these options bats runs no test, or prints something other than TAP.
_NOT_ADAPTED = frozenset({"-h", "--help", "-v", "--version", "-c", "--count", "-F", "--formatter", "-p", "--pretty"})


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for ``bats``, None for another command or one that runs no test."""
    if basename(words[0]) != "bats" or not is_installed(words[0]) or not _NOT_ADAPTED.isdisjoint(words[1:]):
        return None
    return Head(1, ("sh", "-c", _ADAPTER, words[0]))


RUNNER = Runner(
    name="bats",
    language="bash",
    recognise=recognise,
    shape="`bats ...`",
    words="bats",
    sources=(_ADAPTER,),
    # bats runs this file before the tests beside it.
    control_files=(ControlFile("setup_suite.bash"),),
    counts_as_its_report=True,
)
