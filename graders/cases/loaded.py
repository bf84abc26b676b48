"""What loading a path delivers: the cases that can be graded, those that cannot, and everything there is to say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graders.model.case import Case, Place
from graders.documents.diagnostics import Diagnostic, Severity


@dataclass(frozen=True, slots=True)
class BrokenCase:
    """A case that cannot be graded, since something is wrong with its file.

    Attributes:
        id: Its id as far as it could be read, else the name of its directory or its place in the file.
        diagnostics: What is wrong with it; at least one error.
    """

    id: str
    place: Place
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class SuiteInfo:
    """What a suite says about itself, beyond what its cases have from it.

    Attributes:
        workers: How many cases may run at a time, None where it does not say.
    """

    place: Place
    name: str = ""
    description: str = ""
    version: str = ""
    workers: int | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of `load`.

    Attributes:
        cases: In the order in which they are to be graded and reported. A case with several targets is here once for
            each of them.
        broken: Those that cannot be graded, in the same order.
        diagnostics: All of them, those of the broken cases included, in the order of the files.
        suite: The suite that the cases belong to, None if they belong to none.
    """

    cases: tuple[Case, ...] = ()
    broken: tuple[BrokenCase, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    suite: SuiteInfo | None = None

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self.diagnostics if found.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self.diagnostics if found.severity is Severity.WARNING)


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort the diagnostics of each file by position; files stay in the order in which they were read."""
    kept = list(diagnostics)
    files = {file: number for number, file in enumerate(dict.fromkeys(found.file for found in kept))}
    return tuple(sorted(kept, key=lambda found: (files[found.file], found.line, found.column)))
