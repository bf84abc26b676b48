"""The `tool-trajectory` check: which tools were called, how often, in which order, and with which arguments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, Tag

from gradebox.graders.checks.base import Check, Reading
from gradebox.graders.checks.results import error, not_judged, scored
from gradebox.graders.documents import strict_json
from gradebox.graders.documents.entries import Entry, WrittenAs, by_shape, optional
from gradebox.graders.documents.fields import Count, Free, Name, Number, Several
from gradebox.graders.documents.validators import refused
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.transcript import ToolCall
from gradebox.graders.model.verdict import CheckResult

ANY = "any"


def _arguments(value: Any) -> Any:
    if isinstance(value, dict) or value in (None, ANY):
        return value
    raise refused("must be a mapping, or `any`", "Write the arguments by their names, or leave them out.")


_How = Literal["exact", "superset", "subset", "ignore"]
_WrittenArgsMatch = Annotated[
    Annotated[_How, Tag("|text")] | Annotated[Several[Name], Field(min_length=1), Tag("|list")],
    by_shape("must be `exact`, `superset`, `subset`, `ignore`, or a list of paths", "text", "list"),
]
ArgsMatch = Annotated[str | tuple[str, ...], WrittenAs(_WrittenArgsMatch)]


class ExpectedCall(Entry):
    """An expected call of a tool."""

    tool: Name = Field(description="Name of the tool.")
    args: Annotated[Free, AfterValidator(_arguments)] = optional(
        "Arguments by name. `any` accepts every value, also inside a value."
    )
    input: Free = optional("What the arguments must contain; other arguments are ignored.")
    output: Free = optional("What the result must contain; the rest of the result is ignored.")
    args_match: ArgsMatch | None = optional("Overrides the check's `args_match`.", "argsMatch")
    max_duration_ms: Annotated[Number, Field(ge=0)] | None = optional(
        "The longest duration of the call. Keeping this limit counts as much as the call itself.", "maxDurationMs"
    )


class ToolTrajectory(Check):
    """Which tools were called, how often, in which order, and with which arguments."""

    type = "tool-trajectory"

    # any_order: all expected calls, in any order; in_order: in the given order, with other calls allowed between them;
    # exact: the expected calls and no others; superset: as any_order; subset: only expected calls.
    mode: Literal["any_order", "in_order", "exact", "superset", "subset"] = optional(
        "How the calls must match the expected calls.", default="any_order"
    )
    minimums: dict[str, Annotated[Count, Field(ge=0)]] = optional(
        "How often each tool must be called at least, by its name.", default_factory=dict
    )
    expected: Several[ExpectedCall] = optional("The calls that are expected, in order.", default=())
    # superset: the call has at least the expected arguments; subset: the call has no others.
    args_match: ArgsMatch = optional(
        "How arguments are compared; or a list of the argument paths to compare.", "argsMatch", default="exact"
    )

    def completed(self, reading: Reading) -> Self | None:
        """Refuse a check that expects nothing."""
        if not self.expected and not self.minimums and self.mode not in {"exact", "subset"}:
            message = f"the mode `{self.mode}` expects something, and there is neither `expected` nor `minimums`"
            reading.error((), message, "Write one of the two; `mode: exact` alone expects no call at all.")
            return None
        return self

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        """Compare the calls of the transcript with the expected calls."""
        if evidence.transcript is None:
            return not_judged(self, case, "the submission brings no transcript")
        calls = evidence.transcript.tool_calls
        score = trajectory_score(self, calls)
        if score is None:
            return error(self, case, "it expects nothing")
        reason = f"called: {_listed([call.name for call in calls])}" if score < 1 else ""
        return scored(self, case, score, reason)


def trajectory_score(check: ToolTrajectory, calls: Sequence[ToolCall]) -> float | None:
    """Return the share of the expectations that are met; None if there are none.

    Besides the calls, each limit of a call's duration is an expectation, unless the call states no duration.
    """
    counts = Counter(call.name for call in calls)
    enough = sum(counts[tool] >= least for tool, least in check.minimums.items())
    if check.mode == "exact" and len(calls) > len(check.expected):
        return 0.0
    met = _met(check, calls)
    if check.mode == "subset":
        expected, limits = len(calls), met.limits
    else:
        expected, limits = len(check.expected), sum(each.max_duration_ms is not None for each in check.expected)
    expected += limits - met.untimed + len(check.minimums)
    if expected == 0:
        # These modes can also expect that there is no call at all.
        return 1.0 if check.mode in {"exact", "subset"} else None
    return (met.calls + met.in_time + enough) / expected


class _Met(NamedTuple):
    """The expectations that are met. Tuples compare by the number of calls first, then by the calls in time."""

    calls: int = 0
    in_time: int = 0
    # All calls with a limit, and those of them that state no duration.
    limits: int = 0
    untimed: int = 0

    def plus(self, wanted: ExpectedCall, call: ToolCall) -> _Met:
        """Return a copy to which a fitting pair of calls is added."""
        most, took = wanted.max_duration_ms, call.duration_ms
        limited, untimed = most is not None, most is not None and took is None
        in_time = most is not None and took is not None and took <= most
        return _Met(self.calls + 1, self.in_time + in_time, self.limits + limited, self.untimed + untimed)


def _met(check: ToolTrajectory, calls: Sequence[ToolCall]) -> _Met:
    if check.mode == "in_order":
        return _longest_in_order(check, calls)
    if check.mode == "exact":
        pairs = [
            (wanted, call) for wanted, call in zip(check.expected, calls, strict=False) if fits(check, wanted, call)
        ]
    else:
        pairs = _most_pairs(check, calls)
    met = _Met()
    for wanted, call in pairs:
        met = met.plus(wanted, call)
    return met


def fits(check: ToolTrajectory, wanted: ExpectedCall, call: ToolCall) -> bool:
    """Return whether a call is the expected call."""
    if wanted.tool != call.name or not (_within(wanted.input, call.args) and _within(wanted.output, call.output)):
        return False
    how: str | tuple[str, ...] = check.args_match if wanted.args_match is None else wanted.args_match
    if wanted.args is None or wanted.args == ANY or how == "ignore":
        return True
    args = {} if call.args is None else call.args
    if isinstance(how, tuple):
        return all(_same(strict_json.at(wanted.args, path), strict_json.at(args, path)) for path in how)
    match how:
        case "superset":
            return _holds(wanted.args, args, wanted.args)
        case "subset":
            return _holds(wanted.args, args, args)
        case _:
            return _same(wanted.args, args)


def _holds(wanted: Any, args: Any, keys: Any) -> bool:
    if not isinstance(wanted, dict) or not isinstance(args, dict):
        return _same(wanted, args)
    return all(key in wanted and key in args and _same(wanted[key], args[key]) for key in keys)


def _same(wanted: Any, value: Any) -> bool:
    """Return whether a value equals the wanted value; `any`, at any depth, matches every existing value."""
    if wanted == ANY:
        return not isinstance(value, strict_json.Missing)
    if isinstance(wanted, dict) and isinstance(value, dict):
        return wanted.keys() == value.keys() and all(_same(each, value[key]) for key, each in wanted.items())
    if isinstance(wanted, list) and isinstance(value, list):
        return len(wanted) == len(value) and all(map(_same, wanted, value))
    return strict_json.same(wanted, value)


def _within(wanted: Any, value: Any) -> bool:
    """Return whether a value contains the wanted one; mappings may have more keys, and lists more items at the end."""
    if wanted is None:
        return True
    if isinstance(wanted, dict) and isinstance(value, dict):
        return all(key in value and _within(each, value[key]) for key, each in wanted.items())
    if isinstance(wanted, list) and isinstance(value, list):
        return len(wanted) <= len(value) and all(map(_within, wanted, value))
    return _same(wanted, value)


def _longest_in_order(check: ToolTrajectory, calls: Sequence[ToolCall]) -> _Met:
    """Return the best match of calls to expected calls in order: the longest common subsequence."""
    best = [_Met()] * (len(check.expected) + 1)
    for call in calls:
        before = best[0]
        for number, wanted in enumerate(check.expected, 1):
            diagonal, before = before, best[number]
            best[number] = max(best[number], best[number - 1])
            if fits(check, wanted, call):
                best[number] = max(best[number], diagonal.plus(wanted, call))
    return best[-1]


def _most_pairs(check: ToolTrajectory, calls: Sequence[ToolCall]) -> list[tuple[ExpectedCall, ToolCall]]:
    """Pair as many expected calls as possible with different calls: a maximum matching, by augmenting paths.

    Taking the first fitting call would depend on the order in which the author wrote general and specific calls.
    """
    fitting = [
        sorted(
            (n for n, call in enumerate(calls) if fits(check, wanted, call)), key=lambda n: _is_late(wanted, calls[n])
        )
        for wanted in check.expected
    ]
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

    for wanted in range(len(check.expected)):
        place(wanted, set())
    return [(check.expected[wanted], calls[number]) for number, wanted in taken.items()]


def _is_late(wanted: ExpectedCall, call: ToolCall) -> bool:
    return not _Met().plus(wanted, call).in_time


def _listed(names: Sequence[str]) -> str:
    return (", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")) or "no tool"
