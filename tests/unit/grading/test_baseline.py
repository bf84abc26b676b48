"""A case with a check in doubt is graded again without the submission, and that decides whose failure it is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from apart_fakes import Said, Told, runner
from fake_engine import FakeEngine
from fake_supervisor import FakeEnd, FakeRun
from grading_bench import FAIL, PASS, Act, Bench, check, write
from world import CHECK, World, the_run, verdicts

from gradebox.graders import Grader
from gradebox.graders.checks.composite import Composite
from gradebox.graders.checks.text import patterns
from gradebox.graders.checks.text.regex import Regex
from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.grading.baseline_cache import BaselineCache
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.runs import outcomes
from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.protocol.frames import Cause

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
    # The case is graded again without the submission.
    assert bench.watch.programs == ["judge", "other"] * 2
    assert ["a.py" in run.files for run in bench.watch.runs] == [True, True, False, False]


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
    bench = Bench(tmp_path, {"judge": FakeEnd(exit_code=1, stderr=own)})
    case, work = bench.case(check("judge")), bench.submission({"a.py": ""})
    bench.grade(case, work)
    write(case.directory, {"reference/a.py": "1"})
    bench.grade(replace(case, reference=case.directory / "reference"), work)
    assert bench.watch.programs == ["judge"] * 2


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


GOOD = FakeEnd(stdout=b'{"score": 1}')
NOT_FOUND = FakeEnd(cause=Cause.NOT_STARTED, errno=2)


def with_work(act: FakeEnd, otherwise: FakeEnd) -> Act:
    """Return what does one thing with the submission and another without it."""
    return unless("a.py", otherwise, act)


@pytest.mark.parametrize("subject", ["the reference", "the untouched workspace"])
def test_an_error_that_only_the_submission_has_is_its_failure(tmp_path: Path, subject: str) -> None:
    bench = Bench(tmp_path, {"judge": with_work(GARBAGE, GOOD), "bad": GARBAGE})
    checks = (check("judge", protocol="json", negate=True), check("bad", protocol="json"))
    case = bench.case(*checks, files={"reference/b.py": ""})
    if subject == "the reference":
        case = replace(case, reference=case.directory / "reference")
    first, second = bench.grade(case, bench.submission({"a.py": ""})).verdict.checks
    assert (first.status, first.score, first.unfinished) == (Status.FAILED, 0.0, True)
    assert first.reason.endswith(f"; with {subject} it works")
    assert second.status is Status.ERROR


def test_of_a_composite_only_the_member_that_the_submission_breaks_is_its_failure(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": with_work(GARBAGE, GOOD), "fine": GOOD})
    members = (check("judge", protocol="json"), check("fine", protocol="json"))
    composite = Composite(name="both", assertions=members)
    (found,) = bench.grade(bench.case(composite), bench.submission({"a.py": ""})).verdict.checks
    assert (found.status, found.score, found.unfinished) == (Status.FAILED, 0.5, True)


@pytest.mark.parametrize(
    ("acts", "status"),
    [
        # The program is there without the submission.
        ({"judge": with_work(NOT_FOUND, PASS)}, Status.FAILED),
        ({"judge": NOT_FOUND}, Status.ERROR),
        # Its setup succeeds without the submission.
        ({"setup": with_work(FAIL, PASS)}, Status.FAILED),
        ({"setup": FAIL}, Status.ERROR),
        # A sandbox that is lost says nothing.
        ({"judge": FakeEnd(lost=True)}, Status.ERROR),
        ({"judge": with_work(FakeEnd(lost=True), PASS)}, Status.ERROR),
        ({"setup": with_work(FakeEnd(lost=True), PASS)}, Status.ERROR),
        ({"setup": with_work(FAIL, FakeEnd(lost=True))}, Status.ERROR),
    ],
)
@pytest.mark.parametrize("of_check", [True, False])
def test_what_works_without_the_submission_decides(
    tmp_path: Path, acts: dict[str, Act], status: Status, *, of_check: bool
) -> None:
    bench = Bench(tmp_path, acts)
    setup = (check("setup").command,)
    case = bench.case(check("judge", setup=setup)) if of_check else bench.case(check("judge"), setup=setup)
    graded = bench.grade(case, bench.submission({"a.py": ""}))
    assert graded.verdict.status is status, graded.verdict.reasons
    if status is Status.FAILED:
        assert "with the untouched workspace it works" in f"{graded.verdict}".lower()
        assert graded.verdict.gated_score == 0.0


@pytest.mark.parametrize(
    ("network", "statuses"),
    [
        (Network.NONE, [Status.FAILED, Status.FAILED]),
        (Network.SETUP, [Status.ERROR, Status.FAILED]),
        (Network.BRIDGE, [Status.ERROR, Status.ERROR]),
    ],
)
def test_what_has_a_network_stays_an_error(tmp_path: Path, network: Network, statuses: list[Status]) -> None:
    bench = Bench(tmp_path, {"setup": with_work(FAIL, PASS), "json": with_work(GARBAGE, GOOD)})
    judge, limits, work = check("json", protocol="json"), Limits(network=network), bench.submission({"a.py": ""})
    cases = bench.case(judge, setup=(check("setup").command,), limits=limits), bench.case(judge, limits=limits)
    assert [bench.grade(case, work).verdict.status for case in cases] == statuses


def test_a_text_that_makes_a_pattern_endless_is_its_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(patterns.found.__kwdefaults__, "seconds", 0.2)
    bench = Bench(tmp_path)
    case = bench.case(Regex(name="regex", value="(a|aa)+$"))
    graded = bench.grade(case, Submission("long", output="a" * 5000 + "b"))
    assert (graded.verdict.status, graded.verdict.score) == (Status.FAILED, 0.0)
    assert "took longer than" in graded.verdict.checks[0].reason
    assert bench.watch.programs == []


def test_many_submissions_share_one_run_without_any(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": with_work(GARBAGE, GOOD)})
    case, work = bench.case(check("judge", protocol="json")), bench.submission({"a.py": ""})
    with ThreadPoolExecutor(8) as pool:
        graded = pool.map(lambda name: bench.grade_beside_others(case, replace(work, name=str(name))), range(20))
        assert {one.verdict.status for one in graded} == {Status.FAILED}
    assert bench.watch.programs == ["judge"] * 21
    # Nor is it run when nothing is in doubt, or when an earlier process has run it.
    bench.watch.runs.clear()
    bench.settings = replace(bench.settings, baselines=BaselineCache(tmp_path / "kept"))
    for _ in range(2):
        bench.grade(case, work)
        bench.settings = replace(bench.settings, baselines=BaselineCache(tmp_path / "kept"))
    assert bench.watch.programs == ["judge"] * 3
    write(case.directory, {"workspace/changed.py": ""})
    bench.grade(case, work)
    assert bench.watch.programs == ["judge"] * 5


def test_what_was_found_is_kept_with_the_outcomes(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": LACKS})
    work = bench.submission({"a.py": ""})
    graded = bench.grade(bench.case(check("judge")), work)
    assert graded.outcomes is not None
    (kept,) = outcomes.decode(outcomes.encode(graded.outcomes)).done["judge"]
    assert kept.broken.startswith("the module `helper` was not found")
    bench.watch.acts = {"judge": with_work(GARBAGE, GOOD)}
    graded = bench.grade(bench.case(check("judge", protocol="json")), replace(work, name="b"))
    assert graded.outcomes is not None
    assert outcomes.decode(outcomes.encode(graded.outcomes)).works_with == {"judge": "the untouched workspace"}


def test_a_reference_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"judge": LACKS})
    case = replace(bench.case(check("judge")), reference=tmp_path / "nowhere")
    assert bench.grade(case, bench.submission({"a.py": ""})).verdict.status is Status.ERROR


def test_a_lost_sandbox_decides_nothing(tmp_path: Path) -> None:
    lost = FakeEnd(lost=True)
    bench = Bench(tmp_path, {"judge": lambda run: LACKS if "a.py" in run.files else lost})
    graded = bench.grade(bench.case(check("judge")), bench.submission({"a.py": ""}))
    assert graded.verdict.checks[0].status is Status.FAILED


def test_every_way_to_grade_decides_alike_whose_error_it_is(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.act = lambda ran: GARBAGE if ran.files.get("answer") == b"wrong" else GOOD
    world.write("a/case.yaml", CHECK.replace("type: code-grader", "type: code-grader, protocol: json"))
    world.write("a/reference/answer", "right")
    world.write("a/workspace/answer", "unfinished")
    assert run(["-c", "a", "-s", "work/two", "-s", "work/four", "-q"]) == ExitCode.FAILED
    first = the_run()
    assert [(verdict, score) for *_, verdict, score in verdicts(first)] == [("failed", 0.0)] * 2
    # The reference is graded once, and not again while nothing has changed.
    assert world.graded == 3
    assert run(["--resume", str(first), "--rerun", "failed", "-q"]) == ExitCode.FAILED
    assert world.graded == 5
    assert run(["regrade", str(first), "-q"]) == ExitCode.FAILED
    assert world.graded == 5
    result = Grader(engine=FakeEngine(world)).grade("a", "work/two")
    assert "with the reference it works" in result.verdict.checks[0].reason
    world.write("a/submissions/spoils/answer", "wrong")
    world.write("a/submissions/verdicts.yaml", "spoils: {verdict: failed, score: 0}")
    capsys.readouterr()
    run(["check", "a", "--json"])
    assert '"spoils", "repeat": 1, "verdict": "failed", "score": 0.0' in capsys.readouterr().out


def limited(bench_root: Path, *, reference: bool, with_reference: bool = True, **changes: Any) -> Verdict:
    """Grade a submission whose tests meet a limit of judging apart, as they do with the reference or not."""

    def say(told: Told) -> Said:
        is_work = "a.py" in told.files
        return Said(passed=False, lines=["limit numpy arrays"]) if is_work or reference else Said()

    bench = Bench(bench_root, {"python3": runner(say)})
    asked = check("python3 -m pytest grading", name="tests", adapter="pytest", isolation="apart", **changes)
    case = bench.case(asked, files={"grading/test_a.py": "", "reference/b.py": ""})
    if with_reference:
        case = replace(case, reference=case.directory / "reference")
    return bench.grade(case, bench.submission({"a.py": ""})).verdict


LIMIT = "a limit of `isolation: apart`: numpy arrays"


@pytest.mark.parametrize("with_reference", [True, False])
def test_a_limit_that_the_reference_meets_is_an_error_of_the_case(tmp_path: Path, *, with_reference: bool) -> None:
    (found,) = limited(tmp_path, reference=True, with_reference=with_reference).checks
    assert (found.status, found.reason) == (Status.ERROR, LIMIT)


@pytest.mark.parametrize("with_reference", [True, False])
def test_a_limit_that_the_submission_alone_meets_is_its_failure(tmp_path: Path, *, with_reference: bool) -> None:
    (found,) = limited(tmp_path, reference=False, with_reference=with_reference).checks
    assert (found.status, found.score, found.reason) == (Status.FAILED, 0.0, f"exit status 1; {LIMIT}")


def test_a_limit_is_no_pass_where_a_failure_is_wanted(tmp_path: Path) -> None:
    (found,) = limited(tmp_path, reference=False, negate=True).checks
    assert (found.status, found.score, found.unfinished) == (Status.FAILED, 0.0, True)
    assert LIMIT in found.reason
