"""Adds the results of the combined members to the stdin of an aggregator's command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from gradebox.graders.checks.aggregation import aggregator_input
from gradebox.graders.checks.composite import Composite, as_code_grader
from gradebox.graders.checks.evaluation import judge, judge_members, judged_within, judging_order, members, references
from gradebox.graders.model.case import Case, CaseCheck
from gradebox.graders.model.evidence import Evidence, StepOutcome, names_in, of_check
from gradebox.graders.model.plan import Role, Stage
from gradebox.graders.model.verdict import CheckResult


def with_aggregator_input(
    stage: Stage, case: Case, evidence: Evidence, done: Mapping[str, Sequence[StepOutcome]]
) -> Stage:
    """Return a stage in which an aggregator's command can read the results of its members on stdin.

    A member may refer to the result of another check. Plans run that check first, so that its result is known. Loading
    refuses checks that name each other in a circle.
    """
    path = aggregated(case, stage)
    if not path:
        return stage
    its_own = of_check(replace(evidence, results=_results_before(path[0], case, evidence, done)), path[0].name, done)
    for outer, check in pairwise(path):
        case, its_own = judged_within(outer, case, its_own)
        its_own = of_check(its_own, check.name, its_own.within)
    results = judge_members(path[-1], case, its_own)
    steps = (
        replace(step, stdin=aggregator_input(results, step.stdin)) if step.role is Role.CHECK else step
        for step in stage.steps
    )
    return replace(stage, steps=tuple(steps))


def aggregated(case: Case, stage: Stage) -> list[CaseCheck]:
    """Return the path of checks to the aggregator whose command a stage runs, outermost first; empty if none."""
    checks: Sequence[CaseCheck] = case.checks
    path: list[CaseCheck] = []
    for name in names_in(stage.check or ""):
        found = next((check for check in checks if check.name == name), None)
        if found is None:
            return []
        path.append(found)
        checks = members(found)
    return path if isinstance(path[-1], Composite) and as_code_grader(path[-1]) else []


def _results_before(
    check: CaseCheck, case: Case, evidence: Evidence, done: Mapping[str, Sequence[StepOutcome]]
) -> dict[str, CheckResult]:
    """Return the results of the earlier checks that a check names directly or indirectly."""
    ordered = [case.checks[position] for position in judging_order(case.checks)]
    before = list(takewhile(lambda earlier: earlier.name != check.name, ordered))
    wanted = set(references(check))
    for earlier in reversed(before):
        if earlier.name in wanted:
            wanted.update(references(earlier))
    results: dict[str, CheckResult] = {}
    for earlier in before:
        if earlier.name in wanted:
            known = of_check(replace(evidence, results=dict(results)), earlier.name, done)
            results[earlier.name] = judge(earlier, case, known)
    return results
