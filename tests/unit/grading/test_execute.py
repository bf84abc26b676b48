"""Whose fault it was, when grading does not go as planned: the candidate's, the author's or ours."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

import pytest
from fake_engine import FakeEnd, FakeEngine
from grading_bench import FAIL, PASS, Bench, Patient, check, command

from gradebox.graders.checks.items import Item, Items
from gradebox.graders.model.case import Place
from gradebox.graders.model.events import EngineRetried, StepStarted
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.errors import EngineRefused, EngineUnavailable, ImageUnavailable, SandboxLost
from gradebox.sandbox.protocol.frames import Cause

LOST = FakeEnd(lost=True)
NOT_FOUND = FakeEnd(cause=Cause.NOT_STARTED, errno=errno.ENOENT)
TOO_SLOW = FakeEnd(cause=Cause.DEADLINE)


@pytest.mark.parametrize(
    ("end", "gradable", "status", "said"),
    [
        (FAIL, False, Status.ERROR, "setup 1 (make x) failed: exit status 1"),
        (FAIL, True, Status.FAILED, "setup 1 (make x) failed: exit status 1"),
        (
            FakeEnd(exit_code=127, stderr=b"start\nsh: 1: git: not found\n"),
            False,
            Status.ERROR,
            "setup 1 (make x) failed: exit status 127 (sh: 1: git: not found)",
        ),
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
    assert (graded.verdict.score, graded.verdict.partial_score) == (None, 1.0)
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


@pytest.mark.parametrize(("failures", "status"), [(1, Status.PASSED), (4, Status.PASSED), (5, Status.ERROR)])
def test_an_engine_that_is_away_for_a_while_is_waited_for(tmp_path: Path, failures: int, status: Status) -> None:
    bench = Bench(tmp_path)
    bench.engine.refuse = [EngineUnavailable("Gone.", remedy="Start it.") for _ in range(failures)]
    graded = bench.grade(bench.case(check("run")))
    assert isinstance(bench.settings.stop, Patient)
    assert bench.settings.stop.waits == [1.0, 2.0, 4.0, 8.0][:failures]
    asked = [event for event in bench.events if isinstance(event, EngineRetried)]
    assert asked == [EngineRetried("Gone.", seconds) for seconds in (1.0, 2.0, 4.0, 8.0)[:failures]]
    assert graded.verdict.status is status
    if status is Status.ERROR:
        assert graded.verdict.reasons == ("Gone. Start it.",)


def test_any_other_refusal_is_an_error_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.engine.refuse = [ImageUnavailable("Gone.", remedy="Start it.")]
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


def test_a_diff_that_does_not_apply_has_failed_and_nothing_is_run(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    case = bench.case(check("run"), check("negated", negate=True), files={"workspace/a": "1\n"})
    graded = bench.grade(case, bench.diff("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-2\n+3\n"))
    assert (graded.verdict.status, graded.verdict.score, graded.verdict.gated_score) == (Status.FAILED, 0.0, 0.0)
    assert graded.verdict.reasons[0].startswith("The diff does not apply")
    assert bench.engine.created == []


@pytest.mark.parametrize("where", ["case/workspace/a", "work/a"])
def test_a_file_that_vanishes_while_it_is_graded_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    bench = Bench(tmp_path)
    image = bench.engine.image

    def remove(_: FakeEngine, reference: str) -> ImageInfo:
        (tmp_path / where).unlink()
        return image(reference)

    monkeypatch.setattr(FakeEngine, "image", remove)
    case = bench.case(check("run"), files={"workspace/a": "1"} if where.startswith("case") else {})
    graded = bench.grade(case, bench.submission({"b": "2", **({"a": "1"} if where.startswith("work") else {})}))
    assert graded.verdict.status is Status.ERROR
    assert where in graded.verdict.reasons[0]


def test_items_start_as_the_image_starts_their_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = ImageInfo("sha256:1", "image", labels={"io.gradebox.start.node": "/quick"})
    monkeypatch.setattr(FakeEngine, "image", lambda *_: image)
    bench = Bench(tmp_path)
    items = Items(
        name="items", place=Place(Path("case.yaml")), language="javascript", items=(Item(name="#1", code="0"),)
    )
    bench.grade(bench.case(items, check("node app.js")))
    assert bench.watch.programs == ["/quick", "node"]


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


@pytest.mark.parametrize(("runtime", "status"), [(None, Status.ERROR), ("runsc", Status.FAILED)])
def test_a_killed_sandbox_is_the_candidates_doing_only_where_it_has_a_kernel_of_its_own(
    tmp_path: Path, runtime: str | None, status: Status
) -> None:
    bench = Bench(tmp_path, {"first": LOST})
    bench.settings = replace(bench.settings, runtime=runtime)
    graded = bench.grade(bench.case(check("first", required=True), check("second")))
    assert graded.verdict.status is status
    assert {found.status for found in graded.verdict.checks} == {status}
    assert bench.watch.programs == ["first"]
