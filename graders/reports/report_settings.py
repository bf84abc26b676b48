"""For whom reports are made, and by what they reckon."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from gradebox.sandbox.records import dataclass


class Audience(StrEnum):
    """Who reads a report."""

    AUTHOR = "author"  # Whoever may see everything of a case.
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """What the command line says of reports."""

    audience: Audience = Audience.AUTHOR
    after: bool = False  # Whether candidates may see what is `visibility: after`.
    course: Path | None = None  # The file that says how a class is marked.
    roster: Path | None = None  # The file that names all of its students.

    @property
    def for_candidates(self) -> bool:
        return self.audience is Audience.CANDIDATE


AS_USUAL = ReportSettings()
