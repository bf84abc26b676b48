"""The settings of reports: their audience, and the files for marking a class."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from gradebox.sandbox.records import dataclass


class Audience(StrEnum):
    """The readers of a report."""

    AUTHOR = "author"  # May see everything about a case.
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """The options of the command line for reports."""

    audience: Audience = Audience.AUTHOR
    after: bool = False  # Whether candidates may see parts with `visibility: after`.
    course: Path | None = None  # The file with the rules for marking a class.
    roster: Path | None = None  # The file that names all students of the class.

    @property
    def for_candidates(self) -> bool:
        return self.audience is Audience.CANDIDATE


AS_USUAL = ReportSettings()
