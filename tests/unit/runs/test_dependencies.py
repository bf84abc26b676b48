"""Cases that depend on others: the order, and what becomes of those whose dependency did not pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.grading.task import Task
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.runs.dependencies import in_order, layers

PLACE = Place(Path("case.yaml"))
CHECK = CodeGrader(name="check", place=PLACE, command=CommandSpec(("true",)), required=True)


def task(name: str, *needs: str, on_failure: str = "skip", submission: str = "work", target: str | None = None) -> Task:
    case = Case(name, PLACE, Path(), (CHECK,), depends_on=needs, on_dependency_failure=on_failure, target=target)
    return Task(case, Submission(submission))


def run(
    tasks: list[Task], failing: Iterable[str] = (), broken: Iterable[str] = ()
) -> tuple[list[str], dict[str, Status]]:
    """Return what was really graded, in order, and every verdict."""
    graded: list[str] = []

    def grade_many(listed: Iterable[Task]) -> Iterator[Result]:
        for one in listed:
            graded.append(one.case.id)
            status = Status.FAILED if one.case.id in failing else Status.PASSED
            verdict = Verdict(status, 1.0, 1.0, None, 0.8, ())
            yield Result("0", one.case.id, one.submission.name, verdict, datetime.now(UTC), target=one.case.target)

    told = list(in_order(tasks, dependent=True, grade_many=grade_many, broken=frozenset(broken)))
    assert all(found.task.case.id == found.result.case for found in told)
    return graded, {found.result.case: found.result.verdict.status for found in told}


def test_a_case_comes_after_those_it_depends_on() -> None:
    graded, _ = run([task("c", "b"), task("b", "a"), task("a"), task("d")])
    assert graded == ["a", "d", "b", "c"]


@pytest.mark.parametrize(
    ("on_failure", "status", "ran"),
    [("skip", Status.NOT_JUDGED, False), ("fail", Status.FAILED, False), ("run", Status.PASSED, True)],
)
def test_what_becomes_of_a_case_whose_dependency_failed(on_failure: str, status: Status, *, ran: bool) -> None:
    graded, verdicts = run([task("a"), task("b", "a", on_failure=on_failure)], failing=["a"])
    assert verdicts == {"a": Status.FAILED, "b": status}
    assert ("b" in graded) is ran


@pytest.mark.parametrize(
    ("on_failure", "status", "ran"),
    [("skip", Status.NOT_JUDGED, False), ("fail", Status.FAILED, False), ("run", Status.PASSED, True)],
)
def test_what_is_broken_did_not_pass_for_whoever_depends_on_it(on_failure: str, status: Status, *, ran: bool) -> None:
    tasks = [task("b", "a", on_failure=on_failure), task("c", "b")]
    graded, verdicts = run(tasks, broken=["a"])
    assert verdicts == {"b": status, "c": Status.PASSED if ran else Status.NOT_JUDGED}
    assert graded == (["b", "c"] if ran else [])


def test_what_was_skipped_did_not_pass_either() -> None:
    _, verdicts = run([task("a"), task("b", "a"), task("c", "b")], failing=["a"])
    assert verdicts["c"] is Status.NOT_JUDGED


def test_a_dependency_that_was_not_selected_is_not_waited_for() -> None:
    assert run([task("b", "a")]) == (["b"], {"b": Status.PASSED})


def test_another_submissions_failure_is_none_of_this_ones() -> None:
    tasks = [
        task("a", submission="one"),
        task("a", submission="two"),
        task("b", "a", submission="one"),
        task("b", "a", submission="two"),
    ]

    def grade_many(listed: Iterable[Task]) -> Iterator[Result]:
        for one in listed:
            bad = (one.case.id, one.submission.name) == ("a", "two")
            verdict = Verdict(Status.FAILED if bad else Status.PASSED, 1.0, 1.0, None, 0.8, ())
            yield Result("0", one.case.id, one.submission.name, verdict, datetime.now(UTC))

    found = in_order(tasks, dependent=True, grade_many=grade_many)
    statuses = {(told.result.case, told.result.submission): told.result.verdict.status for told in found}
    assert statuses["b", "one"] is Status.PASSED
    assert statuses["b", "two"] is Status.NOT_JUDGED


@given(st.dictionaries(st.integers(0, 9).map(str), st.sets(st.integers(0, 9).map(str)), max_size=8))
def test_every_task_is_in_exactly_one_layer_even_in_a_circle(needs: dict[str, set[str]]) -> None:
    tasks = [task(name, *sorted(wanted)) for name, wanted in needs.items()]
    found = list(layers(tasks))
    assert sorted(one.case.id for layer in found for one in layer) == sorted(needs)
    assert all(found)


def test_without_dependencies_tasks_are_taken_one_by_one() -> None:
    taken: list[int] = []

    def many() -> Iterator[Task]:
        for number in range(1000):
            taken.append(number)
            yield task(str(number))

    def grade_many(listed: Iterable[Task]) -> Iterator[Result]:
        for one in listed:
            verdict = Verdict(Status.PASSED, 1.0, 1.0, None, 0.8, ())
            yield Result("0", one.case.id, "work", verdict, datetime.now(UTC))

    assert next(in_order(many(), dependent=False, grade_many=grade_many)).result.case == "0"
    assert len(taken) == 1


def test_nothing_follows_from_a_result_that_was_cut_off() -> None:
    """If a run is stopped, what depends on a case that was killed is as little graded as that is."""

    def grade_many(listed: Iterable[Task]) -> Iterator[Result]:
        # Nothing is begun after the first.
        for one in listed:
            if one.case.id == "a":
                verdict = Verdict(Status.ERROR, None, None, None, 0.8, ())
                yield Result("0", one.case.id, one.submission.name, verdict, datetime.now(UTC))

    kept: list[str] = []

    def withhold(one: Task, graded: Result) -> Result:
        kept.append(one.case.id)
        return graded

    tasks = [task("a"), task("b", "a"), task("c", "a", on_failure="fail")]
    found = in_order(
        tasks,
        dependent=True,
        grade_many=grade_many,
        withhold=withhold,
        void=lambda graded: graded.verdict.status is Status.ERROR,
    )
    assert [told.result.case for told in found] == ["a"]
    assert kept == []
