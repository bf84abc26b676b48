"""How checks of the answer's data, of its tool calls and of what it cost are written in a case file."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, Tag

from graders.cases.check_documents import CheckEntry
from graders.documents.entries import Entry, by_shape
from graders.documents.fields import (
    Count,
    Flag,
    Fraction,
    Free,
    Name,
    Number,
    Texts,
    Weight,
    refused,
)

Bound = Annotated[Number, Field(ge=0)]


class FieldRuleEntry(Entry):
    """How one field of the answer is compared with that of the expected output."""

    path: Name = Field(description="Such as `invoice.items[0].amount`.")
    match: Literal["exact", "numeric_tolerance", "date"] = "exact"
    tolerance: Bound | None = Field(default=None, description="How far a number may be off.")
    relative: Flag | None = Field(default=None, description="Whether `tolerance` is a share of the expected number.")
    formats: Texts = Field(
        default_factory=list, description="In which a date may be written: `DD.MM.YYYY` or `%d.%m.%Y`."
    )
    weight: Weight = Field(default=1.0, description="Its share of the check's score.")
    required: Flag = Field(default=True, description="Whether it must be there; else it counts only where it is.")


class FieldAccuracyEntry(CheckEntry):
    """Fields of the answer, which is JSON, are compared with the expected output."""

    kind: ClassVar[str] = "check"

    fields: Annotated[list[FieldRuleEntry], Field(min_length=1)]
    aggregation: Literal["weighted_average", "all_or_nothing"] = "weighted_average"


def _arguments(value: Any) -> Any:
    if isinstance(value, dict) or value == "any":
        return value
    raise refused("must be a mapping, or `any`", "Write the arguments by their names, or leave them out.")


_HOW = Literal["exact", "superset", "subset", "ignore"]
ArgsMatch = Annotated[
    Annotated[_HOW, Tag("|text")] | Annotated[list[Name], Field(min_length=1), Tag("|list")],
    by_shape("must be `exact`, `superset`, `subset`, `ignore`, or a list of paths", "text", "list"),
]


class ExpectedCallEntry(Entry):
    """A call of a tool that is expected."""

    tool: Name
    args: Annotated[Free, AfterValidator(_arguments)] = Field(
        default=None, description="By their names; `any` for whatever."
    )
    args_match: ArgsMatch | None = Field(default=None, description="Where it is not the check's.")


class ToolTrajectoryEntry(CheckEntry):
    """Which tools were called, how often, in which order, with what."""

    kind: ClassVar[str] = "check"

    mode: Literal["any_order", "in_order", "exact", "superset", "subset"] = "any_order"
    minimums: dict[str, Annotated[Count, Field(ge=0)]] = Field(
        default_factory=dict, description="How often a tool must have been called, by its name."
    )
    expected: list[ExpectedCallEntry] = Field(default_factory=list)
    args_match: ArgsMatch = Field(default="exact", description="How arguments are compared; or the paths that are.")


class ExecutionMetricsEntry(CheckEntry):
    """Limits of what an answer may have cost; the score is the share of those that are kept."""

    kind: ClassVar[str] = "check"

    max_tool_calls: Bound | None = None
    max_llm_calls: Bound | None = None
    max_tokens: Bound | None = None
    max_input_tokens: Bound | None = None
    max_output_tokens: Bound | None = None
    max_cost_usd: Bound | None = None
    max_duration_ms: Bound | None = None
    target_exploration_ratio: Fraction | None = Field(
        default=None, description="The share of the tool calls that only look."
    )
    exploration_tolerance: Fraction | None = Field(default=None, description="How far that share may be off; 0.2.")


class LatencyEntry(CheckEntry):
    """The answer took no longer than this."""

    kind: ClassVar[str] = "check"

    threshold: Bound = Field(description="Milliseconds.")


class CostEntry(CheckEntry):
    """The answer cost no more than this."""

    kind: ClassVar[str] = "cost"

    budget: Bound = Field(description="US dollars.")


class TokenUsageEntry(CheckEntry):
    """The answer took no more tokens than these."""

    kind: ClassVar[str] = "check"

    max_total: Bound | None = None
    max_input: Bound | None = None
    max_output: Bound | None = None
