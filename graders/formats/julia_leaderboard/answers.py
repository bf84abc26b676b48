"""From a tree of recorded answers to tasks, and from verdicts back to a tree: ``--answers`` and ``--leaderboard``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from graders.checks.definition import Parsed
from graders.documents.paths import file_name
from graders.errors import RunRefused
from graders.formats.julia_leaderboard.evaluation import conversation_of, evaluation_of, recording_of
from graders.formats.julia_leaderboard.recorded import (
    MAX_BYTES,
    Recorded,
    find_recorded,
    read_conversation,
    read_evaluation,
    write,
)
from graders.model.case import Case
from graders.model.result import Result
from graders.model.submission import Submission
from graders.submissions.source import read_submission


@dataclass(frozen=True, slots=True)
class AnswerTask:
    """One recorded answer of a case.

    Attributes:
        case: A definition's.
        submission: The answer, named by its place in the tree.
        recorded: Where it was recorded.
    """

    case: Case
    submission: Submission
    recorded: Recorded


def recorded_tasks(root: Path, cases: Iterable[Case]) -> Iterator[AnswerTask]:
    """Yield a task for every conversation of a tree that answers one of the cases, sorted by path.

    Raises:
        SubmissionRefused: If there is no such tree, or a conversation in it is none.
    """
    by_name = {definition_name(case): case for case in cases if is_definition(case)}
    for recorded in find_recorded(root, by_name):
        submission = read_submission(recorded.file, name=_place(recorded, root))
        yield AnswerTask(by_name[recorded.recording.name], submission, recorded)


def write_evaluation(
    root: Path, case: Case, submission: Submission, graded: Result, recorded: Recorded | None = None
) -> Path | None:
    """Write what came of an answer into a tree, with the conversation beside it, and return where the evaluation is.

    Args:
        root: Of the tree that is written.
        case: What was answered; only a definition's has an evaluation.
        submission: The answer.
        graded: What came of it. What could not be judged is not written: an error is no zero.
        recorded: Where the answer was recorded, None if it was not.

    Raises:
        SubmissionRefused: If the names of the answer cannot be those of files.
        OSError: If the files cannot be written.
    """
    if recorded is None:
        recording, before = recording_of(case, graded), {}
        conversation = conversation_of(case, submission.output or "")
    else:
        recording, before = recorded.recording, dict(read_evaluation(recorded))
        with recorded.file.open("rb") as stream:
            conversation = read_conversation(stream.read(MAX_BYTES))
    evaluation = evaluation_of(case, graded, recording, conversation, before)
    return None if evaluation is None else write(root, recording, evaluation, conversation)


class Leaderboard:
    """A tree of evaluations that is written verdict by verdict.

    Args:
        root: Where it is written.
        answers: The tree of recorded conversations that is graded, if one is.
        cases: Those that are graded.
    """

    def __init__(self, root: Path, answers: Path | None, cases: Iterable[Case]) -> None:
        self._root = root
        self._recorded: dict[str, Recorded] = {}
        if answers is not None and answers.is_dir():
            names = {definition_name(case) for case in cases if is_definition(case)}
            self._recorded = {_place(found, answers): found for found in find_recorded(answers, names)}

    def add(self, case: Case, submission: object, graded: Result) -> None:
        """Write what came of an answer; of any other case and of an error there is nothing to write.

        Raises:
            RunRefused: If it cannot be written.
        """
        if not is_definition(case) or not isinstance(submission, Submission):
            return
        recorded = self._recorded.get(graded.submission)
        name = graded.submission if recorded else file_name(graded.submission)
        renamed = replace(submission, name=name)
        try:
            write_evaluation(self._root, case, renamed, replace(graded, submission=name), recorded)
        except OSError as error:
            raise RunRefused(f"An evaluation cannot be written to {self._root}: {error.strerror}.") from error


def _place(recorded: Recorded, root: Path) -> str:
    """Return the name that a recorded answer goes by as a submission: its place in the tree."""
    return recorded.file.relative_to(root).with_suffix("").as_posix()


def is_definition(case: Case) -> bool:
    """Return whether a case comes from a ``definition.toml``."""
    return any(isinstance(check, Parsed) for check in case.checks)


def definition_name(case: Case) -> str:
    """Return the name that a definition goes by in the tree."""
    return str(case.metadata.get("name", case.id))
