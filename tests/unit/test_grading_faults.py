"""Whose fault it was, when grading does not go as planned: the candidate's, the author's or ours."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from grading_bench import FAIL, PASS, Bench, Patient, check, command

from graders import grading
from graders.checks import Item, Items
from graders.events import StepStarted
from graders.verdict import Status
from sandbox.deadline import Deadline
from sandbox.engine import ContainerState
from sandbox.errors import EngineRefused, EngineUnavailable, ImageUnavailable, SandboxLost
from sandbox.fake_engine import FakeEnd, FakeEngine, FakeRun
from sandbox.frames import Cause
from sandbox.types import KIB, Limits

LOST = FakeEnd(lost=True)
NOT_FOUND = FakeEnd(cause=Cause.NOT_STARTED, errno=errno.ENOENT)
TOO_SLOW = FakeEnd(cause=Cause.DEADLINE)


class Clock:
    """Makes a case's time pass when a command says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        after = SimpleNamespace(after=lambda seconds: Deadline.after(seconds, lambda: self.now))
        monkeypatch.setattr(grading, "Deadline", after)

    def taking(self, seconds: float, end: FakeEnd = PASS) -> Callable[[FakeRun], FakeEnd]:
        def act(run: FakeRun) -> FakeEnd:
            self.now += seconds
            return end

        return act


@pytest.mark.parametrize(
    ("end", "gradable", "status", "said"),
    [
        (FAIL, False, Status.ERROR, "setup 1 (make x) failed: exit status 1"),
        (FAIL, True, Status.FAILED, "setup 1 (make x) failed: exit status 1"),
        (TOO_SLOW, True, Status.FAILED, "setup 1 (make x) failed: timed out"),
        # What the candidate cannot be blamed for stays an error.
        (LOST, True, Status.ERROR, "setup 1 (make x) failed: sandbox lost"),
        (NOT_FOUND, True, Status.ERROR, "setup 1 (make x) failed: the program 'make' was not found"),
    ],
)
def test_a_setup_that_fails_keeps_every_check_from_running(
    tmp_path: Path, end: FakeEnd, status: Status, said: str, *, gradable: bool
) -> None:
    bench = Bench(tmp_path, {"make": end})
    setup = (command("make x"), command("second"))
    graded = bench.grade(bench.case(check("run"), setup=setup, setup_gradable=gradable))
    assert bench.watch.programs == ["make"]
    assert graded.verdict.status is status
    assert graded.verdict.reasons[0].startswith(said)
    assert graded.verdict.score == (0.0 if status is Status.FAILED else None)
    assert [step.passed for step in graded.own_steps] == [False]
    (found,) = graded.verdict.checks
    assert found.status is status
    assert found.reason.startswith(f"not run: {said}")


def test_a_check_that_never_ran_does_not_pass_by_being_negated(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"make": FAIL})
    case = bench.case(check("run", negate=True), setup=(command("make"),), setup_gradable=True)
    assert bench.grade(case).verdict.score == 0.0


def test_a_lost_sandbox_is_an_error_and_nothing_more_is_run_in_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"second": LOST})
    checks = (check("first"), check("second"), check("third", negate=True))
    graded = bench.grade(bench.case(*checks, teardown=(command("clean"),)))
    assert bench.watch.programs == ["first", "second"]
    assert graded.verdict.status is Status.ERROR
    assert [found.status for found in graded.verdict.checks] == [Status.PASSED, Status.ERROR, Status.ERROR]
    assert "sandbox had been lost before" in graded.verdict.checks[2].reason
    assert graded.verdict.score == 1.0
    assert graded.memory.memory_bytes is None
    assert sum(isinstance(event, StepStarted) for event in bench.events) == 2


@pytest.mark.parametrize(
    ("failures", "waits", "opened"), [(1, [0.5], True), (2, [0.5, 1.0], True), (3, [0.5, 1.0], False)]
)
def test_opening_is_tried_three_times_when_the_sandbox_is_lost(
    tmp_path: Path, failures: int, waits: list[float], *, opened: bool
) -> None:
    bench = Bench(tmp_path)
    bench.engine.refuse = [SandboxLost("It went away.") for _ in range(failures)]
    graded = bench.grade(bench.case(check("run")))
    assert isinstance(bench.settings.stop, Patient)
    assert bench.settings.stop.waits == waits
    assert graded.verdict.status is (Status.PASSED if opened else Status.ERROR)
    if not opened:
        assert "It went away." in graded.verdict.reasons[0]


