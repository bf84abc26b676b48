"""Diagnostics: mistakes in files as values, which are collected while loading, printed by the caller, and never raised.

A diagnostic gives its place twice: as ``file:line:column`` for editors, and as the path in the document for people,
such as ``assertions[2].wieght``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from enum import StrEnum
from pathlib import Path

from gradebox.graders.model.case import Place
from gradebox.sandbox.records import dataclass

DocumentPath = tuple[str | int, ...]

_BARE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")

# The limits for one case, or for one file of cases without its cases. They bound the time to report a hostile file with
# a million mistakes.
MOST_ERRORS = 100
MOST_WARNINGS = 1000


class Severity(StrEnum):
    """A case with an error cannot be graded; a case with a warning can."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake in one place."""

    file: Path  # The file with the mistake.
    # 1-based; 0 if the mistake has no position in the file.
    line: int
    column: int
    path: str  # The path in the document, empty for the whole document.
    message: str  # A clause without a full stop that describes the mistake.
    hint: str = ""  # What to write instead, in whole sentences; or empty.
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        at = f" (at {self.path})" if self.path else ""
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.place}: {self.severity}: {self.message}{at}.{hint}"

    @property
    def place(self) -> Place:
        return Place(self.file, self.line, self.column)


class TooManyErrors(Exception):
    """Stops reading a case or a file, whose last finding says why. The code that reads the next case catches it."""


@dataclass(slots=True)
class Findings:
    """The diagnostics of one load, in the order in which they were found."""

    limited: bool = False  # Whether to keep at most MOST_ERRORS and MOST_WARNINGS, and one more that says so.
    errors: int = 0
    _warnings: int = 0
    _diagnostics: dict[Diagnostic, None] = field(default_factory=dict)

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a diagnostic unless it is there already: aliases may lead to the same node twice."""
        if diagnostic in self._diagnostics:
            return
        is_error = diagnostic.severity is Severity.ERROR
        above = (self.errors - MOST_ERRORS) if is_error else (self._warnings - MOST_WARNINGS)
        if self.limited and above > 0:
            return
        if self.limited and above == 0:
            message = f"too many {'mistakes' if is_error else 'warnings'} before this; the rest is not reported"
            diagnostic = replace(diagnostic, message=message, hint="Fix those first.")
        self._diagnostics[diagnostic] = None
        self.errors += is_error
        self._warnings += not is_error

    @property
    def full(self) -> bool:
        """Whether no more errors are kept."""
        return self.limited and self.errors > MOST_ERRORS

    def error(self, place: Place, message: str, *, path: str = "", hint: str = "") -> None:
        self.add(Diagnostic(place.file, place.line, place.column, path or place.path, message, hint))

    def warning(self, place: Place, message: str, *, path: str = "", hint: str = "") -> None:
        self.add(Diagnostic(place.file, place.line, place.column, path or place.path, message, hint, Severity.WARNING))

    @property
    def failed(self) -> bool:
        return self.errors > 0

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._diagnostics)


def written_path(path: DocumentPath) -> str:
    """Return a document path as text: ``execution.targets[0].name``."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _BARE_KEY.match(part):
            text += f".{part}" if text else part
        else:
            text += f"[{part!r}]"
    return text


def shown(text: str, limit: int = 60) -> str:
    """Return a piece of a document for a message: printable, on one line, cut to `limit` characters before escaping."""
    cut = text if len(text) <= limit else text[: limit - 3] + "..."
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in cut)
