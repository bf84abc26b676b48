"""JUnit 5: ``junit PATH...``, a program of our image that compiles tests with the code under test, and runs them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from posixpath import basename

from gradebox.graders.runners.runner import Head, Runner, SourceText, is_installed

INSIDE = Path(__file__).parent / "inside"
_ADAPTER = SourceText((INSIDE / "junit_adapter.sh",))
_NOT_ADAPTED = frozenset({"--help", "-h", "--version", "--list-engines"})


def recognise(words: Sequence[str]) -> Head | None:
    """Return the replacement for ``junit``, None for another command or one that runs no test."""
    if basename(words[0]) != "junit" or not is_installed(words[0]) or not _NOT_ADAPTED.isdisjoint(words):
        return None
    return Head(1, ("sh", "-c", _ADAPTER, words[0]))


RUNNER = Runner(
    name="junit5",
    language="java",
    recognise=recognise,
    shape="`junit PATH...`",
    words="junit",
    sources=(_ADAPTER, SourceText((INSIDE / "GradeboxJunit.java",))),
    counts_as_its_report=True,
)
