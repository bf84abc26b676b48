"""The `composite` check: other checks, and one score out of theirs.

The members are judged before it, as checks of their own; here is only the arithmetic. A member keeps its weight,
`required` and `negate`. One that could not be judged makes the composite an error; one that nobody was asked about is
left out; a required one that is missed fails the verdict, whatever the aggregator makes of the scores.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, assert_never

from graders.checks import code_grader
from graders.checks.base import CheckSpec
from graders.checks.judging import (
    error,
    gate_closed,
    not_judged,
    scored,
    unfinished,
)
from graders.model import scoring
from graders.model.case import Case, CommandSpec
from graders.model.evidence import Evidence
from graders.model.plan import Stage
from graders.model.verdict import CheckResult, Status

if TYPE_CHECKING:
    from graders.grading.planner import Planner

DEFAULT_SHARE = 0.5


class Aggregator(StrEnum):
    """How the members' scores become one.

    Members of weight 0 count for none of these; as gates they do.
    """

    WEIGHTED_AVERAGE = "weighted_average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    # The share of the members that passed, by weight; met when it reaches `threshold`.
    THRESHOLD = "threshold"
    # 1 when every member passed, else 0.
    ALL_OR_NOTHING = "all_or_nothing"
    # 0 when a gate was missed, else the weighted average. The gates are the required members, all where none is.
    SAFETY_GATE = "safety_gate"
    # What a command says.
    CODE_GRADER = "code-grader"


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite(CheckSpec):
    """Judge by other checks.

    Attributes:
        assertions: The members, at least one; their names are unique in it.
        aggregator: How their scores become one.
        threshold: Of the aggregator of that name.
        command: Of the aggregator `code-grader`; it speaks the protocol `json` unless `protocol` says ``exit``.
        protocol: Of the command.
    """

    type: ClassVar[str] = "composite"

    assertions: tuple[CheckSpec, ...]
    aggregator: Aggregator = Aggregator.WEIGHTED_AVERAGE
    threshold: float = DEFAULT_SHARE
    command: CommandSpec | None = None
    protocol: str = "json"


def stages(spec: Composite, case: Case, planner: Planner) -> tuple[Stage, ...]:
    """Return the stage of the aggregator's command; those of the members are planned as any check's."""
    judge_of_all = as_code_grader(spec)
    return () if judge_of_all is None else code_grader.stages(judge_of_all, case, planner)


def judge(spec: Composite, case: Case, evidence: Evidence) -> CheckResult:
    """Return what the members come to."""
    members = evidence.members
    if len({member.name for member in spec.assertions}) < len(spec.assertions) or len(members) != len(spec.assertions):
        return error(spec, case, "its members cannot be told apart")
    result = _combine(spec, case, members, evidence)
    tampering = tuple(found.within(member.name) for member in members for found in member.tampering)
    return replace(
        result,
        type=spec.type,
        score=0.0 if tampering and result.score is not None else result.score,
        status=Status.FAILED if tampering and result.status is not Status.ERROR else result.status,
        steps=(*(step for member in members for step in member.steps), *result.steps),
        tampering=(*result.tampering, *tampering),
        details={**result.details, "members": [_described(member) for member in members]},
        unfinished=result.unfinished or any(member.unfinished for member in members),
    )


def as_code_grader(spec: Composite) -> code_grader.CodeGrader | None:
    """Return the check that an aggregator's command is, None for an aggregator without one."""
    if spec.aggregator is not Aggregator.CODE_GRADER or spec.command is None:
        return None
    return code_grader.CodeGrader(
        name=spec.name,
        place=spec.place,
        weight=spec.weight,
        required=spec.required,
        min_score=spec.min_score,
        negate=spec.negate,
        timeout_seconds=spec.timeout_seconds,
        env=spec.env,
        cwd=spec.cwd,
        command=spec.command,
        protocol=spec.protocol,
    )


