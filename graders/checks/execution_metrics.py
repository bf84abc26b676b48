"""Checks of what an answer cost: calls, tokens, money and time, as the submission's transcript states them.

A number that the transcript does not state is not judged; where the check is required, that is an error, since a gate
must not open because somebody left a number out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from graders.checks.base import CheckSpec
from graders.checks.judging import error, not_judged, scored
from graders.model import scoring
from graders.model.case import Case
from graders.model.evidence import Evidence
from graders.model.plan import Stage
from graders.model.transcript import Transcript
from graders.model.verdict import CheckResult

if TYPE_CHECKING:
    from graders.grading.planner import Planner

# Tools that look and change nothing, without underscores and hyphens, in small letters.
EXPLORATION_TOOLS = frozenset(
    [
        "read",
        "grep",
        "glob",
        "search",
        "list",
        "ls",
        "find",
        "view",
        "cat",
        "readfile",
        "viewfile",
        "openfile",
        "listdir",
        "listdirectory",
        "listfiles",
        "filesearch",
        "searchfiles",
        "grepsearch",
        "codebasesearch",
        "semanticsearch",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionMetrics(CheckSpec):
    """Limits of what an answer may have cost; the score is the share of those that are kept.

    Attributes:
        max_tool_calls, max_llm_calls, max_tokens, max_input_tokens, max_output_tokens, max_cost_usd, max_duration_ms:
            None for no limit.
        target_exploration_ratio: The share of the tool calls that only look, None for any.
        exploration_tolerance: How far that share may be off.
    """

    type: ClassVar[str] = "execution-metrics"

    max_tool_calls: float | None = None
    max_llm_calls: float | None = None
    max_tokens: float | None = None
    max_input_tokens: float | None = None
    max_output_tokens: float | None = None
    max_cost_usd: float | None = None
    max_duration_ms: float | None = None
    target_exploration_ratio: float | None = None
    exploration_tolerance: float = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency(CheckSpec):
    """The answer took no longer than `threshold` milliseconds."""

    type: ClassVar[str] = "latency"

    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost(CheckSpec):
    """The answer cost no more than `budget` US dollars."""

    type: ClassVar[str] = "cost"

    budget: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage(CheckSpec):
    """The answer took no more tokens than these; None for no limit."""

    type: ClassVar[str] = "token-usage"

    max_total: float | None = None
    max_input: float | None = None
    max_output: float | None = None


class Bound(NamedTuple):
    """One number that is judged.

    Attributes:
        what: For people.
        actual: As the transcript states it, None where it does not.
        most: What it may be at most.
        least: What it must be at least.
    """

    what: str
    actual: float | None
    most: float
    least: float = 0.0

    @property
    def kept(self) -> bool:
        return (
            self.actual is not None
            and scoring.reaches(self.most, self.actual)
            and scoring.reaches(self.actual, self.least)
        )


def stages(_spec: CheckSpec, _case: Case, _planner: Planner) -> tuple[Stage, ...]:
    """Return nothing: no command is needed."""
    return ()


def judge(spec: ExecutionMetrics | Latency | Cost | TokenUsage, case: Case, evidence: Evidence) -> CheckResult:
    """Hold the numbers of the transcript against the limits."""
    if evidence.transcript is None:
        return not_judged(spec, case, "the submission brings no transcript")
    bounds = list(_BOUNDS[type(spec)](spec, evidence.transcript))
    known = [bound for bound in bounds if bound.actual is not None]
    unknown = ", ".join(bound.what for bound in bounds if bound.actual is None)
    if not bounds:
        return error(spec, case, "it limits nothing")
    if not known or (spec.required and unknown):
        return not_judged(spec, case, f"the transcript does not state: {unknown}")
    kept = sum(bound.kept for bound in known)
    score = kept / len(known) if isinstance(spec, ExecutionMetrics) else float(kept == len(known))
    reasons = [_sentence(bound) for bound in known if not bound.kept]
    if unknown:
        reasons.append(f"not stated: {unknown}")
    return scored(spec, case, score, "; ".join(reasons))


def exploration_ratio(transcript: Transcript) -> float | None:
    """Return the share of the tool calls that only look, None where there are no calls."""
    names = [call.name.lower().replace("_", "").replace("-", "") for call in transcript.tool_calls]
    return sum(name in EXPLORATION_TOOLS for name in names) / len(names) if names else None


def _metrics(spec: ExecutionMetrics, transcript: Transcript) -> Iterator[Bound]:
    for what, actual, most in (
        ("tool calls", len(transcript.tool_calls), spec.max_tool_calls),
        ("calls of the model", transcript.llm_calls, spec.max_llm_calls),
        ("tokens", transcript.total_tokens, spec.max_tokens),
        ("input tokens", transcript.input_tokens, spec.max_input_tokens),
        ("output tokens", transcript.output_tokens, spec.max_output_tokens),
        ("cost in USD", transcript.cost_usd, spec.max_cost_usd),
        ("duration in ms", transcript.duration_ms, spec.max_duration_ms),
    ):
        if most is not None:
            yield Bound(what, actual, most)
    if spec.target_exploration_ratio is not None:
        target, off = spec.target_exploration_ratio, spec.exploration_tolerance
        yield Bound("exploration ratio", exploration_ratio(transcript), target + off, target - off)


def _latency(spec: Latency, transcript: Transcript) -> Iterator[Bound]:
    yield Bound("duration in ms", transcript.duration_ms, spec.threshold)


def _cost(spec: Cost, transcript: Transcript) -> Iterator[Bound]:
    yield Bound("cost in USD", transcript.cost_usd, spec.budget)


def _token_usage(spec: TokenUsage, transcript: Transcript) -> Iterator[Bound]:
    for what, actual, most in (
        ("tokens", transcript.total_tokens, spec.max_total),
        ("input tokens", transcript.input_tokens, spec.max_input),
        ("output tokens", transcript.output_tokens, spec.max_output),
    ):
        if most is not None:
            yield Bound(what, actual, most)


def _sentence(bound: Bound) -> str:
    if bound.least > 0:
        return f"{bound.what}: {bound.actual:.3g}, not between {bound.least:.3g} and {bound.most:.3g}"
    return f"{bound.what}: {bound.actual:.12g}, and {bound.most:.12g} at most is allowed"


_BOUNDS: Mapping[type[CheckSpec], Callable[[Any, Transcript], Iterator[Bound]]] = {
    ExecutionMetrics: _metrics,
    Latency: _latency,
    Cost: _cost,
    TokenUsage: _token_usage,
}
