"""What a run reports while it goes on. Data only: a run emits events, and listeners print.

Events about one grading come from the thread in which it runs; `RunStarted` and `VerdictReported` come in the order of
the run, from the thread that carries it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from graders.model.case import Case
from graders.model.result import Result


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The run directory exists, and gradings start now.

    Attributes:
        sandboxes: The profile and runtime of the sandboxes, in a line for people.
        locked: Whether no other run can write into the directory.
    """

    directory: Path
    sandboxes: str
    locked: bool = True


@dataclass(frozen=True, slots=True)
class RunFinishing:
    """Nothing new will be started, since a verdict was not passed and the run fails fast."""


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
    """A verdict is known; it cost no time if it was `found_before`, in this run or an earlier one."""

    result: Result
    found_before: bool = False


@dataclass(frozen=True, slots=True)
class VerdictReported:
    """A verdict is on disk, and it is its turn in the order of the run.

    Attributes:
        submission: The submission, or what made it.
        resumed: Whether the run had this verdict before it was continued.
    """

    case: Case
    submission: object
    result: Result
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class EngineRetried:
    """The engine did not do what was requested, and gets the request again after some seconds."""

    reason: str
    seconds: float


Event = RunStarted | RunFinishing | CaseStarted | StepStarted | CaseGraded | VerdictReported | EngineRetried
