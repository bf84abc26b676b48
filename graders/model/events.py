"""Events that report the progress of a run. Data only: a run emits events, and listeners print them.

Events about one grading come from the thread of that grading. `RunStarted` and `VerdictReported` come in the order of
the run, from the thread of the run.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gradebox.graders.model.case import Case
from gradebox.graders.model.result import Result


class RunStarted(NamedTuple):
    """The run directory exists, and gradings start now."""

    directory: Path
    sandboxes: str  # One line for people about the profile and runtime of the sandboxes.
    locked: bool = True  # Whether no other run can write into the directory.
    lacking: tuple[str, ...] = ()  # Parts of the profile that the runtime cannot provide, a sentence each.


class RunFinishing(NamedTuple):
    """Nothing new will be started: the run fails fast, and a case did not pass."""


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
    """A verdict is known. `found_before` states that it was reused from this run or an earlier one."""

    result: Result
    found_before: bool = False


class VerdictReported(NamedTuple):
    """A verdict is on disk, and all verdicts before it in the run were reported."""

    case: Case
    submission: object  # The submission, or the target that made it.
    result: Result
    resumed: bool = False  # Whether the run had this verdict before it was continued.


class EngineRetried(NamedTuple):
    """A request to the engine failed, and will be repeated after some seconds."""

    reason: str
    seconds: float


class JobsLimited(NamedTuple):
    """Fewer gradings run at a time than requested; `reason` says why."""

    reason: str
    jobs: int


class ReferenceTried(NamedTuple):
    """The reference of a case is about to be judged, to settle how its submissions are."""

    case: str


class CasesSettled(NamedTuple):
    """How many cases with `isolation: auto` are judged apart, in-process due to the reference, or without one."""

    apart: int
    in_process: int
    without_reference: int


class ImageProgress(NamedTuple):
    """A line of output from building a case's image. Without a line, the build starts."""

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