@pytest.mark.parametrize(
    "error", [EngineUnavailable("Gone.", remedy="Start it."), ImageUnavailable("Gone.", remedy="Start it.")]
)
def test_any_other_refusal_is_an_error_at_once(tmp_path: Path, error: Exception) -> None:
    bench = Bench(tmp_path)
    bench.engine.refuse = [error]
    graded = bench.grade(bench.case(check("run")))
    assert (graded.verdict.status, graded.verdict.reasons) == (Status.ERROR, ("Gone. Start it.",))
    assert bench.watch.runs == []


def test_an_engine_that_refuses_a_container_is_asked_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.engine.refuse = [EngineRefused("Busy.", status=500)]
    assert bench.grade(bench.case(check("run"))).verdict.status is Status.PASSED


def test_a_missing_image_is_an_error_that_names_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    graded = bench.grade(bench.case(check("run"), image="absent"))
    assert graded.verdict.status is Status.ERROR
    assert "absent" in graded.verdict.reasons[0]
    assert bench.engine.created == []
    assert (graded.image, graded.image_id) == ("absent", "")


def test_when_the_time_of_the_case_is_over_the_rest_has_failed_without_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    bench = Bench(tmp_path, {"slow": clock.taking(11.0)})
    items = Items(name="items", place=check("x").place, language="bash", items=(Item("#1", "true"),))
    checks = (
        check("slow"),
        check("next"),
        check("negated", negate=True),
        check("built", setup=(command("make"),)),
        items,
    )
    graded = bench.grade(bench.case(*checks, timeout_seconds=10.0))
    assert bench.watch.programs == ["slow"]
    assert [(found.status, found.score) for found in graded.verdict.checks] == [(Status.PASSED, 1.0)] + [
        (Status.FAILED, 0.0)
    ] * 4
    assert "the whole case has 10 s" in graded.verdict.checks[1].reason
    assert sum(isinstance(event, StepStarted) for event in bench.events) == 1


def test_a_command_has_no_more_time_than_is_left_and_its_end_is_told_alike_every_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    bench = Bench(tmp_path, {"slow": clock.taking(7.25), "hangs": clock.taking(2.75, TOO_SLOW)})
    graded = bench.grade(bench.case(check("slow"), check("hangs", negate=True), timeout_seconds=10.0))
    assert bench.watch.runs[1].wall_us == 2_750_000
    found = graded.verdict.checks[1]
    assert (found.status, found.score) == (Status.FAILED, 0.0)
    assert found.reason == "timed out: It was still running when the 10 s of the whole case were over."


def test_nobody_comes_round_a_control_by_leaving_it_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    bench = Bench(tmp_path, {"bent": clock.taking(9.0), "control": clock.taking(1.0, TOO_SLOW)})
    graded = bench.grade(bench.case(check("bent", control=command("control")), timeout_seconds=10.0))
    assert (graded.verdict.status, graded.verdict.score) == (Status.FAILED, 0.0)


@pytest.mark.parametrize(
    ("program", "status", "score"),
    [
        ("no-such-tool", Status.ERROR, None),
        ("grading/run.sh", Status.ERROR, None),
        ("./build/program", Status.FAILED, 0.0),
    ],
)
def test_a_missing_program_is_the_authors_fault_unless_the_candidate_had_to_make_it(
    tmp_path: Path, program: str, status: Status, score: float | None
) -> None:
    bench = Bench(tmp_path, {program: NOT_FOUND})
    graded = bench.grade(bench.case(check(program, name="run"), files={"grading/run.sh": ""}))
    assert (graded.verdict.status, graded.verdict.score) == (status, score)


def test_whoever_uses_up_the_memory_of_the_sandbox_has_failed_in_all_that_comes_after(tmp_path: Path) -> None:
    class OutOfMemory(FakeEngine):
        def state(self, container: str) -> ContainerState:
            return ContainerState(running=False, exit_code=137, oom_killed=True)

    bench = Bench(tmp_path, {"hog": LOST})
    bench.engine = OutOfMemory(bench.watch)
    checks = (
        check("hog", control=command("control")),
        check("next", negate=True),
        check("x", setup=(command("make"),)),
    )
    graded = bench.grade(bench.case(*checks))
    assert bench.watch.programs == ["hog"]
    assert [(found.status, found.score) for found in graded.verdict.checks] == [(Status.FAILED, 0.0)] * 3
    assert "used up the memory" in graded.verdict.checks[1].reason


