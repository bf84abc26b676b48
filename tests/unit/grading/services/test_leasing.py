"""Services that last serve one submission after the other, and each submission has them to itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fake_engine import FakeEnd, FakeEngine, FakeRun
from grading_bench import write
from service_bench import STORE, Serving

from gradebox.graders import Grader, Status, Submission, Task
from gradebox.graders.grading.services import group
from gradebox.graders.model.case import Case
from gradebox.graders.model.result import Result

CASE = "image: image\nservices: {store: {image: image, command: [store], ready: {port: 7000}%s}}\n"
CHECKS = "assertions: [{type: code-grader, command: [run]}]\n"
LASTS = ", per: run, reset: [clear]"
assert STORE.lasts is False


class Bench:
    def __init__(self, root: Path, more: str = LASTS) -> None:
        self.serving = Serving({"store": 7000})
        self.engine = FakeEngine(self.serving)
        self.root = root
        write(root, {"a/case.yaml": CASE % more + CHECKS, "b/case.yaml": CASE % more + CHECKS})

    def case(self, name: str) -> Case:
        from gradebox.graders import load_case

        return load_case(self.root / name)

    def graded(self, *names: str, jobs: int = 1) -> Iterator[Result]:
        tasks = [Task(self.case(name), Submission(f"work-{place}")) for place, name in enumerate(names)]
        with Grader(engine=self.engine) as grader:
            yield from grader.grade_many(tasks, jobs=jobs)

    def act(self, program: str, act: Callable[[FakeRun], FakeEnd]) -> None:
        self.serving.acts[program] = act


def test_each_submission_finds_services_that_were_reset_for_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert [result.verdict.status for result in bench.graded("a", "a", "a")] == [Status.PASSED] * 3
    assert bench.serving.began == ["store", "clear", *["run", "clear"] * 3]
    assert bench.engine.open_containers == ()
    assert bench.serving.open_ports == set()


def test_services_of_a_submission_are_started_for_each(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "")
    assert [result.verdict.status for result in bench.graded("a", "a")] == [Status.PASSED] * 2
    assert bench.serving.began == ["store", "run", "store", "run"]


def test_no_two_submissions_share_services_at_a_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    list(bench.graded(*"aaaa", jobs=2))
    # A sandbox beside services is never there while another one is.
    assert bench.serving.began.count("run") == 4
    assert bench.serving.began.count("clear") == 4 + bench.serving.began.count("store")
    assert 1 <= bench.serving.began.count("store") <= 2
    beside = [spec.beside for spec in bench.engine.created if spec.beside]
    assert len(set(beside)) == bench.serving.began.count("store")


def test_the_services_of_one_case_end_before_those_of_the_next_begin(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    list(bench.graded("a", "b", "a"))
    assert bench.serving.began == ["store", "clear", "run", "clear"] * 3


def test_services_that_a_submission_has_ended_serve_no_other(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    runs = iter(range(9))

    def run(_: FakeRun) -> FakeEnd:
        if next(runs) == 0:
            bench.serving.die("store", FakeEnd(exit_code=1))
            del bench.serving._dying["store"]
        return FakeEnd()

    bench.act("run", run)
    assert [result.verdict.status for result in bench.graded("a", "a")] == [Status.FAILED, Status.PASSED]
    assert bench.serving.began == ["store", "clear", "run", "store", "clear", "run", "clear"]


def test_services_whose_sandbox_was_lost_serve_no_other(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    runs = iter(range(9))
    bench.act("run", lambda _: FakeEnd(lost=next(runs) == 0))
    assert [result.verdict.status for result in bench.graded("a", "a")] == [Status.ERROR, Status.PASSED]
    assert bench.serving.began.count("store") == 2


def test_services_whose_reset_fails_serve_no_other(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    resets = iter(range(9))
    bench.act("clear", lambda _: FakeEnd(exit_code=int(next(resets) == 1)))
    results = list(bench.graded("a", "a", "a"))
    assert [result.verdict.status for result in results] == [Status.PASSED] * 3
    assert bench.serving.began == ["store", "clear", "run", "clear", "store", "clear", "run", "clear", "run", "clear"]


def test_services_that_are_no_longer_ready_serve_no_other(tmp_path: Path) -> None:
    bench = Bench(tmp_path, LASTS.replace(", per", ", per"))
    write(
        tmp_path, {"a/case.yaml": (CASE % LASTS + CHECKS).replace("port: 7000", "command: [up], timeout_seconds: 0.1")}
    )
    ready = iter([0, 1, 1, 1, 1, 1, 1, 1])
    bench.act("up", lambda _: FakeEnd(exit_code=next(ready, 0) if bench.serving.began.count("store") == 1 else 0))
    assert [result.verdict.status for result in bench.graded("a", "a")] == [Status.PASSED] * 2
    assert bench.serving.began.count("store") == 2


def test_services_that_live_too_short_for_another_submission_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "LASTING_SECONDS", 0.0)
    bench = Bench(tmp_path)
    list(bench.graded("a", "a"))
    assert bench.serving.began == ["store", "clear", "run", "clear"] * 2


def test_one_submission_alone_leaves_no_services(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    with Grader(engine=bench.engine) as grader:
        assert grader.grade(replace(bench.case("a"))).verdict.status is Status.PASSED
    assert bench.engine.open_containers == ()
