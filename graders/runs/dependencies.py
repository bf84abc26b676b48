"""Cases that depend on others: the order of grading, and the handling of dependencies that did not pass.

A case is graded after all cases in its `depends_on`. If one of these did not pass for the same submission and target,
or is broken, `on_dependency_failure` decides: ``skip`` leaves the case out (its verdict is ``not_judged``), ``fail``
fails it, ``run`` grades it anyway. Dependencies that this run does not select are ignored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from gradebox.graders.checks.results import error
from gradebox.graders.grading.task import Task
from gradebox.graders.model import verdict
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status, Verdict

GradeMany = Callable[[Iterable[Task]], Iterator[Result]]
Withhold = Callable[[Task, Result], Result]


class GradedTask(NamedTuple):
    task: Task
    result: Result


def in_order(
    tasks: Iterable[Task],
    *,
    dependent: bool,
    grade_many: GradeMany,
    broken: Container[str] = (),
    withhold: Withhold = lambda _, graded: graded,
    void: Callable[[Result], bool] = lambda _: False,
) -> Generator[GradedTask, None, None]:
    """Grade tasks, each after those that it depends on, and yield the results in that order.

    Without `dependent`, tasks are taken one by one, never all at once. `broken` are ids of selected cases that cannot
    be graded at all. `withhold` takes the result of a task that is not graded, and returns the result that counts.
    `void` says whether grading was cut off, so that a result is no verdict and does not affect dependent cases.
    """
    if not dependent:
        yield from _paired(tasks, grade_many)
        return
    known: dict[str, list[Result]] = {}
    for layer in layers(tuple(tasks)):
        ready: list[Task] = []
        for task in layer:
            unmet = _unmet(task, known, broken)
            if unmet is None or task.case.on_dependency_failure == "run":
                ready.append(task)
                continue
            graded = withhold(task, _withheld(task, unmet))
            known.setdefault(task.case.id, []).append(graded)
            yield GradedTask(task, graded)
        for done in _paired(ready, grade_many):
            if not void(done.result):
                known.setdefault(done.task.case.id, []).append(done.result)
            yield done


def layers(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    """Yield the tasks in groups, so that the dependencies of a task are in earlier groups. Pure.

    Circular cases, which loading refuses, would come last.
    """
    left = list(tasks)
    while left:
        open_ids = {task.case.id for task in left}
        layer: list[Task] = []
        later: list[Task] = []
        for task in left:
            (layer if open_ids.isdisjoint(task.case.depends_on) else later).append(task)
        yield layer or left
        left = later if layer else []


def _paired(tasks: Iterable[Task], grade_many: GradeMany) -> Iterator[GradedTask]:
    taken: deque[Task] = deque()

    def noted() -> Iterator[Task]:
        for task in tasks:
            taken.append(task)
            yield task

    for graded in grade_many(noted()):
        yield GradedTask(taken.popleft(), graded)


def _unmet(task: Task, known: dict[str, list[Result]], broken: Container[str]) -> str | None:
    """Return a description of the first dependency of a task that did not pass, None if all passed."""
    for needed in task.case.depends_on:
        if needed in broken:
            return f"{needed}, which is broken"
        found = [graded for graded in known.get(needed, ()) if graded.target == task.case.target]
        same = [graded for graded in found if graded.submission == task.submission.name]
        if any(graded.verdict.status is not Status.PASSED for graded in same or found):
            return f"{needed}, which did not pass"
    return None


def _withheld(task: Task, unmet: str) -> Result:
    case = task.case
    reason = f"not run: it depends on {unmet}"
    failed = case.on_dependency_failure == "fail"

    status, score = (Status.FAILED, 0.0) if failed else (Status.NOT_JUDGED, None)
    results = tuple(replace(error(check, case, reason), status=status, score=score) for check in case.checks)
    if failed:
        decided = verdict.decide(results, threshold=case.threshold, failures=[reason])
    else:
        decided = Verdict(Status.NOT_JUDGED, None, None, None, case.threshold, results, reasons=(reason,))
    return Result.of(case, task.submission.name, decided, repeat=task.repeat, number=task.number)
