"""What a run tells its listeners while it goes on. Data only; listeners print, a run does not."""

from __future__ import annotations

from dataclasses import dataclass

from graders.model.result import Result


@dataclass(frozen=True, slots=True)
class CaseStarted:
    """A case's sandbox is about to be made."""

    case: str
    submission: str
    target: str | None = None
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A command is about to run."""

    case: str
    submission: str
    step: str
    number: int
    count: int
    target: str | None = None
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class CaseGraded:
    """A verdict is known.

    Attributes:
        found_before: Whether it was taken from this run or an earlier one, so that it cost no time.
    """

    graded: Result
    found_before: bool = False


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """The engine did not do what it was asked for, and is asked once more.

    Attributes:
        reason: What it said, or that it said nothing.
        seconds: How long nothing is asked until then.
    """

    reason: str
    seconds: float


Event = CaseStarted | StepStarted | CaseGraded | AskedAgain
