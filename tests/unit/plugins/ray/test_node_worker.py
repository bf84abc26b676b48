"""A worker grades what it is sent, says what it cannot, and leaves nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from apart_fakes import Said, Told, runner
from fake_engine import FakeEnd, FakeEngine, FakeRun
from world import ABSENT, World

from gradebox.graders.grading.fingerprint import case_key
from gradebox.graders.grading.prepare import read_files
from gradebox.graders.grading.task import load_case
from gradebox.graders.model.submission import digest
from gradebox.graders.submissions.source import read_submission
from gradebox.plugins.ray import parcels
from gradebox.plugins.ray.node_worker import NodeWorker
from gradebox.sandbox.engines import docker
from gradebox.sandbox.errors import EngineUnavailable

OPTIONS: dict[str, Any] = {"host": None, "profile": "default", "runtime": None, "accept_weaker": "", "of_cases": {}}
TESTS = 'image: image\nassertions: [{type: code-grader, command: "pytest grading"}]\n'


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    world = World()
    monkeypatch.setattr(docker, "connect", lambda *_: FakeEngine(world))
    return world


@pytest.fixture
def worker(world: World) -> Iterator[NodeWorker]:
    del world
    paths = [Path("a"), Path("b")]
    files = parcels.case_files(paths, map(load_case, paths))
    worker = NodeWorker({**OPTIONS, "paths": [str(path.absolute()) for path in paths]}, 2, files)
    yield worker
    worker.close()
    assert not worker._directory.exists()


def asked(submission: str, case: str = "a", **more: Any) -> dict[str, Any]:
    loaded, work = load_case(case), read_submission(f"work/{submission}")
    words, files = parcels.packed_submission(work)
    return {
        "case": case, "target": None, "case_key": case_key(loaded, read_files(loaded)),
        "submission": words, "files": files, "digest": digest(work), "repeat": 1, "number": 7, "content": "",
        "crossing": None, **more,
    }  # fmt: skip


def test_it_grades_what_it_is_sent(worker: NodeWorker) -> None:
    assert worker.hello()["problem"] == ""
    results = [parcels.unpacked_result(worker.grade(asked(name, case))) for case in "ab" for name in ("one", "two")]
    assert [one.verdict.status.value for one in results] == ["passed", "failed"] * 2
    assert {one.number for one in results} == {7}


def test_the_target_of_an_answer_is_a_label_of_a_case_without_one(worker: NodeWorker) -> None:
    worker.hello()
    assert parcels.unpacked_result(worker.grade(asked("one", target="baseline"))).target == "baseline"


def test_a_verdict_that_still_holds_is_not_given_again(worker: NodeWorker, world: World) -> None:
    worker.hello()
    first = parcels.unpacked_result(worker.grade(asked("one")))
    count = world.graded
    assert worker.grade(asked("one", content=first.content)) == {"same": first.content}
    assert world.graded == count
    assert "result" in worker.grade(asked("two", content=first.content))


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"case_key": "other"}, "is another on this node"),
        ({"case": "c"}, "is missing on this node"),
        ({"digest": "other"}, "cannot be sent as it is"),
        ({"submission": b"no JSON"}, "It is not a submission"),
    ],
)
def test_what_is_not_what_was_asked_is_refused(worker: NodeWorker, more: dict[str, Any], why: str) -> None:
    worker.hello()
    assert why in worker.grade({**asked("one"), **more})["refused"]


def test_an_error_on_a_node_whose_engine_has_gone_is_no_verdict(
    worker: NodeWorker, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.hello()
    world.act = lambda _: ABSENT
    assert parcels.unpacked_result(worker.grade(asked("one"))).verdict.status.value == "error"

    def gone(_: FakeEngine) -> None:
        raise EngineUnavailable("It is gone.")

    monkeypatch.setattr(FakeEngine, "info", gone)
    assert worker.grade(asked("two")) == {"lost": "It is gone."}


def test_without_an_engine_nothing_is_graded(worker: NodeWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise EngineUnavailable("No engine.")

    monkeypatch.setattr(docker, "connect", refuse)
    assert worker.hello()["problem"] == "No engine."


def test_who_waits_when_it_is_stopped_is_told(worker: NodeWorker, world: World) -> None:
    worker.hello()
    begun, go_on = Event(), Event()

    def wait(_: FakeRun) -> FakeEnd:
        begun.set()
        go_on.wait(20)
        return FakeEnd(exit_code=0)

    world.act = wait
    replies: list[dict[str, Any]] = []
    names = ("one", "two", "three", "four")
    threads = [Thread(target=lambda name=name: replies.append(worker.grade(asked(name)))) for name in names]
    for thread in threads:
        thread.start()
    begun.wait(20)
    worker.stop()
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert len(replies) == 4
    assert {"lost": "The worker was stopped."} in replies
    assert worker.grade(asked("one")) == {"lost": "The worker was stopped."}


def test_files_go_with_a_process_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "files/deep").mkdir(parents=True)
    program = (
        "import os, pathlib, sys; from gradebox.plugins.ray.node_worker import _remover;"
        "kept = _remover(pathlib.Path(sys.argv[1]), 'unix:///nowhere.sock'); os.kill(os.getpid(), 9)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "files")], check=False, env=environment)
    until = time.monotonic() + 20
    while (tmp_path / "files").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not (tmp_path / "files").exists()


def test_a_node_finds_out_how_a_case_is_judged(worker: NodeWorker, world: World) -> None:
    worker.hello()
    assert worker.settle({**asked("one"), "known": None}) == {"crossing": None}
    assert "is another on this node" in worker.settle({**asked("one"), "known": None, "case_key": "other"})["refused"]
    assert "not a mapping" in worker.settle({**asked("one"), "known": [1]})["refused"]


def test_what_was_found_out_elsewhere_decides(world: World) -> None:
    text = f"{TESTS}reference_solution: reference\n"
    world.write("a/case.yaml", text)
    world.write("a/reference/answer", "right")
    world.write("a/grading/test_a.py", "")
    told: list[bool] = []

    def say(seen: Told) -> Said:
        told.append(seen.apart is not None)
        return Said()

    world.act = runner(say)
    worker = NodeWorker(
        {**OPTIONS, "paths": [str(Path("a").absolute())]}, 1, parcels.case_files([Path("a")], [load_case("a")])
    )
    try:
        worker.hello()
        found = worker.settle({**asked("one"), "known": None})["crossing"]
        assert (found["isolation"], told) == ("apart", [True, True])
        # Another node found it out, and here it would come out otherwise.
        told.clear()
        parcels.unpacked_result(worker.grade(asked("one", crossing={**found, "isolation": "in-process"})))
        parcels.unpacked_result(worker.grade(asked("two", crossing=found)))
        assert told == [False, True]
        assert worker.settle({**asked("one"), "known": {**found, "why": "known"}})["crossing"]["why"] == found["why"]
    finally:
        worker.close()
