"""What using up the time, the memory or the space of a case comes to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_engine import FakeChannel, FakeEnd, FakeEngine, FakeRun
from grading_bench import PASS, Bench, check, command

from graders.checks.items import Item, Items
from graders.grading import execute
from graders.model.events import StepStarted
from graders.model.submission import Submission
from graders.model.verdict import Status
from graders.submissions.transcript_json import parse_transcript
from sandbox.deadline import Deadline
from sandbox.engines.engine import ContainerState
from sandbox.protocol.frames import STDIN_MAX, Cause, Type
from sandbox.session import Sandbox
from sandbox.types import KIB, Limits

LOST = FakeEnd(lost=True)
TOO_SLOW = FakeEnd(cause=Cause.DEADLINE)


class Clock:
    """Makes a case's time pass when a command says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        after = SimpleNamespace(after=lambda seconds: Deadline.after(seconds, lambda: self.now))
        monkeypatch.setattr(execute, "Deadline", after)

    def taking(self, seconds: float, end: FakeEnd = PASS) -> Callable[[FakeRun], FakeEnd]:
        def act(run: FakeRun) -> FakeEnd:
            self.now += seconds
            return end

        return act


def test_when_the_time_of_the_case_is_over_the_rest_has_failed_without_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    bench = Bench(tmp_path, {"slow": clock.taking(11.0)})
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
    monkeypatch.setattr(Sandbox, "reset", lambda sandbox, uid: (resets.append(uid), lay_out(sandbox, uid)))
    graded = bench.grade(bench.case(*checks, timeout_seconds=10.0))
    assert bench.watch.programs == ["slow"]
    # A thousand stages that will not run would outlive the sandbox if they were laid out.
    assert len(resets) == 1
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
