"""Whatever nodes do, each grading has one verdict, and no more than the window is under way."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event as Flag
from threading import Lock
from typing import Any

import pytest
from world import World, the_run

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.grading.fingerprint import key_of
from gradebox.graders.grading.many.pace import Pace
from gradebox.graders.grading.task import Task, load_case
from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import Crossing, Isolation, as_document
from gradebox.graders.model.events import CaseGraded, EngineRetried, Event
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.runs.evidence_log import LOG, works_in
from gradebox.graders.submissions.packed_submission import unpacked
from gradebox.plugins.ray import parcels, ray_cluster, ray_grader
from gradebox.plugins.ray.ray_grader import ClusterNode, NodeLost, RayGrader

Act = Callable[[Mapping[str, Any]], Mapping[str, Any]]
PASSED = Verdict(Status.PASSED, 1.0, 1.0, None, 0.8, ())


def passed(asked: Mapping[str, Any], **more: Any) -> Mapping[str, Any]:
    submission = unpacked(asked["submission"], asked["files"])
    result = Result.of(load_case("a"), submission.name, PASSED, number=asked["number"])
    return parcels.packed_result(replace(result, content="c", **more))


class FakeNode:
    def __init__(self, name: str, slots: int = 1, act: Act = passed) -> None:
        self.name, self.slots, self.act = name, slots, act
        self.now = self.most = 0
        self._lock = Lock()

    def grade(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            return self.act(asked)
        finally:
            with self._lock:
                self.now -= 1

    def settle(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        return self.act(asked)


class FakeCluster:
    def __init__(self, *nodes: FakeNode) -> None:
        self.all = list(nodes)
        self.stopped = self.closed = False

    def nodes(self) -> Sequence[ClusterNode]:
        return list(self.all)

    def stop(self) -> None:
        self.stopped = True

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def _world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    World()


def tasks(count: int) -> list[Task]:
    case = load_case("a")
    return [Task(case, Submission(f"s{number}"), 1, number) for number in range(1, count + 1)]


def graded(cluster: FakeCluster, count: int, **more: Any) -> tuple[list[Result], list[Event]]:
    events: list[Event] = []
    kept: list[str] = []
    with RayGrader(cluster, emit=events.append, **more) as grader:
        results = list(grader.grade_many(tasks(count), jobs=Pace(1), keep=lambda _, one: kept.append(one.submission)))
    assert cluster.closed
    assert Counter(kept) == Counter(f"s{number}" for number in range(1, count + 1))
    assert [one.submission for one in results] == [f"s{number}" for number in range(1, count + 1)]
    assert sum(isinstance(event, CaseGraded) for event in events) == count
    return results, events


def test_a_node_never_has_more_than_twice_its_slots() -> None:
    def slow(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        time.sleep(0.01)
        return passed(asked)

    small, large = FakeNode("small", 1, slow), FakeNode("large", 3, slow)
    graded(FakeCluster(small, large), 40)
    assert 1 <= small.most <= 2
    assert 3 <= large.most <= 6


def test_jobs_limit_all_nodes_together() -> None:
    one, other = FakeNode("one", 4), FakeNode("other", 4)
    graded(FakeCluster(one, other), 12, jobs=1)
    assert one.most + other.most <= 2


def test_what_a_lost_node_had_is_graded_once_elsewhere() -> None:
    verdicts: list[int] = []

    def die(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        # It had a verdict already, which nobody reads any more.
        verdicts.append(asked["number"])
        cluster.all = [alive]
        raise NodeLost("the node has died")

    dying, alive = FakeNode("dying", 2, die), FakeNode("alive", 2)
    cluster = FakeCluster(dying, alive)
    results, events = graded(cluster, 20)
    assert all(one.verdict.status is Status.PASSED for one in results)
    again = [event.reason for event in events if isinstance(event, EngineRetried)]
    assert len(again) == len(verdicts) >= 1
    assert set(again) == {"node dying: the node has died"}


def test_what_no_node_can_grade_is_an_error_that_names_them() -> None:
    cluster = FakeCluster(*(FakeNode(name, 1, lambda _: {"lost": "no disk"}) for name in ("one", "two", "three")))
    ((result,), _) = graded(cluster, 1)
    assert result.verdict.status is Status.ERROR
    assert all(f"node {name}: no disk" in result.verdict.reasons[0] for name in ("one", "two", "three"))


def test_what_a_node_refuses_is_not_tried_again() -> None:
    ((result,), events) = graded(FakeCluster(FakeNode("one", 1, lambda _: {"refused": "Another case."})), 1)
    assert result.verdict.reasons[0].startswith("Node one: Another case.")
    assert not any(isinstance(event, EngineRetried) for event in events)


@pytest.mark.parametrize("reply", [{"submission": "s9"}, {"number": 9}, {"repeat": 2}])
def test_the_verdict_of_another_grading_does_not_count(reply: dict[str, Any]) -> None:
    cluster = FakeCluster(FakeNode("liar", 1, lambda asked: passed(asked, **reply)), FakeNode("honest"))
    results, _ = graded(cluster, 4)
    assert all(one.verdict.status is Status.PASSED for one in results)
    assert [one.number for one in results] == [1, 2, 3, 4]


def test_a_verdict_that_the_run_has_is_taken_if_the_node_says_that_it_holds() -> None:
    before = {f"s{number}": Result.of(load_case("a"), f"s{number}", PASSED, number=number) for number in (1, 2)}
    before = {name: replace(one, content="old") for name, one in before.items()}

    def act(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"same": "old"} if asked["content"] == "old" and asked["number"] == 1 else passed(asked)

    known = {key_of(one): one for one in before.values()}
    results, events = graded(
        FakeCluster(FakeNode("one", 1, act)), 3, known=lambda key, content: known.get(key) if content != "c" else None
    )
    assert [one.id == before[one.submission].id for one in results[:2]] == [True, False]
    assert [event.found_before for event in events if isinstance(event, CaseGraded)].count(True) == 1


def test_a_bug_that_one_submission_causes_ends_no_run() -> None:
    def act(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        if asked["number"] == 2:
            raise RuntimeError("a bug")
        return passed(asked)

    results, _ = graded(FakeCluster(FakeNode("one", 1, act)), 3)
    assert [one.verdict.status.value for one in results] == ["passed", "error", "passed"]


def test_a_node_may_join_late() -> None:
    cluster = FakeCluster()

    class Joining(FakeCluster):
        def nodes(self) -> Sequence[ClusterNode]:
            self.asked = getattr(self, "asked", 0) + 1
            return [FakeNode("late")] if self.asked > 3 else []

    cluster = Joining()
    ((result,), _) = graded(cluster, 1)
    assert result.verdict.status is Status.PASSED


def test_without_nodes_a_run_waits_no_longer_than_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_grader, "WAIT_SECONDS", 0.0)
    ((result,), _) = graded(FakeCluster(), 1)
    assert result.verdict.reasons[0].startswith("No node could grade this.")


def test_what_is_stopped_ends_on_all_nodes() -> None:
    stopped = Flag()

    def wait(_: Mapping[str, Any]) -> Mapping[str, Any]:
        assert stopped.wait(20)
        return {"lost": "The worker was stopped."}

    class Stopping(FakeCluster):
        def stop(self) -> None:
            super().stop()
            stopped.set()

    cluster = Stopping(FakeNode("one", 2, wait))
    grader = RayGrader(cluster)
    results = grader.grade_many(tasks(9), jobs=Pace(1))
    import threading

    threading.Timer(0.2, grader.stop).start()
    found = list(results)
    assert cluster.stopped
    assert grader.stopped
    assert len(found) <= 4
    assert all(one.verdict.status is Status.ERROR for one in found)


def with_reference() -> Case:
    for name in ("reference", "grading"):
        Path(f"a/{name}").mkdir()
    checks = 'image: image\nassertions: [{type: code-grader, command: "pytest grading"}]\n'
    Path("a/case.yaml").write_text(checks)
    return load_case("a")


def test_a_node_settles_a_case_and_all_of_them_are_told() -> None:
    found = Crossing(Isolation.APART, {"code-grader": {"a": frozenset({"call"})}})
    seen: list[Mapping[str, Any]] = []

    def act(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        seen.append(asked)
        return passed(asked) if "submission" in asked else {"crossing": as_document(found)}

    grader = RayGrader(FakeCluster(FakeNode("a", act=act)))
    case = with_reference()
    settled = grader.settle(case, found)
    assert (settled.crossing, seen[0]["known"]) == (found, as_document(found))
    list(grader.grade_many([Task(settled, Submission("s"), 1, 1)], jobs=Pace(1)))
    assert seen[1]["crossing"] == as_document(found)
    # The case is the same with and without it.
    assert seen[0]["case_key"] == seen[1]["case_key"]


@pytest.mark.parametrize(
    ("answer", "why"), [({"problem": "no time"}, "no time"), ({"refused": "missing"}, "missing"), ({"crossing": 1}, "")]
)
def test_what_no_node_can_settle_is_an_error(answer: Mapping[str, Any], why: str) -> None:
    grader = RayGrader(FakeCluster(FakeNode("a", act=lambda _: answer)))
    settled = grader.settle(with_reference())
    assert settled.crossing is not None
    assert settled.crossing.problem
    assert why in settled.crossing.problem
    (result,) = grader.grade_many([Task(settled, Submission("s"), 1, 1)], jobs=Pace(1))
    assert result.verdict.status is Status.ERROR


def test_a_lost_node_is_not_asked_again() -> None:
    def lose(_: Mapping[str, Any]) -> Mapping[str, Any]:
        raise NodeLost("gone")

    grader = RayGrader(FakeCluster(FakeNode("a", act=lose), FakeNode("b", act=lambda _: {"crossing": None})))
    assert grader.settle(with_reference()).crossing is None


def test_submissions_that_a_run_kept_are_sent_and_kept_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Submission] = []

    def noted(asked: Mapping[str, Any]) -> Mapping[str, Any]:
        sent.append(unpacked(asked["submission"], asked["files"]))
        return passed(asked)

    run(["-c", "a", "-s", "work/one", "-q"])
    shutil.rmtree("work")
    monkeypatch.setattr(ray_cluster, "case_files", lambda *_: b"")
    monkeypatch.setattr(ray_cluster, "RayCluster", lambda *_, **__: FakeCluster(FakeNode("node", act=noted)))
    assert run(["regrade", str(the_run()), "--execute", "--on", "auto", "--runs", "again", "-q"]) == ExitCode.PASSED
    assert [one.tree.entries["answer"].data for one in sent] == [b"right"]
    (again,) = Path("again").glob("[!.]*")
    assert len([*works_in(again / LOG)]) == 1
