"""Sandboxes are made ahead where that helps, used once or never, and all gone at the end."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from grading_bench import write

from gradebox.graders import Grader, Status, Submission, Task, load_case
from gradebox.graders.grading.many import descriptors
from gradebox.graders.grading.many import spares as ahead
from gradebox.graders.grading.many.exclusive import Exclusive
from gradebox.graders.grading.many.pace import Pace
from gradebox.graders.grading.many.spares import Spares
from gradebox.graders.model.events import Event, JobsLimited
from gradebox.graders.runs.run_grader import RunGrader
from gradebox.sandbox.engines.engine import EngineInfo, ImageInfo
from gradebox.sandbox.errors import EngineRefused, EngineUnavailable
from gradebox.sandbox.limits import GIB, Limits
from gradebox.sandbox.types import SandboxSpec

SPEC = SandboxSpec("image")
OTHER = replace(SPEC, limits=Limits(pids=7))
CASE = 'image: image\nassertions: [{type: code-grader, command: ["check"]}]\n'


class Machine(FakeEngine):
    """An engine that says how large it is, and counts what it has at a time."""

    gib, processors, most_sandboxes = 64, 2, 0

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.RLock()
        self.most_open = 0

    def info(self) -> EngineInfo:
        return EngineInfo(
            "Fake",
            "1",
            "1.41",
            "x86_64",
            processors=self.processors,
            memory_bytes=self.gib * GIB,
            most_sandboxes=self.most_sandboxes,
        )

    def create(self, spec: SandboxSpec, image: ImageInfo, name: str | None = None) -> str:
        with self.lock:
            created = super().create(spec, image, name)
            self.most_open = max(self.most_open, len(self.open_containers))
            return created

    def remove(self, container: str) -> None:
        with self.lock:
            super().remove(container)


@pytest.fixture
def engine() -> Iterator[Machine]:
    engine = Machine()
    yield engine
    assert engine.open_containers == ()


def spares(engine: Machine, jobs: int = 1, waiting: int = 9) -> Spares:
    return Spares(engine, engine.info(), Pace(jobs), lambda: waiting, Exclusive())


def made(spares: Spares) -> int:
    """Return how many are there, once all of them are."""
    for spare in spares._spares:
        spare.sandbox.exception()
    return len(spares._spares)


def test_the_next_one_is_made_while_the_first_is_used_and_each_is_used_once(engine: Machine) -> None:
    with closing(spares(engine)) as some:
        assert some.take(SPEC) is None
        used = [some.take(SPEC) for _ in range(3)]
        assert None not in used
        assert len({id(sandbox) for sandbox in used}) == 3
        for sandbox in used:
            assert sandbox is not None
            some.remove(sandbox)
        assert made(some) == 1
    # The last one was never used. Each may live for as long as it was needed, and wait besides.
    assert len(engine.created) == 4
    assert engine.created[0].lifetime_seconds == SPEC.lifetime_seconds + ahead.IDLE_SECONDS


@pytest.mark.parametrize(("jobs", "waiting", "count"), [(1, 9, 1), (4, 9, 2), (4, 1, 1), (1, 0, 0)])
def test_there_are_as_many_as_jobs_processors_and_gradings_that_wait(
    engine: Machine, jobs: int, waiting: int, count: int
) -> None:
    with closing(spares(engine, jobs, waiting)) as some:
        some.take(SPEC)
        assert made(some) == count


@pytest.mark.parametrize(("gib", "count"), [(0, 0), (1, 0), (4, 1), (64, 2)])
def test_the_memory_of_the_engine_is_enough_for_all_of_them(engine: Machine, gib: int, count: int) -> None:
    engine.gib = gib
    with closing(spares(engine, jobs=2)) as some:
        some.take(SPEC)
        assert made(some) == count


def test_one_that_does_not_fit_is_removed(engine: Machine) -> None:
    with closing(spares(engine)) as some:
        some.take(SPEC)
        assert made(some) == 1
        assert some.take(OTHER) is None
        # Only where the same is needed again, the next one is made.
        assert made(some) == 0
        assert some.take(OTHER) is None
        assert made(some) == 1
        # A shorter life is a part of a longer one.
        found = some.take(replace(OTHER, lifetime_seconds=10.0))
        assert found is not None
        some.remove(found)
        assert some.take(replace(OTHER, lifetime_seconds=1e6)) is None


def test_one_that_has_waited_for_too_long_is_not_used(engine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "IDLE_SECONDS", -1.0)
    with closing(spares(engine)) as some:
        some.take(SPEC)
        assert some.take(SPEC) is None


def test_one_that_did_not_start_or_has_ended_is_nobodys_error(engine: Machine) -> None:
    with closing(spares(engine)) as some:
        engine.refuse.append(EngineRefused("Not now."))
        some.take(SPEC)
        assert made(some) == 1
        assert some.take(SPEC) is None
        assert made(some) == 1
        for container in engine.open_containers:
            engine.kill(container)
        assert some.take(SPEC) is None


def test_one_of_an_image_that_was_built_anew_is_not_used(engine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(spares(engine)) as some:
        some.take(SPEC)
        assert made(some) == 1
        monkeypatch.setattr(engine, "image", lambda reference: ImageInfo("sha256:new", reference))
        assert some.take(SPEC) is None


def graded(engine: Machine, directory: Path, jobs: int) -> list[Status]:
    write(directory / "case", {"case.yaml": CASE})
    tasks = [Task(load_case(directory / "case"), Submission(f"#{number}")) for number in range(20)]
    with Grader(engine=engine) as grader:
        return [found.verdict.status for found in grader.grade_many(tasks, jobs=jobs)]


def test_a_run_of_many_uses_what_it_has_made(engine: Machine, tmp_path: Path) -> None:
    assert graded(engine, tmp_path, jobs=2) == [Status.PASSED] * 20
    assert len(engine.created) == 20
    # Two are used, two are made and two are removed.
    assert engine.most_open <= 6


@pytest.mark.parametrize(("gib", "most"), [(2, 0), (64, 1)])
def test_a_small_engine_has_only_the_sandboxes_that_are_used(
    engine: Machine, tmp_path: Path, gib: int, most: int
) -> None:
    engine.gib, engine.most_sandboxes = gib, most
    assert graded(engine, tmp_path, jobs=1) == [Status.PASSED] * 20
    assert engine.most_open == 1


def test_an_engine_that_refuses_now_and_then_costs_no_verdict(engine: Machine, tmp_path: Path) -> None:
    engine.refuse = [EngineRefused("Not now.")] * 2
    assert graded(engine, tmp_path, jobs=1) == [Status.PASSED] * 20


def test_where_open_files_run_out_fewer_gradings_run_at_a_time(engine: Machine, tmp_path: Path) -> None:
    def full() -> EngineUnavailable:
        error = EngineUnavailable("There are too many open files.")
        error.__cause__ = OSError(errno.EMFILE, "Too many open files")
        return error

    engine.refuse = [full(), full(), full()]
    pace = Pace(8)
    write(tmp_path / "case", {"case.yaml": CASE})
    tasks = [Task(load_case(tmp_path / "case"), Submission(f"#{number}")) for number in range(20)]
    with Grader(engine=engine) as grader:
        assert {found.verdict.status for found in grader.grade_many(tasks, jobs=pace)} == {Status.PASSED}
    assert pace.jobs < 8


def test_a_process_that_may_open_few_files_is_told(
    engine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descriptors, "open_limit", lambda: 30)
    heard: list[Event] = []
    write(tmp_path / "case", {"case.yaml": CASE})
    with RunGrader(engine=engine).wired(emit=heard.append) as grader:
        list(grader.grade_many([Task(load_case(tmp_path / "case"))], jobs=8))
    (told,) = (event for event in heard if isinstance(event, JobsLimited))
    assert (told.jobs, "may open 30 files" in told.reason) == (1, True)
