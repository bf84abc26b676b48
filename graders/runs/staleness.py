"""Finds the parts of a saved grading that are stale, because something that its commands used has changed. Pure.

A change in something that all checks share makes all of them stale: the submission, the workspace, the limits, the
case's own commands. Any other change makes the check that it belongs to stale, and checks that use its result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from gradebox.graders.checks.evaluation import judging_order, references
from gradebox.graders.checks.grader_input.aggregator_results import with_aggregator_input
from gradebox.graders.grading.fingerprint import WHOLE, WORKSPACE, differing, stdin_hashes
from gradebox.graders.model.evidence import Evidence, Outcomes, StepOutcome, names_in
from gradebox.graders.model.plan import Plan, Step
from gradebox.graders.model.submission import digest
from gradebox.graders.model.time_limit import spent_seconds
from gradebox.graders.runs.outcomes import words
from gradebox.sandbox.types import Ending


def rejoined(plan: Plan, outcomes: Outcomes, stale: Iterable[str] = ()) -> dict[str, list[StepOutcome]]:
    """Return the saved outcomes with the steps that are planned now, which have the current weights of items.

    Checks in `stale`, whose steps have changed, are left out.
    """
    planned, left_out = _planned(plan), set(stale)
    return {
        name: [replace(one, step=_with_tokens(step, one.step)) for one, step in zip(done, planned[name], strict=False)]
        for name, done in outcomes.done.items()
        if names_in(name)[0] not in left_out
    }


def _with_tokens(planned: Step, ran: Step) -> Step:
    # Every plan has new tokens, but the outcomes belong to the tokens that were sent.
    items = tuple(replace(new, token=old.token) for new, old in zip(planned.items, ran.items, strict=True))
    return replace(planned, token=ran.token, items=items)


def _planned(plan: Plan) -> Mapping[str, list[Step]]:
    found: dict[str, list[Step]] = defaultdict(list)
    for stage in plan.stages:
        found[stage.check or ""] += stage.steps
    return found


def changed_for_all(plan: Plan, outcomes: Outcomes, hashes: Mapping[str, str]) -> str:
    """Return why no check can be scored again; empty if there is no reason. `hashes` are the plan's `plan_hashes`."""
    if digest(plan.submission) != outcomes.submission:
        return "the submission has changed since"
    if hashes[WORKSPACE] != outcomes.plan_hashes.get(WORKSPACE):
        return "the workspace, the limits, or what the case's own commands are and name has changed since"
    return ""


def changed_checks(plan: Plan, outcomes: Outcomes, hashes: Mapping[str, str]) -> dict[str, str]:
    """Return why checks cannot be scored again, by check name. `hashes` are the plan's `plan_hashes`."""
    found: dict[str, str] = {}
    for name, steps in _planned(plan).items():
        done = outcomes.done.get(name)
        if done is None:
            why = "" if outcomes.faults or outcomes.failures else "its commands have never been run"
        else:
            why = _changed_steps(plan, steps, done)
            if not why and hashes.get(name) != outcomes.plan_hashes.get(name):
                why = "a file that it names, or an item of it, has changed since"
        if why:
            found.setdefault(names_in(name)[0], why)
    found = _with_dependent(plan, found)
    for name, parts in _reading_otherwise(plan, outcomes, found):
        found.setdefault(names_in(name)[0], _read(parts))
    return _with_dependent(plan, found)


def _changed_steps(plan: Plan, planned: Sequence[Step], done: Sequence[StepOutcome]) -> str:
    # Steps after a failed setup were never run.
    wanted = planned[: len(done)]
    if [_command(one.step) for one in done] != list(map(_command, wanted)):
        return "its commands have changed since"
    for one, step in zip(done, wanted, strict=True):
        spent = spent_seconds(one.outcome.usage, plan.limits.cpus)
        late = one.outcome.ending is Ending.TIMED_OUT or spent > step.limit_seconds
        if late and one.step.limit_seconds != step.limit_seconds:
            return f"its timeout was {one.step.limit_seconds:g} s, and is {step.limit_seconds:g} s now"
    return ""


def _command(step: Step) -> tuple[object, ...]:
    return step.role, words(step.argv), step.cwd, dict(step.env), step.artifact, len(step.items)


def _reading_otherwise(plan: Plan, outcomes: Outcomes, stale: Mapping[str, str]) -> Iterable[tuple[str, Sequence[str]]]:
    """Yield the checks whose commands would read different input now, with the parts that differ."""
    known, happened = Evidence.of(plan, outcomes.judgments), rejoined(plan, outcomes, stale)
    for name, stages in groupby(plan.stages, key=lambda stage: stage.check or ""):
        if name not in happened:
            continue
        # An aggregator reads the results of its members, which include their weights.
        ready = [step for stage in stages for step in with_aggregator_input(stage, plan.case, known, happened).steps]
        parts = differing(stdin_hashes(ready[: len(happened[name])]), outcomes.stdin_hashes.get(name))
        if parts:
            yield name, parts


def _read(parts: Sequence[str]) -> str:
    if list(parts) == [WHOLE]:
        return "what its command reads on stdin has changed since"
    return f"its command reads {', '.join(sorted(parts))} on stdin, which has changed since"


def _with_dependent(plan: Plan, stale: Mapping[str, str]) -> dict[str, str]:
    """Return the stale checks, and those that use the result of one of them."""
    found = dict(stale)
    for position in judging_order(plan.case.checks):
        spec = plan.case.checks[position]
        # Some checks of an answer's program use the report of another check's command (`of`).
        names = (*references(spec), getattr(spec, "of", ""))
        of = next((name for name in names if name in found), None)
        if of is not None:
            found.setdefault(spec.name, f"it takes the result of {of}, which cannot be scored again")
    return found
