"""What a run reports while it goes on. Data only: a run emits events, and listeners print.

Events about one grading come from the thread in which it runs; `RunStarted` and `VerdictReported` come in the order of
the run, from the thread that carries it out.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gradebox.graders.model.case import Case
from gradebox.graders.model.result import Result


class RunStarted(NamedTuple):
    """The run directory exists, and gradings start now."""

    directory: Path
    sandboxes: str  # The profile and runtime of the sandboxes, in a line for people.
    locked: bool = True  # Whether no other run can write into the directory.
    lacking: tuple[str, ...] = ()  # What the runtime cannot provide of the profile, a sentence each.


class RunFinishing(NamedTuple):
    """Nothing new will be started, since a verdict was not passed and the run fails fast."""


class CaseStarted(NamedTuple):
    """A case's sandbox is about to be made."""

    case: str
    submission: str
    target: str | None = None
    repeat: int = 1


class StepStarted(NamedTuple):
    """A command is about to run."""

    case: str
    submission: str
    step: str
    number: int
    total: int
    target: str | None = None
    repeat: int = 1


class CaseGraded(NamedTuple):
    """A verdict is known; it cost no time if it was `found_before`, in this run or an earlier one."""

    result: Result
    found_before: bool = False


class VerdictReported(NamedTuple):
    """A verdict is on disk, and it is its turn in the order of the run."""

    case: Case
    submission: object  # The submission, or what made it.
    result: Result
    resumed: bool = False  # Whether the run had this verdict before it was continued.


class EngineRetried(NamedTuple):
    """The engine did not do what was requested, and gets the request again after some seconds."""

    reason: str
    seconds: float


class JobsLimited(NamedTuple):
    """Fewer gradings run at a time than were requested, for a reason."""

    reason: str
    jobs: int


class ReferenceTried(NamedTuple):
    """The reference of a case is about to be judged, to find out how its submissions are."""

    case: str


class CasesSettled(NamedTuple):
    """How many cases that leave it open are judged apart, and in-process because of their reference or without one."""

    apart: int
    in_process: int
    without_reference: int


class ImageProgress(NamedTuple):
    """The image of a case is being built. Without a line, the build begins."""

    case: str
    line: str = ""


class ImageBuilt(NamedTuple):
    """The image of a case was built."""

    case: str
    image: str
    seconds: float


Event = (
    RunStarted | RunFinishing | CaseStarted | StepStarted | CaseGraded | VerdictReported | EngineRetried | JobsLimited
    | ReferenceTried | CasesSettled | ImageProgress | ImageBuilt
)  # fmt: skip
