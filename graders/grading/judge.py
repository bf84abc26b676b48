"""Turns a plan and observations into a verdict. Only reads submitted files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gradebox.graders.checks import evaluation
from gradebox.graders.checks.results import error, unfinished
from gradebox.graders.model import verdict
from gradebox.graders.model.case import Case, CaseCheck
from gradebox.graders.model.evidence import Evidence, Observations, of_check
from gradebox.graders.model.plan import Plan
from gradebox.graders.model.verdict import CheckResult, Verdict


def judge(plan: Plan, observed: Observations) -> Verdict:
    """Return the verdict on the observations of a plan."""
    evidence = replace(Evidence.of(plan, observed.judgments), works_with=observed.works_with)

    def judge_one(check: CaseCheck, results: Mapping[str, CheckResult]) -> CheckResult:
        own = of_check(replace(evidence, results=results), check.name, observed.done)
        return _result(plan.case, check, own, observed)

    decided = verdict.decide(
        evaluation.judge_all(plan.case.checks, judge_one),
        threshold=plan.case.threshold,
        aggregation=plan.case.aggregation,
        faults=observed.faults,
        failures=observed.failures,
        tampering=(*plan.tampering, *observed.tampering),
    )
    return verdict.misplaced(decided, "" if observed.failures else plan.misfit)


def _result(case: Case, check: CaseCheck, evidence: Evidence, observed: Observations) -> CheckResult:
    # A check without commands has no steps, even without failures.
    if evidence.done or evidence.within or not (observed.failures or observed.faults):
        return evaluation.judge(check, case, evidence)
    if observed.failures:
        return unfinished(check, case, f"not run: {observed.failures[0]}")
    return error(check, case, f"not run: {observed.faults[0]}")
