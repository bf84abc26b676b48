"""What loading a path delivers: the cases that can be graded, those that cannot, and everything there is to say."""

from __future__ import annotations

from dataclasses import dataclass

from graders.case import Case, Place
from graders.loading.diagnostics import Diagnostic, Severity


@dataclass(frozen=True, slots=True)
class BrokenCase:
    """A case that cannot be graded, since something is wrong with its file.

    Attributes:
        id: Its id as far as it could be read, else the name of its directory or its place.
        diagnostics: What is wrong with it; at least one error.
    """

    id: str
    place: Place
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of `load`.

    Attributes:
        cases: In the order in which they are to be graded and reported.
        broken: The others, in the same order.
        diagnostics: All of them, those of the broken cases included, in the order of the files.
    """

    cases: tuple[Case, ...] = ()
    broken: tuple[BrokenCase, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self.diagnostics if found.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self.diagnostics if found.severity is Severity.WARNING)


def in_order(diagnostics: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort the diagnostics of each file by position; files stay in the order in which they were read."""
    files = {file: number for number, file in enumerate(dict.fromkeys(found.file for found in diagnostics))}
    return tuple(sorted(diagnostics, key=lambda found: (files[found.file], found.line, found.column)))
