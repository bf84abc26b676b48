"""What using up the time, the memory or the space of a case comes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat
from pathlib import Path

import pytest
from fake_engine import FakeChannel, FakeEnd, FakeEngine, FakeRun
from grading_bench import PASS, Bench, Patient, check, command

from gradebox.graders.checks.items import Item, Items
from gradebox.graders.model.events import EngineRetried, StepStarted
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.transcript_json import parse_transcript
from gradebox.sandbox.engines.engine import ContainerState
from gradebox.sandbox.limits import KIB, Limits
from gradebox.sandbox.protocol.frames import STDIN_MAX, Cause, Type
from gradebox.sandbox.session import Sandbox

LOST = FakeEnd(lost=True)
TOO_SLOW = FakeEnd(cause=Cause.DEADLINE)


def taking(wall: float, end: FakeEnd = PASS, **used: float) -> FakeEnd:
    return replace(end, wall_seconds=wall, **used)  # type: ignore[arg-type]


def test_when_the_time_of_the_case_is_over_the_rest_has_failed_without_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, {"slow": taking(20.0)})
    items = Items(name="items", place=check("x").place, language="bash", items=(Item(name="#1", code="true"),))
    checks = (
        check("slow"),
        check("next"),
        check("negated", negate=True),
        check("built", setup=(command("make"),)),
        items,
    )
    resets: list[int] = []
    lay_out = Sandbox.reset
    monkeypatch.setattr(Sandbox, "reset", lambda box, uid, **others: (resets.append(uid), lay_out(box, uid, **others)))
    graded = bench.grade(bench.case(*checks, timeout_seconds=10.0))
    assert bench.watch.programs == ["slow"]
    # A thousand stages that will not run would outlive the sandbox if they were laid out.
    assert len(resets) == 1
    assert [(found.status, found.score) for found in graded.verdict.checks] == [(Status.PASSED, 1.0)] + [
        (Status.FAILED, 0.0)
    ] * 4
    assert "the time of the whole case is over: 10 s" in graded.verdict.checks[1].reason
    assert sum(isinstance(event, StepStarted) for event in bench.events) == 1


def test_a_command_has_no_more_time_than_is_left(tmp_path: Path) -> None:
    hangs = taking(4.5, TOO_SLOW, cpu_seconds=0.25)
    bench = Bench(tmp_path, {"slow": taking(8.0, cpu_seconds=7.75), "hangs": hangs})
    graded = bench.grade(bench.case(check("slow"), check("hangs", negate=True), timeout_seconds=10.0))
    assert [(run.cpu_us, run.wall_us) for run in bench.watch.runs] == [(10_000_000, 20_000_000), (2_250_000, 4_500_000)]
    found = graded.verdict.checks[1]
    assert (found.status, found.score) == (Status.FAILED, 0.0)
    assert found.reason == (
        "timed out: It was still running when the time of the whole case was over: "
        "10 s of processor time, or 20 s of wall time."
    )


def test_nobody_comes_round_a_control_by_leaving_it_no_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"bent": taking(18.0), "control": taking(2.0, TOO_SLOW)})
    graded = bench.grade(bench.case(check("bent", control=command("control")), timeout_seconds=10.0))
    assert (graded.verdict.status, graded.verdict.score) == (Status.FAILED, 0.0)


def test_time_in_which_others_hold_a_command_up_is_not_taken_from_the_case(tmp_path: Path) -> None:
    held = taking(40.0, cpu_seconds=1.0, held_up_seconds=39.0)
    bench = Bench(tmp_path, {"held": held})
    graded = bench.grade(bench.case(check("held"), check("held", name="again"), timeout_seconds=10.0))
    assert graded.verdict.status is Status.PASSED
    # The case's patience is used up by then, which is 280 s for its 10 s.
    assert [run.patience_us for run in bench.watch.runs] == [280_000_000, 241_000_000]


def test_a_sandbox_with_several_processors_has_their_processor_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for cpus in (0.5, 1.0, 4.0):
        bench.grade(bench.case(check("run", timeout_seconds=3), limits=Limits(cpus=cpus)))
    assert [(run.cpu_us, run.wall_us) for run in bench.watch.runs] == [
        (3_000_000, 6_000_000),
        (3_000_000, 6_000_000),
        (12_000_000, 6_000_000),
    ]


def test_the_factor_of_a_run_lengthens_every_limit_of_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"slow": taking(200.0)})
    case = bench.case(check("slow", timeout_seconds=100), check("run"), command_seconds=3.0, timeout_seconds=60.0)
    bench.grade(replace(case, time_factor=2.5))
    assert [run.cpu_us for run in bench.watch.runs] == [150_000_000, 7_500_000]
    assert bench.engine.created[0].lifetime_seconds > 2 * 150 + 3600


def busy_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: list[FakeEnd], queue: Iterator[float | None]
) -> tuple[Bench, Result]:
    monkeypatch.setattr(Sandbox, "queue", lambda _: next(queue))
    upcoming = iter(ends)
    bench = Bench(tmp_path, {"run": lambda _: next(upcoming)})
    return bench, bench.grade(bench.case(check("first"), check("run", setup=(command("make"),))))


STARVED = taking(65.0, FakeEnd(cause=Cause.STARVED), cpu_seconds=1.0, held_up_seconds=64.0)


def test_a_command_that_was_not_let_run_is_tried_once_more_from_the_start_of_its_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, graded = busy_machine(tmp_path, monkeypatch, [STARVED, PASS], iter([20.5, None, 1.5]))
    assert bench.watch.programs == ["first", "make", "run", "make", "run"]
    assert isinstance(bench.settings.stop, Patient)
    assert bench.settings.stop.waits == [1.0, 1.0]
    assert graded.verdict.status is Status.PASSED
    assert [event.number for event in bench.events if isinstance(event, StepStarted)] == [1, 2, 3, 2, 3]
    assert sum(isinstance(event, EngineRetried) for event in bench.events) == 1


@pytest.mark.parametrize(("queue", "tries"), [(0.5, 2), (20.0, 1)])
def test_a_machine_that_stays_busy_is_an_error_with_the_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, queue: float, tries: int
) -> None:
    bench, graded = busy_machine(tmp_path, monkeypatch, [STARVED] * 2, repeat(queue))
    assert bench.watch.programs.count("run") == tries
    assert graded.verdict.status is Status.ERROR
    found = graded.verdict.checks[1]
    assert (found.status, found.score) == (Status.ERROR, None)
    assert "for 64.0 s of 65.0 s of wall time. It got 1.0 s of processor time." in found.reason
    (step,) = (step for step in found.steps if step.role == "check")
    assert (step.outcome.usage.cpu_seconds, step.outcome.usage.held_up_seconds) == (1.0, 64.0)


def test_nobody_waits_for_a_quieter_machine_in_a_run_that_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(_: FakeRun) -> FakeEnd:
        bench.settings.stop.set()
        return STARVED

    monkeypatch.setattr(Sandbox, "queue", lambda _: 20.0)
    bench = Bench(tmp_path, {"run": act})
    assert bench.grade(bench.case(check("run"))).verdict.status is Status.ERROR
    assert bench.watch.programs == ["run"]


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
    assert "used up the whole sandbox's memory" in graded.verdict.checks[1].reason


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


@pytest.mark.parametrize(
    ("workspace", "work", "oom_killed", "status"),
    [
        (1, 40 * KIB, True, Status.FAILED),
        # The case alone takes too much, or it was something else.
        (40 * KIB, 10, True, Status.ERROR),
        (1, 0, True, Status.ERROR),
        (1, 40 * KIB, False, Status.ERROR),
    ],
)
def test_files_that_take_all_memory_are_the_fault_of_whose_files_these_are(
    tmp_path: Path, workspace: int, work: int, *, oom_killed: bool, status: Status
) -> None:
    class Small(FakeEngine):
        def state(self, container: str) -> ContainerState:
            return ContainerState(running=False, exit_code=137, oom_killed=oom_killed)

        def attach(self, container: str) -> FakeChannel:
            self._containers[container].channel = Tight(self.script, self.created[-1])
            return super().attach(container)

    class Tight(FakeChannel):
        def send(self, data: bytes, timeout_seconds: float) -> None:
            if data[4] == Type.SNAPSHOT:
                self.close()
            super().send(data, timeout_seconds)

    bench = Bench(tmp_path)
    bench.engine = Small(bench.watch)
    case = bench.case(check("x"), files={"workspace/a": "x" * workspace}, limits=Limits(memory_bytes=64 * KIB))
    graded = bench.grade(case, *([bench.submission({"c": "x" * work})] if work else []))
    assert graded.verdict.status is status
    if status is Status.FAILED:
        assert "took more than the 65536 bytes of memory" in graded.verdict.reasons[0]


def test_a_check_that_could_not_be_finished_is_not_judged_by_its_first_half(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    asked = check("run", control=command("control grading/b"))
    case = bench.case(asked, files={"grading/b": "x" * 40 * KIB}, limits=SMALL)
    graded = bench.grade(case, bench.submission({"c": "x" * 40 * KIB}))
    assert bench.watch.programs == ["run"]
    assert (graded.verdict.status, graded.verdict.checks[0].score) == (Status.FAILED, 0.0)


def test_an_answer_too_large_for_stdin_is_the_candidates_failure(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    said = parse_transcript(f'[{{"role": "assistant", "content": "{"x" * STDIN_MAX}"}}]')
    graded = bench.grade(bench.case(check("judge")), Submission("work", transcript=said))
    assert bench.watch.programs == []
    assert graded.verdict.status is Status.FAILED
    assert "too large for the grader's stdin" in graded.verdict.reasons[0]
