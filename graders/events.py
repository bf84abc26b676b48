"""What a run tells its listeners while it goes on. Data only; listeners print, a run does not."""

from __future__ import annotations

from dataclasses import dataclass

from graders.result import Graded


@dataclass(frozen=True, slots=True)
class CaseStarted:
    """A case's sandbox is about to be made."""

    case: str
    submission: str
    target: str | None = None


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A command is about to run."""

    case: str
    submission: str
    step: str
    number: int
    count: int
    target: str | None = None


@dataclass(frozen=True, slots=True)
class CaseGraded:
    """A verdict is known."""

    graded: Graded


Event = CaseStarted | StepStarted | CaseGraded
