"""From a tree of recorded answers to tasks, and from verdicts back to a tree: ``--answers`` and ``--leaderboard``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from graders.case import Case
from graders.checks.answer_program import Parsed
from graders.leaderboard.evaluation import conversation_of, evaluation_of, recording_of
from graders.leaderboard.recorded import MAX_BYTES, Recorded, find_recorded, read_conversation, read_evaluation, write
from graders.result import Graded
from graders.submission import ANSWER_FILES, Submission, answer, read_submission


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
        name = recorded.file.relative_to(root).with_suffix("").as_posix()
        yield AnswerTask(by_name[recorded.recording.name], read_submission(recorded.file, name=name), recorded)


def write_evaluation(
    root: Path, case: Case, submission: Submission, graded: Graded, recorded: Recorded | None = None
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


def is_definition(case: Case) -> bool:
    """Say whether a case comes from a ``definition.toml``."""
    return any(isinstance(check, Parsed) for check in case.checks)


def definition_name(case: Case) -> str:
    """Return the name that a definition goes by in the tree."""
    return str(case.metadata.get("name", case.id))


def reference_answer(case: Case) -> Submission | None:
    """Return the solution that is written in the case itself, as a submission; a definition's is code in any case."""
    text = case.reference_text
    file = ANSWER_FILES[".jl"] if is_definition(case) else None
    return None if text is None else answer("reference", text, file=file)
