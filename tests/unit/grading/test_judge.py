"""From a plan and what happened to a verdict."""

from __future__ import annotations

from pathlib import Path

from grading_bench import Bench, check

from gradebox.graders.grading.judge import judge
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.model.evidence import Observations, StepOutcome
from gradebox.graders.model.plan import Plan
from gradebox.graders.model.submission import UNTOUCHED
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.types import Ending, Outcome


def planned(tmp_path: Path) -> Plan:
    bench = Bench(tmp_path)
    return prepare(bench.case(check("judge", required=True)), UNTOUCHED, image="image")


def observed(plan: Plan, status: int) -> Observations:
    step = plan.stages[0].steps[0]
    return Observations(done={"judge": [StepOutcome(step, Outcome(Ending.EXITED, status))]})


def test_the_exit_status_decides(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    assert judge(plan, observed(plan, 0)).status is Status.PASSED
    failed = judge(plan, observed(plan, 1))
    assert (failed.status, failed.missed) == (Status.FAILED, ("judge",))


def test_a_fault_is_an_error_and_a_failure_is_the_candidates(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    fault = judge(plan, Observations(faults=["The engine is away."]))
    assert (fault.status, fault.checks[0].reason) == (Status.ERROR, "not run: The engine is away.")
    failure = judge(plan, Observations(failures=["It is too large."]))
    assert (failure.status, failure.checks[0].reason) == (Status.FAILED, "not run: It is too large.")


def test_tampering_that_was_observed_fails_what_passed(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    seen = observed(plan, 0)
    seen.tampering.append(Tampering(TamperingKind.PROTECTED_FILE_CHANGED, "it replaced t while it ran", "t", "judge"))
    verdict = judge(plan, seen)
    assert (verdict.status, verdict.gated_score) == (Status.FAILED, 0.0)


def test_a_plan_that_could_not_be_made_is_judged_too(tmp_path: Path) -> None:
    plan = Plan(planned(tmp_path).case, UNTOUCHED)
    assert judge(plan, Observations(faults=["A directory cannot be read."])).status is Status.ERROR
