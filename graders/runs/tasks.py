"""The tasks of a run: cases with their submissions, counted beforehand and made one by one."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, runtime_checkable

from gradebox.graders.cases.collection import in_order
from gradebox.graders.documents.diagnostics import Diagnostic, Severity
from gradebox.graders.documents.plugins import plugins
from gradebox.graders.errors import SubmissionRefused, UsageRefused
from gradebox.graders.grading.fingerprint import Key, key_for
from gradebox.graders.grading.internal_error import describe_internal_error
from gradebox.graders.grading.task import Producer, Task
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import UNTOUCHED, Submission
from gradebox.graders.model.verdict import Status
from gradebox.graders.runs.request import Request
from gradebox.graders.submissions.source import read_reference, submission_readers
from gradebox.sandbox.records import dataclass

if TYPE_CHECKING:
    from gradebox.graders.targets.target import Target


class RecordedAnswers(Protocol):
    """Recorded answers after validation; `findings` report those with a mistake."""

    @property
    def count(self) -> int:
        """How many gradings the answers request."""

    @property
    def findings(self) -> Iterable[Diagnostic]: ...

    def pairs(self) -> Iterator[tuple[Case, Submission]]:
        """Yield each case with its submission."""


@runtime_checkable
class RunFormat(Protocol):
    """A foreign format whose recorded runs can be graded: a plug-in of ``gradebox.formats``."""

    def recorded_run(self, path: Path, cases: Iterable[Case], left_out: Container[str]) -> RecordedAnswers | None:
        """Return the answers of recorded runs, None if the path holds no run of this format."""


class Listed(NamedTuple):
    """A task whose submission is not read yet."""

    case: Case
    name: str
    read: Callable[[], Submission | Producer]
    repeat: int = 1
    number: int = 0

    @classmethod
    def of(cls, task: Task) -> Self:
        return cls(task.case, task.submission.name, lambda: task.submission, task.repeat)

    def task(self) -> Task:
        submission, case = self.read(), self.case
        if case.target is None and isinstance(submission, Submission):
            case = replace(case, target=submission.target)
        return Task(case, submission, self.repeat, self.number)


@dataclass(frozen=True, slots=True)
class Tasks:
    """Tasks that can be iterated more than once; `diagnostics` say why some are missing."""

    count: int
    walk: Callable[[], Iterator[Listed]]
    diagnostics: tuple[Diagnostic, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)  # What a run directory records about the tasks.

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Task]:
        return (listed.task() for listed in self.walk())

    def repeated(self, times: int) -> Tasks:
        """Return the tasks with each repeated, its repeats side by side, and all of them numbered."""

        def walk() -> Iterator[Listed]:
            for place, task in enumerate(self.walk()):
                for repeat in range(1, times + 1):
                    number = place * times + repeat
                    yield task._replace(repeat=(task.repeat - 1) * times + repeat, number=number)

        return replace(self, count=self.count * times, walk=walk)

    def only(self, gradings: Collection[tuple[str, str]]) -> Tasks:
        """Return the tasks of these pairs of case and submission, with their numbers; all if none is given."""
        if not gradings:
            return self
        named = frozenset(gradings)

        def walk() -> Iterator[Listed]:
            return (one for one in self.walk() if (one.case.id, one.name) in named)

        return replace(self, count=sum(1 for _ in walk()), walk=walk)

    def first(self, gradings: Collection[tuple[str, str]]) -> Tasks:
        """Return the tasks, with those of these pairs of case and submission first."""
        named = frozenset(gradings)

        def walk() -> Iterator[Listed]:
            for early in (True, False):
                yield from (one for one in self.walk() if ((one.case.id, one.name) in named) is early)

        return replace(self, walk=walk) if named else self

    def grouped(self, group: Callable[[Case], object]) -> Tasks:
        """Return the tasks with those of each group side by side, in the order of the groups' first tasks."""

        def walk() -> Iterator[Listed]:
            places: dict[object, int] = {}
            return iter(sorted(self.walk(), key=lambda one: places.setdefault(group(one.case), len(places))))

        return replace(self, walk=walk)

    def settled(self, cases: Mapping[tuple[str, str | None], Case]) -> Tasks:
        """Return the tasks with their cases replaced by these, by id and target."""

        def walk() -> Iterator[Listed]:
            return (one._replace(case=cases[one.case.id, one.case.target]) for one in self.walk())

        return replace(self, walk=walk)

    def of_shard(self, request: Request, cases: Iterable[Case]) -> Tasks:
        """Return the tasks of the request's shard, with their numbers in the whole run; all without a shard."""
        if request.shard is None:
            return self
        from gradebox.graders.grading.fingerprint import case_key  # noqa: PLC0415 - most runs are whole
        from gradebox.graders.grading.prepare import read_files  # noqa: PLC0415 - most runs are whole
        from gradebox.graders.runs.shards import Shard, kept_together  # noqa: PLC0415 - most runs are whole

        shard = Shard.read(request.shard)
        words = kept_together(cases, by_submission=bool(request.submissions))

        def walk() -> Iterator[Listed]:
            listed = self.walk()
            return (one for one in listed if shard.takes(words(one.case, one.name, one.repeat)))

        count, graded = 0, dict[str, Case]()
        for one in walk():
            count += 1
            graded[one.case.id] = one.case
        hashes = {name: case_key(case, read_files(case)) for name, case in graded.items()}
        return replace(self, count=count, walk=walk, record={"tasks": count, "case_hashes": hashes})

    @property
    def broken(self) -> bool:
        """Whether something that was requested cannot be graded."""
        return any(found.severity is Severity.ERROR for found in self.diagnostics)


