"""The vocabulary of a proof that a case is fair: what is graded for it, and what is found. Data only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from graders.authoring.written_verdicts import WrittenVerdict
from graders.model.result import Result


class Subject(StrEnum):
    """What is graded to prove a case."""

    REFERENCE = "reference"
    UNTOUCHED = "untouched"
    SUBMISSION = "submission"


class Level(StrEnum):
    """What a finding means for the proof."""

    UNFAIR = "unfair"
    NOT_GRADED = "not_graded"
    WARNING = "warning"


class Outcome(StrEnum):
    """What the proof of a case came to."""

    PROVEN = "proven"
    UNFAIR = "unfair"
    NOT_GRADED = "not_graded"


@dataclass(frozen=True, slots=True)
class Trial:
    """One grading for the proof.

    Attributes:
        repeat: Which of the repeats it is, from 1.
        wanted: What is written that it must get, None where nothing is.
    """

    subject: Subject
    repeat: int
    graded: Result
    wanted: WrittenVerdict | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the proof brought to light.

    Attributes:
        message: What was seen, a sentence.
        remedy: What to do, a sentence.
        submission: Whose grading showed it, empty for no single one's.
        check: Which check it is about, empty for no single one.
    """

    level: Level
    message: str
    remedy: str = ""
    submission: str = ""
    check: str = ""


def outcome(findings: Iterable[Finding]) -> Outcome:
    """Return what findings mean together: what was not graded proves nothing either way."""
    levels = {finding.level for finding in findings}
    if Level.NOT_GRADED in levels:
        return Outcome.NOT_GRADED
    return Outcome.UNFAIR if Level.UNFAIR in levels else Outcome.PROVEN
