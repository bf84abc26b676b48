"""One grading: which case, and which submission or what makes it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol

from graders.cases.load import load
from graders.errors import CaseRefused
from graders.grading.settings import Settings
from graders.model.case import Case
from graders.model.submission import UNTOUCHED, Submission
from graders.submissions.source import read_submission
from sandbox.engines.engine import Engine


class Producer(Protocol):
    """What makes a submission when it is needed: a target."""

    @property
    def name(self) -> str:
        """The name of the submission."""

    def produce(self, engine: Engine, case: Case, settings: Settings, *, repeat: int = 1) -> Submission:
        """Return the submission. Never raises: what went wrong is in it."""


class Task(NamedTuple):
    """One grading.

    Attributes:
        submission: The submission, or what makes it. Default: the workspace is graded as it is.
        repeat: Which of several gradings of the same it is, from 1.
        number: Its place in the run, from 1; 0 outside a run.
    """

    case: Case
    submission: Submission | Producer = UNTOUCHED
    repeat: int = 1
    number: int = 0


def load_cases(path: str | Path) -> tuple[Case, ...]:
    """Load all cases of a path: of a case directory, a suite, a directory of suites, or a file.

    Raises:
        CaseRefused: If there is a mistake, each reported with file, line and column, or if there is no case.
    """
    loaded = load(Path(path))
    if loaded.errors:
        raise CaseRefused("\n".join(map(str, loaded.errors)))
    if not loaded.cases:
        raise CaseRefused(f"{path} holds no case.", remedy="Name a case directory, a suite or a case file.")
    return tuple(loaded.cases)


def load_case(path: str | Path) -> Case:
    """Load the one case of a path.

    Raises:
        CaseRefused: If there is a mistake, each reported with file, line and column, or if there are several cases.
    """
    cases = load_cases(path)
    if len(cases) > 1:
        raise CaseRefused(f"{path} holds {len(cases)} cases.", remedy="Name the directory of one of them.")
    return cases[0]


def task_of(case: str | Path | Case, submission: str | Path | Submission | None) -> Task:
    """Return the grading of a case and a submission, each at hand or where it is; None leaves the workspace as it is.

    Raises:
        CaseRefused: If the case has mistakes.
        SubmissionRefused: If there is nothing to read where the submission should be.
    """
    loaded = case if isinstance(case, Case) else load_case(case)
    if submission is None:
        return Task(loaded)
    return Task(loaded, submission if isinstance(submission, Submission) else read_submission(submission))