def key_of_task(task: Task) -> Key:
    """Return the key under which a run stores the verdict of a task."""
    return key_for(task.case.id, task.case.target, task.submission.name, task.repeat)


def tasks_of(request: Request, cases: Sequence[Case], left_out: Container[str] = ()) -> Tasks:
    """Return the tasks of a request.

    A file of answers may also answer the cases `left_out`, which the selection excludes. Raises GraderError if a file
    or directory that the request names cannot be read.
    """
    if request.work_of is not None:
        return _kept(request.work_of, cases, left_out, request.only)
    if request.answers is not None:
        return _answers(cases, request.answers, left_out)
    if request.reference:
        references = [Task(case, _reference(case)) for case in cases]
        return Tasks(len(references), lambda: map(Listed.of, references))
    if readers := submission_readers(request.submissions, describe_internal_error, request.hand_ins):
        return Tasks(
            len(cases) * len(readers), lambda: (Listed(case, name, read) for case in cases for name, read in readers)
        )
    if request.targets is not None and all(case.target is None for case in cases):
        raise UsageRefused(
            "No case names a target.", remedy="Write `execution: {target: NAME}` into the case or its suite."
        )
    from gradebox.graders.targets.targets_file import resolve  # noqa: PLC0415 - only if submissions come from targets

    resolved = resolve(cases, os.environ, request.targets)
    # For a case without a target, the unchanged workspace is graded.
    tasks = [
        Task(case, maker, repeat=number)
        for case, target in resolved.cases
        for number, maker in enumerate(_tries(case, target, request.repeat), 1)
    ]
    return Tasks(len(tasks), lambda: map(Listed.of, tasks), in_order(resolved.findings))


def _kept(run: Path, cases: Iterable[Case], left_out: Container[str], only: Iterable[Status]) -> Tasks:
    from gradebox.graders.runs.kept.kept_tasks import kept_tasks  # noqa: PLC0415 - only for submissions of a run

    listed, findings = kept_tasks(run, cases, left_out, frozenset(only))
    return Tasks(
        len(listed),
        lambda: (Listed(one.case, one.key.submission, one.read, one.key.repeat) for one in listed),
        in_order(findings),
    )


def _tries(case: Case, target: Target | None, repeat: int) -> Sequence[Submission | Producer]:
    """Return what makes the submission of each try of a case; ``--repeat`` replaces the case's own number of tries."""
    from gradebox.graders.targets.cost_limit import CostLimited  # noqa: PLC0415 - only if submissions come from targets

    if target is None or case.trials is None or repeat > 1:
        return [target or UNTOUCHED]
    limit = case.trials.cost_limit_usd
    return [target if limit is None else CostLimited(target, limit)] * case.trials.count


def _reference(case: Case) -> Submission:
    reference = read_reference(case)
    if reference is None:
        raise UsageRefused(
            f"The case {case.id} has no reference.", remedy=f"Put the solution into {case.directory / 'reference'}."
        )
    return reference


def _answers(cases: Iterable[Case], file: Path, left_out: Container[str]) -> Tasks:
    """Return the tasks of grading many answers, without those to the cases `left_out`.

    The path is a file of JSON lines, or a file or directory with recorded runs of a foreign format. Raises
    SubmissionRefused if it cannot be read.
    """
    cases = list(cases)
    for plugin in plugins("gradebox.graders.formats", "gradebox.formats").values():
        found = plugin.load()
        run = found.recorded_run(file, cases, left_out) if isinstance(found, RunFormat) else None
        if run is not None:
            return _tasks_of(run)
    if file.is_dir():
        raise SubmissionRefused(f"{file} is a directory without recorded answers to these cases.")
    from gradebox.graders.submissions.answers_jsonl import read_answers  # noqa: PLC0415 - only for files of answers

    return _tasks_of(read_answers(file, cases, left_out))


def _tasks_of(answers: RecordedAnswers) -> Tasks:
    return Tasks(
        answers.count,
        lambda: (Listed.of(Task(case, submission)) for case, submission in answers.pairs()),
        in_order(answers.findings),
    )
