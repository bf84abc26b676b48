"""Checks of the answer's data, of its tool calls and of what it cost, as they are written -> `CheckSpec`."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter

from graders.checks import (
    CheckSpec,
    Cost,
    ExecutionMetrics,
    ExpectedCall,
    FieldAccuracy,
    FieldRule,
    Latency,
    TokenUsage,
    ToolTrajectory,
)
from graders.cases.check_types import CheckType, Written
from graders.documents.diagnostics import shown
from graders.cases.metric_documents import (
    CostEntry,
    ExecutionMetricsEntry,
    ExpectedCallEntry,
    FieldAccuracyEntry,
    FieldRuleEntry,
    LatencyEntry,
    TokenUsageEntry,
    ToolTrajectoryEntry,
)

# What a field's rule says besides, and the match that takes it.
_OF_MATCH: Mapping[str, str] = {"tolerance": "numeric_tolerance", "relative": "numeric_tolerance", "formats": "date"}


def _field_accuracy(entry: FieldAccuracyEntry, written: Written) -> CheckSpec | None:
    places: dict[str, int] = {}
    sound = True
    for index, rule in enumerate(entry.fields):
        if rule.path in places:
            message = f"the field `{shown(rule.path)}` is listed twice"
            written.error(("fields", index, "path"), message, "Keep one.")
            sound = False
        places[rule.path] = index
        for name, match in _OF_MATCH.items():
            if getattr(rule, name) and rule.match != match:
                message = f"`{name}` has no effect where `match` is `{rule.match}`"
                written.warning(("fields", index, name), message, f"Add `match: {match}`.")
    if not any(rule.weight for rule in entry.fields) and entry.aggregation == "weighted_average":
        written.error(("fields",), "the weights of all fields are 0", "Give one of them a weight.")
        sound = False
    rules = tuple(_rule(rule) for rule in entry.fields)
    return FieldAccuracy(**written.common, fields=rules, aggregation=entry.aggregation) if sound else None


def _rule(entry: FieldRuleEntry) -> FieldRule:
    return FieldRule(
        path=entry.path,
        match=entry.match,
        tolerance=entry.tolerance or 0.0,
        relative=bool(entry.relative),
        formats=tuple(entry.formats),
        weight=entry.weight,
        required=entry.required,
    )


def _tool_trajectory(entry: ToolTrajectoryEntry, written: Written) -> CheckSpec | None:
    if not entry.expected and not entry.minimums and entry.mode not in {"exact", "subset"}:
        message = f"the mode `{entry.mode}` expects something, and there is neither `expected` nor `minimums`"
        written.error((), message, "Write one of the two; `mode: exact` alone expects no call at all.")
        return None
    return ToolTrajectory(
        **written.common,
        mode=entry.mode,
        minimums=dict(entry.minimums),
        expected=tuple(_expected(call) for call in entry.expected),
        args_match=_how(entry.args_match),
    )


def _expected(entry: ExpectedCallEntry) -> ExpectedCall:
    return ExpectedCall(entry.tool, entry.args, None if entry.args_match is None else _how(entry.args_match))


def _how(written: str | list[str]) -> str | tuple[str, ...]:
    return written if isinstance(written, str) else tuple(written)


_METRICS = tuple(name for name in ExecutionMetricsEntry.model_fields if name.startswith(("max_", "target_")))


def _execution_metrics(entry: ExecutionMetricsEntry, written: Written) -> CheckSpec | None:
    bounds = {name: getattr(entry, name) for name in _METRICS}
    if all(bound is None for bound in bounds.values()):
        _asks_for_nothing(written, _METRICS)
        return None
    tolerance = entry.exploration_tolerance
    if tolerance is not None and entry.target_exploration_ratio is None:
        message = "`exploration_tolerance` has no effect without `target_exploration_ratio`"
        written.warning(("exploration_tolerance",), message, "Remove it, or add the other.")
    if tolerance is not None:
        bounds["exploration_tolerance"] = tolerance
    return ExecutionMetrics(**written.common, **bounds)


def _token_usage(entry: TokenUsageEntry, written: Written) -> CheckSpec | None:
    bounds = {name: getattr(entry, name) for name in ("max_total", "max_input", "max_output")}
    if all(bound is None for bound in bounds.values()):
        _asks_for_nothing(written, tuple(bounds))
        return None
    return TokenUsage(**written.common, **bounds)


def _asks_for_nothing(written: Written, names: tuple[str, ...]) -> None:
    written.error((), "the check asks for nothing", f"Write one of {', '.join(f'`{name}`' for name in names)}.")


def _latency(entry: LatencyEntry, written: Written) -> CheckSpec:
    return Latency(**written.common, threshold=entry.threshold)


def _cost(entry: CostEntry, written: Written) -> CheckSpec:
    return Cost(**written.common, budget=entry.budget)


TYPES: Mapping[str, CheckType] = {
    "field-accuracy": CheckType(TypeAdapter(FieldAccuracyEntry), _field_accuracy),
    "tool-trajectory": CheckType(TypeAdapter(ToolTrajectoryEntry), _tool_trajectory),
    "execution-metrics": CheckType(TypeAdapter(ExecutionMetricsEntry), _execution_metrics),
    "latency": CheckType(TypeAdapter(LatencyEntry), _latency),
    "cost": CheckType(TypeAdapter(CostEntry), _cost),
    "token-usage": CheckType(TypeAdapter(TokenUsageEntry), _token_usage),
}