def test_a_diff_that_does_not_apply_has_failed_and_nothing_is_run(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    case = bench.case(check("run"), check("negated", negate=True), files={"workspace/a": "1\n"})
    graded = bench.grade(case, bench.diff("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-2\n+3\n"))
    assert (graded.verdict.status, graded.verdict.score, graded.verdict.gated_score) == (Status.FAILED, 0.0, 0.0)
    assert graded.verdict.reasons[0].startswith("The diff does not apply")
    assert bench.engine.created == []


SMALL = Limits(disk_bytes=64 * KIB)


@pytest.mark.parametrize(
    ("workspace", "grading_bytes", "work", "status"),
    [
        (1, 1, 100 * KIB, Status.FAILED),
        (40 * KIB, 1, 40 * KIB, Status.FAILED),
        # The case alone does not fit, whoever adds a little to it.
        (100 * KIB, 1, 0, Status.ERROR),
        (100 * KIB, 1, 10, Status.ERROR),
        (40 * KIB, 40 * KIB, 10, Status.ERROR),
        (40 * KIB, 10 * KIB, 1, Status.PASSED),
    ],
)
def test_what_does_not_fit_is_the_fault_of_whose_files_these_are(
    tmp_path: Path, workspace: int, grading_bytes: int, work: int, status: Status
) -> None:
    bench = Bench(tmp_path)
    files = {"workspace/a": "x" * workspace, "grading/b": "x" * grading_bytes}
    case = bench.case(check("plain"), check("cat grading/b"), files=files, limits=SMALL)
    graded = bench.grade(case, *([bench.submission({"c": "x" * work})] if work else []))
    assert graded.verdict.status is status
    if status is Status.FAILED:
        assert graded.verdict.reasons[0].startswith("The submission does not fit into the sandbox")
        assert "No space left" in graded.verdict.reasons[0]


def test_a_check_that_could_not_be_finished_is_not_judged_by_its_first_half(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    asked = check("run", control=command("control grading/b"))
    case = bench.case(asked, files={"grading/b": "x" * 40 * KIB}, limits=SMALL)
    graded = bench.grade(case, bench.submission({"c": "x" * 40 * KIB}))
    assert bench.watch.programs == ["run"]
    assert (graded.verdict.status, graded.verdict.checks[0].score) == (Status.FAILED, 0.0)


@pytest.mark.parametrize("where", ["case/workspace/a", "work/a"])
def test_a_file_that_vanishes_while_it_is_graded_is_an_error_that_names_it(tmp_path: Path, where: str) -> None:
    def remove(_: Any) -> str:
        (tmp_path / where).unlink()
        return "image"

    bench = Bench(tmp_path)
    object.__setattr__(bench.settings, "image_of", remove)
    case = bench.case(check("run"), files={"workspace/a": "1"} if where.startswith("case") else {})
    graded = bench.grade(case, bench.submission({"b": "2", **({"a": "1"} if where.startswith("work") else {})}))
    assert graded.verdict.status is Status.ERROR
    assert where in graded.verdict.reasons[0]


def test_nothing_begins_once_the_run_was_stopped(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.settings.stop.set()
    graded = bench.grade(bench.case(check("run")))
    assert (graded.verdict.status, graded.verdict.reasons) == (Status.ERROR, ("The run was interrupted.",))
    assert bench.engine.created == []


@pytest.mark.parametrize("gradable", [False, True])
def test_what_runs_while_the_run_is_stopped_is_the_last(tmp_path: Path, *, gradable: bool) -> None:
    bench = Bench(tmp_path, {"first": lambda run: bench.settings.stop.set() or PASS})
    case = bench.case(check("first"), check("second"), setup_gradable=gradable)
    graded = bench.grade(case)
    assert bench.watch.programs == ["first"]
    assert graded.verdict.status is Status.ERROR
    assert "interrupted" in graded.verdict.checks[1].reason
