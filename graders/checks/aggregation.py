"""What an aggregator's command is told when its turn has come: what its members came to, judged by what has run so far.

A member may be the result of another check. Plans run what is named before what names it, so that it is known by then,
and loading refuses checks that name each other in a circle. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from graders import checks
from graders.checks.check_reference import judging_order, named_checks
from graders.checks.composite import Composite, aggregator_input, as_code_grader
from graders.model.case import Case
from graders.model.evidence import Evidence, names_in, of_check
from graders.model.plan import Role, Stage
from graders.model.verdict import CheckResult


def told(stage: Stage, case: Case, evidence: Evidence, done: Mapping[str, Sequence[checks.StepOutcome]]) -> Stage:
    """Return a stage as it is to run; only that of an aggregator's command differs from what was planned.

    Args:
        stage: As it was planned.
        case: Its case.
        evidence: What is known of the submission without running anything.
        done: What has run, by the names under which it is kept.
    """
    names = names_in(stage.check or "")
    path = _path(case.checks, names)
    if not path or not isinstance(path[-1], Composite) or as_code_grader(path[-1]) is None:
        return stage
    its_own = of_check(replace(evidence, results=_results_before(path[0], case, evidence, done)), names[0], done)
    for name in names[1:]:
        its_own = of_check(its_own, name, its_own.within)
    members = checks.judge_members(path[-1], case, its_own)
    steps = (
        replace(step, stdin=aggregator_input(members, step.stdin)) if step.role is Role.CHECK else step
        for step in stage.steps
    )
    return replace(stage, steps=tuple(steps))


def _path(specs: Sequence[checks.CheckSpec], names: Sequence[str]) -> list[checks.CheckSpec]:
    """Return the checks that names lead through, from the outermost inwards; none if they lead nowhere."""
    path: list[checks.CheckSpec] = []
    for name in names:
        found = next((spec for spec in specs if spec.name == name), None)
        if found is None:
            return []
        path.append(found)
        specs = found.assertions if isinstance(found, Composite) else ()
    return path


def _results_before(
    spec: checks.CheckSpec, case: Case, evidence: Evidence, done: Mapping[str, Sequence[checks.StepOutcome]]
) -> dict[str, CheckResult]:
    """Return the results of the checks that a check names, and that these name, as far as they come before it."""
    ordered = [case.checks[position] for position in judging_order(case.checks)]
    before = list(takewhile(lambda earlier: earlier.name != spec.name, ordered))
    wanted = set(named_checks(spec))
    for earlier in reversed(before):
        if earlier.name in wanted:
            wanted.update(named_checks(earlier))
    results: dict[str, CheckResult] = {}
    for earlier in before:
        if earlier.name in wanted:
            known = of_check(replace(evidence, results=dict(results)), earlier.name, done)
            results[earlier.name] = checks.judge(earlier, case, known)
    return results
