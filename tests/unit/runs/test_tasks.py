"""Which submissions are graded for which cases, and in which order."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.cases import load
from gradebox.graders.errors import UsageRefused
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.graders.runs.request import Request
from gradebox.graders.runs.tasks import Listed, Tasks, tasks_of

CASE = 'image: image\nassertions: [{name: it, type: code-grader, command: ["check"]}]\n'


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Case]:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"a/case.yaml": CASE, "b/case.yaml": CASE, "b/reference/x": "1", "one/x": "1", "two/x": "2"})
    return [*load(Path("a")).cases, *load(Path("b")).cases]


def pairs(tasks: Tasks) -> list[tuple[str, str]]:
    return [(task.case.id, task.submission.name) for task in tasks]


def test_every_case_is_graded_with_every_submission(cases: list[Case]) -> None:
    tasks = tasks_of(Request(cases=(), submissions=("one", "two")), cases)
    assert pairs(tasks) == [("a", "one"), ("a", "two"), ("b", "one"), ("b", "two")]
    assert len(tasks) == 4
    assert pairs(tasks) == pairs(tasks), "tasks can be walked through again"


def test_many_submissions_of_many_cases_take_little_memory(cases: list[Case]) -> None:
    paths = tuple(f"work/{number:05d}.diff" for number in range(3000))
    write(Path(), dict.fromkeys(paths, ""))

    def held() -> int:
        tracemalloc.start()
        try:
            tasks = tasks_of(Request(cases=(), submissions=paths), cases * 10)
            bytes_held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert len(tasks) == 20 * len(paths)
        return bytes_held

    # A name each, however many cases there are. The first call imports what it needs, and in any one of them Python
    # may enlarge its table of interned text, by 4 MB after thousands of other tests.
    assert min(held() for _ in range(3)) < 300 * len(paths)


def test_without_a_submission_the_workspace_is_graded(cases: list[Case]) -> None:
    assert [task.submission for task in tasks_of(Request(cases=()), cases)] == [UNTOUCHED, UNTOUCHED]


def test_the_label_of_an_answer_is_the_target_of_its_case(cases: list[Case]) -> None:
    lines = [f'{{"case": "a", "answer": "x", "name": "1", "target": "{target}"}}' for target in ("old", "new")]
    Path("answers.jsonl").write_text("\n".join(lines))
    tasks = tasks_of(Request(cases=(), answers=Path("answers.jsonl")), cases[:1])
    assert [(task.case.target, task.submission.name) for task in tasks] == [("old", "1"), ("new", "1")]
    # How a case is judged is found out once, whatever its answers are called.
    assert {listed.case.target for listed in tasks.walk()} == {None}


def test_repeats_are_side_by_side_and_numbered(cases: list[Case]) -> None:
    tasks = tasks_of(Request(cases=(), submissions=("one",)), cases).repeated(2)
    assert [(task.case.id, task.repeat, task.number) for task in tasks] == [
        ("a", 1, 1),
        ("a", 2, 2),
        ("b", 1, 3),
        ("b", 2, 4),
    ]
    assert len(tasks) == 4


def test_a_case_with_trials_is_tried_that_often_by_its_target(cases: list[Case], tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "targets.yaml": "[{name: agent, provider: mock, output: a}]",
            "t/EVAL.yaml": "execution: {target: agent, trials: {count: 2, cost_limit_usd: 1}}\n"
            "assertions: [{type: equals, value: a}]\ntests: [{id: x, input: i}, {id: y, input: i}]\n",
        },
    )
    tried = load(Path("t")).cases
    found = tasks_of(Request(cases=(), targets=Path("targets.yaml")), tried).repeated(1)
    assert [(task.case.id, task.repeat, task.number) for task in found] == [
        ("x", 1, 1),
        ("x", 2, 2),
        ("y", 1, 3),
        ("y", 2, 4),
    ]
    first, second, third, _ = (task.submission for task in found)
    assert first is second
    assert second is not third, "the tries of each case have costs of their own"
    # A request for repeats takes the place of the case's own number, and submissions are what they are.
    repeated = Request(cases=(), targets=Path("targets.yaml"), repeat=3)
    assert len(tasks_of(repeated, tried).repeated(3)) == 6
    assert len(tasks_of(Request(cases=(), submissions=("one",)), tried)) == 2


def test_a_case_without_a_reference_is_refused(cases: list[Case]) -> None:
    assert pairs(tasks_of(Request(cases=(), reference=True), cases[1:])) == [("b", "reference")]
    with pytest.raises(UsageRefused, match="The case a has no reference"):
        tasks_of(Request(cases=(), reference=True), cases)


def test_targets_need_a_case_that_names_one(cases: list[Case]) -> None:
    with pytest.raises(UsageRefused, match="No case names a target"):
        tasks_of(Request(cases=(), targets=Path("targets.yaml")), cases)


def test_tasks_of_some_submissions_keep_their_numbers(tmp_path: Path) -> None:
    names = [("c", "a"), ("c", "b"), ("d", "a"), ("d", "b")]
    listed = [Listed(Case(case, Place(tmp_path), tmp_path, ()), name, lambda: UNTOUCHED) for case, name in names]
    tasks = Tasks(4, lambda: iter(listed)).repeated(2)
    only = tasks.only([("c", "b"), ("x", "a")])
    assert [(one.case.id, one.name, one.number) for one in only.walk()] == [("c", "b", 3), ("c", "b", 4)]
    assert len(only) == 2
    first = tasks.first([("d", "a")])
    assert [one.number for one in first.walk()] == [5, 6, 1, 2, 3, 4, 7, 8]
    assert tasks.only(()) is tasks
    assert tasks.first(()) is tasks