def aggregator_input(members: Sequence[CheckResult], case_input: bytes = b"{}") -> bytes:
    """Return what the aggregator's command can read on stdin: one JSON object with the members' results by name.

    Args:
        members: Their results.
        case_input: What any code-grader is told, an object of its own.
    """
    results = {member.name: _described(member) for member in members}
    return json.dumps({**json.loads(case_input), "results": results}, default=str).encode() + b"\n"


def _combine(spec: Composite, case: Case, members: Sequence[CheckResult], evidence: Evidence) -> CheckResult:
    faults = [f"{member.name}: {member.reason}" for member in members if member.status is Status.ERROR]
    left_out = [member for member in members if member.status is Status.NOT_JUDGED]
    if spec.required:
        # A gate is never decided by a part of what it is to be decided by.
        faults += [f"{member.name}: {member.reason}" for member in left_out if member.weight]
    if faults:
        return error(spec, case, "; ".join(faults[:5]))
    missed = [member.name for member in members if member.missed]
    if spec.negate and any(done.cut_off for ran in evidence.within.values() for done in ran):
        return gate_closed(unfinished(spec, case, "the time of the case was over before all had run"), missed)
    cut_short = next((member for member in members if member.unfinished), None)
    if spec.negate and cut_short is not None:
        return gate_closed(unfinished(spec, case, f"{cut_short.name}: {cut_short.reason}"), missed)
    judge_of_all = as_code_grader(spec)
    if judge_of_all is not None:
        return gate_closed(code_grader.judge(judge_of_all, case, evidence), missed)
    if spec.aggregator is Aggregator.CODE_GRADER:
        return error(spec, case, "its aggregator has no command")
    score = aggregate(spec.aggregator, members)
    if score is None:
        unheard = "; ".join(f"{member.name}: {member.reason}" for member in left_out[:5])
        return gate_closed(not_judged(spec, case, unheard or "none of its members has a weight"), missed)
    if spec.aggregator is Aggregator.THRESHOLD and spec.min_score is None:
        spec = replace(spec, min_score=spec.threshold)
    failed = [member.name for member in members if member.status is Status.FAILED]
    result = scored(spec, case, score, f"failed: {', '.join(failed)}" if failed else "")
    return gate_closed(result, missed)


def aggregate(aggregator: Aggregator, members: Sequence[CheckResult]) -> float | None:
    """Return one score out of those of the members that were judged, None when none of them has a weight."""
    parts = [(member, scoring.Weighed(member.score, member.weight)) for member in members if member.score is not None]
    counting = [(member, part) for member, part in parts if part.weight > 0]
    if not counting:
        return None
    scores = [part.score for _, part in counting]
    passed = [scoring.Weighed(float(member.status is Status.PASSED), part.weight) for member, part in counting]
    match aggregator:
        case Aggregator.WEIGHTED_AVERAGE | Aggregator.CODE_GRADER:
            return scoring.mean(part for _, part in counting)
        case Aggregator.MINIMUM:
            return min(scores)
        case Aggregator.MAXIMUM:
            return max(scores)
        case Aggregator.THRESHOLD:
            return scoring.mean(passed)
        case Aggregator.ALL_OR_NOTHING:
            return float(all(part.score for part in passed))
        case Aggregator.SAFETY_GATE:
            gates = [member for member, _ in parts if member.required] or [member for member, _ in counting]
            closed = any(gate.status is Status.FAILED for gate in gates)
            return 0.0 if closed else scoring.mean(part for _, part in counting)
        case _:  # pragma: no cover - mypy proves it unreachable
            assert_never(aggregator)


def _described(member: CheckResult) -> dict[str, Any]:
    return {
        "name": member.name,
        "type": member.type,
        "verdict": member.status.value,
        "score": member.score,
        "weight": member.weight,
        "required": member.required,
        "negate": member.negate,
        "reason": member.reason,
        "details": dict(member.details),
    }
