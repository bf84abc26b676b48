"""The `tool-trajectory` check: which tools were called, how often, in which order, with what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from graders.checks.base import CheckSpec
from graders.checks.judging import error, not_judged, scored
from graders.documents import strict_json
from graders.model.case import Case
from graders.model.evidence import Evidence
from graders.model.plan import Stage
from graders.model.transcript import ToolCall
from graders.model.verdict import CheckResult

if TYPE_CHECKING:
    from graders.grading.planner import Planner

ANY = "any"


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One call that is expected.

    Attributes:
        tool: Name of the tool.
        args: What it is called with; None or ``any`` for whatever.
        args_match: How `args` is compared, None for the check's way.
    """

    tool: str
    args: Any = None
    args_match: str | tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTrajectory(CheckSpec):
    """Compare the calls of a transcript with those that are expected.

    Attributes:
        mode: ``any_order`` (all expected ones, in any order), ``in_order`` (all of them, in their order, others
            between them), ``exact`` (these and no others), ``superset`` (as any_order), ``subset`` (no others).
        minimums: How often a tool must have been called, by its name.
        expected: Calls.
        args_match: ``exact``; ``superset`` (the call's arguments hold the expected ones), ``subset`` (the call has no
            others), ``ignore``, or the paths of the arguments that are compared.
    """

    type: ClassVar[str] = "tool-trajectory"

    mode: str = "any_order"
    minimums: Mapping[str, int] = field(default_factory=dict)
    expected: tuple[ExpectedCall, ...] = ()
    args_match: str | tuple[str, ...] = "exact"


class Tally(NamedTuple):
    """How much of what was asked for was found."""

    met: int
    asked: int


def stages(_spec: ToolTrajectory, _case: Case, _planner: Planner) -> tuple[Stage, ...]:
    """Return nothing: no command is needed."""
    return ()


def judge(spec: ToolTrajectory, case: Case, evidence: Evidence) -> CheckResult:
    """Compare the calls."""
    if evidence.transcript is None:
        return not_judged(spec, case, "the submission brings no transcript")
    calls = evidence.transcript.tool_calls
    score = trajectory_score(spec, calls)
    if score is None:
        return error(spec, case, "it expects nothing")
    reason = f"called: {_listed([call.name for call in calls])}" if score < 1 else ""
    return scored(spec, case, score, reason)


def trajectory_score(spec: ToolTrajectory, calls: Sequence[ToolCall]) -> float | None:
    """Return the share of what is expected that was found, None where nothing is expected."""
    counts = Counter(call.name for call in calls)
    enough = sum(counts[tool] >= least for tool, least in spec.minimums.items())
    tally = _tally(spec, calls)
    if spec.mode == "exact" and len(calls) > len(spec.expected):
        return 0.0
    asked = tally.asked + len(spec.minimums)
    if asked == 0:
        # To expect no call at all is something to expect, too.
        return 1.0 if spec.mode in {"exact", "subset"} else None
    return (tally.met + enough) / asked


def _tally(spec: ToolTrajectory, calls: Sequence[ToolCall]) -> Tally:
    expected = spec.expected
    match spec.mode:
        case "exact":
            pairs = zip(expected, calls, strict=False)
            return Tally(sum(fits(spec, wanted, call) for wanted, call in pairs), len(expected))
        case "in_order":
            return Tally(_longest_in_order(spec, calls), len(expected))
        case "subset":
            return Tally(_most_pairs(spec, calls), len(calls))
        case _:
            return Tally(_most_pairs(spec, calls), len(expected))


def fits(spec: ToolTrajectory, wanted: ExpectedCall, call: ToolCall) -> bool:
    """Say whether a call is one that is expected."""
    if wanted.tool != call.name:
        return False
    how = spec.args_match if wanted.args_match is None else wanted.args_match
    if wanted.args is None or wanted.args == ANY or how == "ignore":
        return True
    args = {} if call.args is None else call.args
    if isinstance(how, tuple):
        return all(strict_json.same(strict_json.at(wanted.args, path), strict_json.at(args, path)) for path in how)
    match how:
        case "superset":
            return _holds(args, wanted.args)
        case "subset":
            return _holds(wanted.args, args)
        case _:
            return strict_json.same(wanted.args, args)


def _holds(more: Any, fewer: Any) -> bool:
    if not isinstance(more, dict) or not isinstance(fewer, dict):
        return strict_json.same(more, fewer)
    return all(key in more and strict_json.same(more[key], value) for key, value in fewer.items())


def _longest_in_order(spec: ToolTrajectory, calls: Sequence[ToolCall]) -> int:
    """Return how many expected calls at most were made in their order: the longest common subsequence."""
    best = [0] * (len(spec.expected) + 1)
    for call in calls:
        before = best[0]
        for number, wanted in enumerate(spec.expected, 1):
            diagonal, before = before, best[number]
            if fits(spec, wanted, call):
                best[number] = max(best[number], diagonal + 1)
            else:
                best[number] = max(best[number], best[number - 1])
    return best[-1]


def _most_pairs(spec: ToolTrajectory, calls: Sequence[ToolCall]) -> int:
    """Return how many expected calls can be paired with a call of their own: a maximum matching, by augmenting paths.

    Taking the first call that fits would depend on the order in which the author wrote general and special ones.
    """
    fitting = [[n for n, call in enumerate(calls) if fits(spec, wanted, call)] for wanted in spec.expected]
    taken: dict[int, int] = {}

    def place(wanted: int, tried: set[int]) -> bool:
        for number in fitting[wanted]:
            if number in tried:
                continue
            tried.add(number)
            if number not in taken or place(taken[number], tried):
                taken[number] = wanted
                return True
        return False

    return sum(place(wanted, set()) for wanted in range(len(spec.expected)))


def _listed(names: Sequence[str]) -> str:
    return (", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")) or "no tool"
