"""A check that failed with a complaint is run again without the submission, and that decides whose failure it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fake_supervisor import FakeEnd, FakeRun
from grading_bench import FAIL, PASS, Act, Bench, check, write

from graders.model.verdict import Status
from graders.runs import outcomes

LACKS = FakeEnd(exit_code=1, stderr=b"ModuleNotFoundError: No module named 'helper'\n")
GARBAGE = FakeEnd(stdout=b"no json")


def unless(path: str, act: FakeEnd, otherwise: FakeEnd = PASS) -> Act:
    """Return what does one thing where a file is missing and another where it is there."""

    def run(seen: FakeRun) -> FakeEnd:
        return otherwise if path in seen.files else act

    return run


def test_what_is_missing_without_the_submission_too_is_an_error(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": LACKS})
    graded = bench.grade(bench.case(check("judge"), check("other")), bench.submission({"a.py": ""}))
    first, second = graded.verdict.checks
    assert (first.status, first.score, second.status) == (Status.ERROR, None, Status.PASSED)
    assert first.reason.startswith("the grader cannot run, with any submission: the module `helper` was not found")
    assert graded.verdict.status is Status.ERROR
    # Only the check in doubt is run again, and without the submission.
    assert bench.watch.programs == ["judge", "other", "judge"]
    assert ["a.py" in run.files for run in bench.watch.runs] == [True, True, False]


def test_what_only_the_submission_prints_decides_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": lambda run: LACKS if "a.py" in run.files else FAIL})
    graded = bench.grade(bench.case(check("judge")), bench.submission({"a.py": ""}))
    assert (graded.verdict.checks[0].status, graded.verdict.checks[0].reason) == (Status.FAILED, "exit status 1")


def test_other_failures_cost_no_second_sandbox(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": FAIL})
    assert bench.grade(bench.case(check("judge"))).verdict.status is Status.FAILED
    assert bench.watch.programs == ["judge"]


def test_what_cannot_be_about_the_case_costs_no_second_sandbox(tmp_path: Path) -> None:
    own = b"  File \"/workspace/a.py\", line 1\nNameError: name 'x' is not defined\n"
    bench = Bench(tmp_path, {"judge": FakeEnd(exit_code=1, stderr=own), "json": GARBAGE})
    case = bench.case(check("judge"), check("json", protocol="json"))
    work = bench.submission({"a.py": ""})
    bench.grade(case, work)
    assert bench.watch.programs == ["judge", "json"]
    # With a reference, it may show that the error is the submission's.
    write(case.directory, {"reference/a.py": "1"})
    bench.grade(replace(case, reference=case.directory / "reference"), work)
    assert bench.watch.programs[2:] == ["judge", "json", "json"]


def test_the_untouched_workspace_itself_is_not_run_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": LACKS})
    assert bench.grade(bench.case(check("judge"))).verdict.status is Status.ERROR
    assert bench.watch.programs == ["judge"]


def test_the_reference_decides_where_there_is_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": unless("helper.py", LACKS), "broken": LACKS})
    case = bench.case(check("judge"), check("broken"), files={"reference/helper.py": ""})
    case = replace(case, reference=case.directory / "reference")
    graded = bench.grade(case, bench.submission({"a.py": ""}))
    assert [found.status for found in graded.verdict.checks] == [Status.FAILED, Status.ERROR]


def test_a_broken_grader_passes_nothing_where_a_failure_is_wanted(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": LACKS})
    checks = (
        check("judge", name="negated", negate=True),
        check("judge", name="control", control=check("judge").command),
    )
    graded = bench.grade(bench.case(*checks), bench.submission({"a.py": ""}))
    assert {found.status for found in graded.verdict.checks} == {Status.ERROR}


def test_an_error_that_the_reference_has_not_is_a_failure(tmp_path: Path) -> None:
    good = FakeEnd(stdout=b'{"score": 1}')
    bench = Bench(tmp_path, {"judge": lambda run: GARBAGE if "a.py" in run.files else good, "bad": GARBAGE})
    checks = (check("judge", protocol="json", negate=True), check("bad", protocol="json"))
    case = bench.case(*checks, files={"reference/b.py": ""})
    work = bench.submission({"a.py": ""})
    assert [found.status for found in bench.grade(case, work).verdict.checks] == [Status.ERROR, Status.ERROR]
    bench.settings.baselines.clear()
    graded = bench.grade(replace(case, reference=case.directory / "reference"), work)
    first, second = graded.verdict.checks
    assert (first.status, first.score, first.unfinished) == (Status.FAILED, 0.0, True)
    assert first.reason.endswith("; with the reference it works")
    assert second.status is Status.ERROR


def test_many_submissions_of_a_call_share_what_was_found(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": LACKS})
    case, work = bench.case(check("judge")), bench.submission({"a.py": ""})
    assert {bench.grade(case, replace(work, name=name)).verdict.status for name in "abc"} == {Status.ERROR}
    assert bench.watch.programs == ["judge"] * 4


def test_what_was_found_is_kept_with_the_outcomes(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": LACKS})
    graded = bench.grade(bench.case(check("judge")), bench.submission({"a.py": ""}))
    assert graded.outcomes is not None
    (kept,) = outcomes.decode(outcomes.encode(graded.outcomes)).done["judge"]
    assert kept.broken.startswith("the module `helper` was not found")


def test_a_reference_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": LACKS})
    case = replace(bench.case(check("judge")), reference=tmp_path / "nowhere")
    assert bench.grade(case, bench.submission({"a.py": ""})).verdict.status is Status.ERROR


def test_a_lost_sandbox_decides_nothing(tmp_path: Path) -> None:
    lost = FakeEnd(lost=True)
    bench = Bench(tmp_path, {"judge": lambda run: LACKS if "a.py" in run.files else lost})
    graded = bench.grade(bench.case(check("judge")), bench.submission({"a.py": ""}))
    assert graded.verdict.checks[0].status is Status.FAILED
