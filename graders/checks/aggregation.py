"""Combines the scores of a composite's members, and makes the stdin of an aggregator's command. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated, Any, assert_never

from pydantic import Field, Tag

from gradebox.graders.documents.entries import Entry, by_shape, spelled_in
from gradebox.graders.documents.fields import Name
from gradebox.graders.languages import start_of
from gradebox.graders.model import scoring
from gradebox.graders.model.case import CommandSpec
from gradebox.graders.model.verdict import CheckResult, Status

GATE_SCORE = 0.6


class Aggregator(StrEnum):
    """How the members' scores become one. Members of weight 0 do not count, except as gates."""

    WEIGHTED_AVERAGE = "weighted_average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    # The weighted share of the members that passed; met if it reaches `threshold`.
    THRESHOLD = "threshold"
    # 1 if every member passed, otherwise 0.
    ALL_OR_NOTHING = "all_or_nothing"
    # 0 if a gate was missed, otherwise the weighted average. The gates are the members that `gates` names, which need
    # GATE_SCORE. Without `gates`, they are the required members, or all members if none is required.
    SAFETY_GATE = "safety_gate"
    # The score of a command.
    CODE_GRADER = "code-grader"
    # The score of a judge that reads the results of the members.
    LLM_GRADER = "llm-grader"


class AggregatorEntry(Entry):
    """The field `aggregator` as a mapping; the other fields are those of the composite."""

    type: Name = Field(description="The name of the aggregator.")

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        return (*super().known_keys(), *spelled_in("aggregator"))


WrittenAggregator = Annotated[
    Annotated[Name, Tag("|text")] | Annotated[AggregatorEntry, Tag("|mapping")],
    by_shape("must be a name, or a mapping with `type`", "text", "mapping"),
]


# The aggregators that a field belongs to.
OWNERS: Mapping[str, tuple[Aggregator, ...]] = {
    "threshold": (Aggregator.THRESHOLD, Aggregator.ALL_OR_NOTHING),
    "command": (Aggregator.CODE_GRADER,),
    "gates": (Aggregator.SAFETY_GATE,),
    "prompt": (Aggregator.LLM_GRADER,),
    "model": (Aggregator.LLM_GRADER,),
}


def aggregate(aggregator: Aggregator, members: Sequence[CheckResult], gates: Sequence[str] = ()) -> float | None:
    """Return one score from the scores of the judged members; None if no judged member has a weight.

    `gates` are the names of the gates for `safety_gate`.
    """
    parts = [(member, scoring.Weighed(member.score, member.weight)) for member in members if member.score is not None]
    counting = [(member, part) for member, part in parts if part.weight > 0]
    if not counting:
        return None
    scores = [part.score for _, part in counting]
    passed = [scoring.Weighed(float(member.status is Status.PASSED), part.weight) for member, part in counting]
    match aggregator:
        case Aggregator.LLM_GRADER:
            return None
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
            named = [part.score for member, part in parts if member.name in gates]
            required = [member for member, _ in parts if member.required] or [member for member, _ in counting]
            missed = not all(scoring.reaches(score, GATE_SCORE) for score in named)
            if missed or (not gates and any(gate.status is Status.FAILED for gate in required)):
                return 0.0
            return scoring.mean(part for _, part in counting)
        case _:  # pragma: no cover - mypy proves it unreachable
            assert_never(aggregator)


def all_or_mean(members: Sequence[CheckResult], threshold: float) -> float | None:
    """Return the mean of the scores, or 0 if a member that counts does not reach the threshold."""
    counting = [scoring.Weighed(one.score, one.weight) for one in members if one.score is not None and one.weight > 0]
    met = all(scoring.reaches(part.score, threshold) for part in counting)
    return scoring.mean(counting) if met else 0.0


def program(path: str) -> CommandSpec:
    """Return the command that runs a file by its suffix; a text with spaces is a command line for a shell."""
    if any(char.isspace() for char in path.strip()):
        return CommandSpec(("sh", "-c", path), shell=True)  # noqa: S604 - in the sandbox
    return CommandSpec((*start_of(PurePosixPath(path).suffix), path))


def aggregator_input(members: Sequence[CheckResult], case_input: bytes = b"{}") -> bytes:
    """Return the stdin of an aggregator's command: the object in `case_input` with the members' results by name."""
    results = {member.name: described(member) for member in members}
    return json.dumps({**json.loads(case_input), "results": results}, default=str).encode() + b"\n"


def described(member: CheckResult) -> dict[str, Any]:
    """Describe a member's result for JSON."""
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
