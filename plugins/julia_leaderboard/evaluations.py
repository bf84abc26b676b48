"""Turns a tree of recorded answers into tasks, and verdicts into the leaderboard's own evaluation files.

``--answers TREE`` reads the conversations. ``--leaderboard DIR`` writes an evaluation beside each, with the
leaderboard's keys in their order, and its score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any, Self

from gradebox.graders.documents.diagnostics import Diagnostic
from gradebox.graders.errors import RunRefused, SubmissionRefused
from gradebox.graders.model.case import Case
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.graders.submissions.source import read_submission
from gradebox.plugins.julia_leaderboard.definition import Executed, ExecutedExamples, Parsed, PassedUnitTests
from gradebox.plugins.julia_leaderboard.recorded import (
    MAX_BYTES,
    Conversation,
    Recorded,
    Recording,
    find_recorded,
    read_conversation,
    read_evaluation,
    recorded_file,
    write,
)
from gradebox.sandbox.records import dataclass

POINTS = 100.0
# The leaderboard's own values for fields that were not recorded.
_UNKNOWN: Mapping[str, Any] = {"device": "UNKNOWN", "schema": "-", "version_pt": "", "parameters": {}, "experiment": ""}


@dataclass(frozen=True, slots=True)
class AnswerTask:
    """One recorded answer of a case."""

    case: Case  # The case of its definition.
    name: str  # The name of the answer as a submission: its path in the tree.
    recorded: Recorded  # Its conversation.

    @property
    def submission(self) -> Submission:
        """The answer, read anew each time. Its `fault` says why its conversation cannot be read."""
        try:
            read = read_submission(self.recorded.file, name=self.name)
            problem = read.unreadable
        except SubmissionRefused as refused:
            problem = str(refused)
        if problem:
            # The recorder wrote the file, not the model, so the error is a fault and no failure.
            read = Submission(self.name, fault=f"{self.recorded.file}: {problem}")
        return replace(read, origin=self.recorded.recording.origin)


def recorded_tasks(root: Path, cases: Iterable[Case]) -> tuple[AnswerTask, ...]:
    """Return a task for every conversation of a tree that answers one of the cases, sorted by path.

    Raises SubmissionRefused if the tree does not exist.
    """
    by_name = {definition_name(case): case for case in cases if is_definition(case)}
    return tuple(
        AnswerTask(by_name[recorded.recording.name], _place(recorded, root), recorded)
        for recorded in find_recorded(root, by_name)
    )


@dataclass(frozen=True, slots=True)
class RecordedTree:
    """The answers of a tree of conversations, as `runs.tasks.RecordedAnswers`."""

    tasks: tuple[AnswerTask, ...]
    findings: tuple[Diagnostic, ...] = ()

    @classmethod
    def read(cls, root: Path, cases: Iterable[Case]) -> Self:
        """Find the answers of a tree, without reading their conversations."""
        return cls(recorded_tasks(root, cases))

    @property
    def count(self) -> int:
        return len(self.tasks)

    def pairs(self) -> Iterator[tuple[Case, Submission]]:
        """Yield each case with its submission."""
        return ((task.case, task.submission) for task in self.tasks)


def write_evaluation(
    root: Path, case: Case, submission: Submission, graded: Result, recorded: Recorded | None = None
) -> Path | None:
    """Write the result of an answer into a tree, with the conversation beside it, and return the evaluation's path.

    The files lie in ``<category>/<name>/<model>`` below the root. Returns None and writes nothing if the case is not a
    definition's, or if the result is an error, which is not a zero. Raises SubmissionRefused if the names of the
    answer cannot be file names, and OSError if the files cannot be written.
    """
    if graded.verdict.status is Status.ERROR:
        return None
    if recorded is None:
        recording = recording_of(case, submission, graded)
        before = {"parameters": submission.origin.get("parameters", {})}
        conversation = conversation_of(case, submission.output or "")
    else:
        recording, before = recorded.recording, dict(read_evaluation(recorded))
        with recorded.file.open("rb") as stream:
            conversation = read_conversation(stream.read(MAX_BYTES))
    evaluation = evaluation_of(case, graded, recording, conversation, before)
    return None if evaluation is None else write(root / case.category, recording.as_files(), evaluation, conversation)


class Leaderboard:
    """A tree of evaluations that is written verdict by verdict.

    `answers` is the graded tree of recorded conversations, if any. Recorded conversations among `submissions`, which
    are paths, keep their names, too.
    """

    def __init__(
        self, root: Path, answers: Path | None, cases: Iterable[Case], submissions: Iterable[str] = ()
    ) -> None:
        self._root = root
        # Submissions are named after their files, or by their paths if several files share a name.
        self._files = {name: Path(path) for path in submissions for name in (path, Path(path).stem)}
        self._recorded: dict[str, Recorded] = {}
        if answers is not None and answers.is_dir():
            names = {definition_name(case) for case in cases if is_definition(case)}
            self._recorded = {_place(found, answers): found for found in find_recorded(answers, names)}

    def add(self, case: Case, submission: object, graded: Result) -> None:
        """Write the result of an answer; nothing is written for another case or an error.

        Raises RunRefused if it cannot be written.
        """
        if not is_definition(case) or not isinstance(submission, Submission):
            return
        recorded = self._recorded.get(graded.submission)
        if recorded is None and (file := self._files.get(graded.submission)):
            recorded = recorded_file(file, definition_name(case))
        try:
            write_evaluation(self._root, case, submission, graded, recorded)
        except OSError as error:
            raise RunRefused(f"An evaluation cannot be written to {self._root}: {error.strerror}.") from error


def _place(recorded: Recorded, root: Path) -> str:
    """Return the name of a recorded answer as a submission: its path in the tree."""
    return recorded.file.relative_to(root).with_suffix("").as_posix()


def is_definition(case: Case) -> bool:
    return any(isinstance(check, Parsed) for check in case.checks)


def definition_name(case: Case) -> str:
    return str(case.metadata.get("name", case.id))


def recording_of(case: Case, submission: Submission, graded: Result) -> Recording:
    """Return the names for an answer that was not recorded before.

    Defaults: the submission's name as the model, the leaderboard's words for a prompt without a label and for a single
    try, and the start of the grading as the timestamp.
    """
    number = 100 + int(graded.id[:8], 16) % 900
    timestamp = f"{graded.started:%Y%m%d_%H%M%S}__{number}"
    origin = submission.origin
    model, prompt, strategy = (
        str(origin.get(key, default))
        for key, default in (("model", graded.submission), ("prompt_label", "AsIs"), ("prompt_strategy", "1SHOT"))
    )
    return Recording(definition_name(case), model, prompt, strategy, timestamp)


def conversation_of(case: Case, answer: str) -> Conversation:
    """Return the conversation of an answer that was not recorded before: the prompt and the answer."""
    prompt = case.input[0].content if case.input else ""
    request: dict[str, Any] = {"content": prompt, "variables": [], "_type": "usermessage"}
    reply: dict[str, Any] = {"content": answer, "status": None, "tokens": [-1, -1], "elapsed": -1.0}
    return Conversation((request, {**reply, "_type": "aimessage"}))


def evaluation_of(
    case: Case,
    graded: Result,
    recording: Recording,
    conversation: Conversation,
    before: Mapping[str, Any] | None = None,
) -> dict[str, Any] | None:
    """Return the evaluation of a graded answer, None if it could not be judged, since an error is not a zero.

    The last message of the conversation has the model's tokens, time and cost. `before` is an earlier evaluation of the
    same answer, whose fields about the model are kept.
    """
    spec = next((check for check in case.checks if isinstance(check, Parsed)), None)
    if spec is None or graded.verdict.status is Status.ERROR:
        return None
    before = before or {}
    last = conversation.last
    found = {check.type: check for check in graded.verdict.checks}
    kept = {key: before.get(key, default) for key, default in _UNKNOWN.items()}
    return {
        "name": definition_name(case),
        "parsed": _true(found.get(Parsed.type)),
        "executed": _true(found.get(Executed.type)),
        "unit_tests_count": len(spec.unit_tests),
        "examples_count": len(spec.examples),
        "unit_tests_passed": _passed(found.get(PassedUnitTests.type)),
        "examples_executed": _passed(found.get(ExecutedExamples.type)),
        "tokens": before.get("tokens", last.get("tokens", [-1, -1])),
        "elapsed_seconds": before.get("elapsed_seconds", last.get("elapsed", -1.0)),
        "cost": before.get("cost", last.get("cost", 0.0)),
        "model": before.get("model", recording.model),
        "timestamp": recording.timestamp,
        "prompt_strategy": recording.strategy,
        "prompt_label": recording.prompt,
        "device": kept["device"],
        "version_prompt": str(case.metadata.get("version", "")),
        "schema": kept["schema"],
        "version_pt": kept["version_pt"],
        "parameters": kept["parameters"],
        "experiment": kept["experiment"],
    }


def score(evaluation: Mapping[str, Any]) -> float:
    """Return the score from 0 to 100: a quarter each for parsing, execution, the unit tests and the examples."""
    shares = (
        float(bool(evaluation["parsed"])),
        float(bool(evaluation["executed"])),
        _share(evaluation["unit_tests_passed"], evaluation["unit_tests_count"]),
        _share(evaluation["examples_executed"], evaluation["examples_count"]),
    )
    return POINTS * sum(shares) / len(shares)


def _share(passed: float, count: float) -> float:
    share = passed / count if count else 0.0
    return share if isfinite(share) else 0.0


def _true(check: CheckResult | None) -> bool:
    return check is not None and check.score == 1.0


def _passed(check: CheckResult | None) -> int:
    return sum(step.passed for step in check.steps) if check is not None else 0
