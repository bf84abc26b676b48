"""A code-grader with a test report, from the case to the verdict, on an engine whose commands are scripted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEnd, FakeRun
from grading_bench import FAIL, PASS, Act, Bench, check, command

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.composite import Composite
from gradebox.graders.model.tampering import TamperingKind
from gradebox.graders.model.verdict import Status
from gradebox.graders.model.verdict_document import document
from gradebox.graders.runners.test_reports.report_entry import ReportEntry
from gradebox.sandbox.protocol.frames import Cause

GOOD = b"1..2\nok 1 - a\nok 2 - b\n"
HALF = b"1..2\nok 1 - a\nnot ok 2 - b\n"
PATH = "out/r.tap"


def writes(report: bytes, end: FakeEnd = PASS) -> Act:
    def act(run: FakeRun) -> FakeEnd:
        run.files[PATH] = report
        return end

    return act


def submitted(act: Act, otherwise: Act = FAIL) -> Act:
    """Return what does one thing with a submission and another with the untouched workspace."""

    def run(seen: FakeRun) -> FakeEnd:
        chosen = act if "work.txt" in seen.files else otherwise
        return chosen(seen) if callable(chosen) else chosen

    return run


def asked(must_pass: tuple[str, ...] = (), must_exist: tuple[str, ...] = (), **changes: Any) -> CodeGrader:
    return check(
        "tests", report=ReportEntry(format="tap", path=PATH, must_pass=must_pass, must_exist=must_exist), **changes
    )


@pytest.mark.parametrize(
    ("spec", "act", "status", "score"),
    [
        (asked(), writes(GOOD), Status.PASSED, 1.0),
        (asked(), writes(HALF, FAIL), Status.FAILED, 0.5),
        (asked(required=True, min_score=0.5), writes(HALF, FAIL), Status.PASSED, 0.5),
        (asked(("a",)), writes(HALF, FAIL), Status.PASSED, 1.0),
        (asked(must_exist=("c", "d")), writes(HALF, FAIL), Status.FAILED, 0.25),
        (asked(negate=True), writes(b"1..4\nnot ok 1\nnot ok 2\nnot ok 3\nok 4", FAIL), Status.PASSED, 0.75),
        (asked(), FAIL, Status.FAILED, 0.0),
        (asked(), writes(GOOD, FakeEnd(exit_code=-9)), Status.FAILED, 0.0),
        (asked(), writes(GOOD, FakeEnd(cause=Cause.DEADLINE)), Status.FAILED, 0.0),
        (asked(), writes(GOOD, FakeEnd(cause=Cause.OUTPUT)), Status.FAILED, 0.0),
        (asked(), FakeEnd(lost=True), Status.ERROR, None),
    ],
)
def test_a_report_makes_a_score_in_parts(
    spec: CodeGrader, act: Act, status: Status, score: float | None, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, {"tests": act})
    verdict = bench.grade(bench.case(spec, threshold=0.6)).verdict
    (result,) = verdict.checks
    assert (result.status, result.score, verdict.tampering) == (status, score, ())


@pytest.mark.parametrize(
    "act",
    [
        writes(HALF, FAIL),
        FAIL,
        writes(GOOD, FAIL),
        PASS,
        writes(GOOD, FakeEnd(exit_code=-9)),
        FakeEnd(cause=Cause.DEADLINE),
    ],
)
def test_what_must_pass_is_a_gate_however_it_was_missed(act: Act, tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"tests": submitted(act)})
    case = bench.case(asked(("a", "b"), weight=1.0), check("rest", weight=9.0), threshold=0.5)
    verdict = bench.grade(case, bench.submission({"work.txt": ""})).verdict
    assert (verdict.status, verdict.missed, verdict.gated_score) == (Status.FAILED, ("tests",), 0.0)
    assert verdict.checks[0].reason.startswith("required and missed: ")
    assert verdict.score is not None
    assert verdict.score >= 0.9


@pytest.mark.parametrize("act", [PASS, writes(HALF), writes(b"")])
@pytest.mark.parametrize("negate", [False, True])
def test_a_report_that_disagrees_with_exit_status_0_is_tampering(act: Act, tmp_path: Path, *, negate: bool) -> None:
    bench = Bench(tmp_path, {"tests": submitted(act)})
    case = bench.case(asked(negate=negate, weight=1.0), check("rest", weight=9.0))
    verdict = bench.grade(case, bench.submission({"work.txt": ""})).verdict
    assert (verdict.status, verdict.checks[0].score) == (Status.FAILED, 0.0)
    assert [(found.kind, found.check) for found in verdict.tampering] == [(TamperingKind.REPORT_DISAGREES, "tests")]


def test_a_report_that_was_there_before_the_command_ran_does_not_count(tmp_path: Path) -> None:
    seen = []

    def act(run: FakeRun) -> FakeEnd:
        seen.append(PATH in run.files)
        return PASS

    bench = Bench(tmp_path, {"tests": submitted(act), "make": writes(GOOD)})
    case = bench.case(asked(setup=(command("make"),)), setup=(command("make"),))
    graded = bench.grade(case, bench.submission({PATH: GOOD.decode(), "work.txt": ""}))
    assert seen == [False]
    assert [found.kind for found in graded.verdict.tampering] == [TamperingKind.REPORT_DISAGREES]
    assert graded.removed == (PATH,)


def test_the_report_is_read_before_what_comes_after_the_command_can_change_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"tests": writes(HALF, FAIL), "clean": writes(GOOD)})
    verdict = bench.grade(bench.case(asked(teardown=(command("clean"),)))).verdict
    assert verdict.checks[0].score == 0.5


def test_a_control_that_passes_is_tampering_whatever_the_report_says(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"tests": writes(GOOD), "control": PASS})
    verdict = bench.grade(bench.case(asked(control=command("control")))).verdict
    assert ([found.kind for found in verdict.tampering], verdict.score) == ([TamperingKind.CONTROL_PASSED], 0.0)


def test_every_test_is_in_the_document(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"tests": writes(b"1..2\nok 1 - a\nnot ok 2 - b\x1b[2J\n", FAIL)})
    (found,) = document(bench.grade(bench.case(asked()))).checks
    assert found.reason == "1 of 2 passed; not passed: b\ufffd[2J"
    assert found.details["report"] == PATH
    assert found.details["tests"] == [{"name": "b\ufffd[2J", "state": "failed"}, {"name": "a", "state": "passed"}]


def test_a_member_of_a_composite_may_have_a_report_too(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"tests": writes(HALF, FAIL)})
    both = Composite(name="both", place=asked().place, assertions=(asked(("a", "b")), check("rest")))
    verdict = bench.grade(bench.case(both, threshold=0.1)).verdict
    assert (verdict.score, verdict.missed) == (0.75, ("both",))


def test_what_else_is_expected_of_the_command_still_is(tmp_path: Path) -> None:
    from gradebox.graders.checks.expect import Expect

    bench = Bench(tmp_path, {"tests": writes(GOOD, FakeEnd(stdout=b"ok"))})
    case = bench.case(asked(expect=Expect(stdout="ok")), check("tests", name="other", expect=Expect(stdout="no")))
    assert [result.score for result in bench.grade(case).verdict.checks] == [1.0, 0.0]


def test_no_listed_test_that_did_not_pass_is_cut_out_of_the_verdict(tmp_path: Path) -> None:
    names = tuple(f"tests/unit/test_something.py::TestEverything::test_number[{number}]" for number in range(3000))
    bench = Bench(tmp_path, {"tests": writes(HALF, FAIL)})
    (result,) = document(bench.grade(bench.case(asked(names)))).checks
    assert tuple(row["name"] for row in result.details["tests"][:3000]) == names


@pytest.mark.parametrize("negate", [False, True])
def test_a_file_that_does_not_load_scores_0_also_where_a_failure_is_wanted(*, negate: bool, tmp_path: Path) -> None:
    report = b"1..2\nok 1 - a\nnot ok 2 - /workspace/b.mjs\n  ---\n  exitCode: 1\n  ...\n"
    bench = Bench(tmp_path, {"tests": writes(report, FAIL)})
    (result,) = bench.grade(bench.case(asked(negate=negate))).verdict.checks
    assert (result.status, result.score, result.reason) == (Status.FAILED, 0.0, "b.mjs could not be loaded")
    assert result.details["not_loaded"] == {"b.mjs": ""}
