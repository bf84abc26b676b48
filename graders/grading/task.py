"""One grading: a case, and a submission or the target that makes it. Both may be given as paths."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol, Self

from gradebox.graders.cases.load import load
from gradebox.graders.errors import CaseRefused, UsageRefused
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import UNTOUCHED, Submission
from gradebox.graders.submissions.answer import read_answer
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.engine import Engine

# A path, or the loaded object.
AnyCase = str | Path | Case
AnyWork = str | Path | Submission | None
# The name of a submission that is given as the text of an answer.
ANSWER = "answer"


class Producer(Protocol):
    """Makes a submission when it is needed; implemented by targets."""

    @property
    def name(self) -> str:
        """The name of the submission."""

    def produce(self, engine: Engine, case: Case, settings: Settings, *, repeat: int = 1) -> Submission:
        """Return the submission, with any error recorded in it. Never raises."""


class _Task(NamedTuple):
    case: Case
    submission: Submission | Producer
    repeat: int
    number: int


class Task(_Task):
    """One grading. A case or a submission that is given as a path is read at once.

    Args:
        case: A case, or its path.
        submission: A submission, its path, or the target that makes it. None grades the unchanged workspace.
        repeat: Which of several gradings of the same submission this is, from 1.
        number: Its position in the run, from 1; 0 outside a run.
        answer: The text of an answer, instead of `submission`.

    Raises:
        CaseRefused: If the case has mistakes.
        UsageRefused: If both a submission and an answer are given, or a path is empty or has a line break: then it is
            the text of an answer. Also if an answer is no text, or a submission is none.
        SubmissionRefused: If the submission does not exist, cannot be read, or is not a submission.
    """

    __slots__ = ()

    @property
    def memory_bytes(self) -> int:
        """How much memory the submission takes, in bytes; 0 if a target has not made it yet."""
        return self.submission.memory_bytes if isinstance(self.submission, Submission) else 0

    def __new__(
        cls,
        case: AnyCase,
        submission: AnyWork | Producer = None,
        repeat: int = 1,
        number: int = 0,
        *,
        answer: str | None = None,
    ) -> Self:
        loaded = case if isinstance(case, Case) else load_case(case)
        return super().__new__(cls, loaded, _work(submission, answer), repeat, number)


def load_cases(path: str | Path) -> tuple[Case, ...]:
    """Load all cases at a path: a case directory, a suite, a directory of suites, or a file.

    Raises CaseRefused if there is a mistake, each reported with file, line and column, or if there is no case.
    """
    loaded = load(Path(path))
    if loaded.errors:
        raise CaseRefused("\n".join(map(str, loaded.errors)))
    if not loaded.cases:
        raise CaseRefused(f"{path} holds no case.", remedy="Name a case directory, a suite or a case file.")
    return tuple(loaded.cases)


def load_case(path: str | Path) -> Case:
    """Load the only case at a path.

    Raises CaseRefused if there is a mistake, each reported with file, line and column, or if there are several cases.
    """
    cases = load_cases(path)
    if len(cases) > 1:
        raise CaseRefused(f"{path} holds {len(cases)} cases.", remedy="Name the directory of one of them.")
    return cases[0]


def _work(submission: AnyWork | Producer, answer: str | None) -> Submission | Producer:
    if answer is not None and submission is not None:
        raise UsageRefused("There are a submission and an answer.", remedy="Give one of them.")
    if isinstance(submission, str) and ("\n" in submission or not submission):
        # A caller that passes replies as paths would also pass one of a single line, which may name a file of the host.
        what = "is empty" if not submission else "has a line break, so it is the text of an answer"
        raise UsageRefused(f"The path of the submission {what}.", remedy="Pass the text of an answer as `answer=`.")
    if answer is not None and not isinstance(answer, str):
        # Such as the parts of a reply, or bytes: what is no text would end a run of many.
        raise UsageRefused(f"An answer is a text, not {type(answer).__name__}.", remedy="Pass the text of the reply.")
    if answer is not None:
        return read_answer(ANSWER, answer)
    if isinstance(submission, str | Path):
        return read_submission(submission)
    if submission is None:
        return UNTOUCHED
    if not hasattr(submission, "name"):
        # What is neither a submission nor a target.
        raise UsageRefused(f"A submission is a path, not {type(submission).__name__}.", remedy="Pass a path.")
    return submission
