"""How checks that are made of others are written in a case file: rubrics, a judge's prompt, composites, references."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Tag

from graders.documents import aliases
from graders.cases.check_documents import CheckEntry
from graders.cases.command_documents import OneCommand
from graders.documents.entries import Entry, by_shape
from graders.documents.fields import (
    Count,
    Fraction,
    FreeMapping,
    Name,
    Number,
    Text,
    Weight,
)
from graders.cases.rubric_documents import Rubrics


class RubricsEntry(CheckEntry):
    """Criteria, each judged by a command, by another check, or by a judge."""

    kind: ClassVar[str] = "rubrics"

    rubrics: Rubrics


class LlmGraderEntry(CheckEntry):
    """Words for a judge. Without one it is not judged, which is an error where it is required."""

    kind: ClassVar[str] = "llm-grader"

    prompt: (
        Annotated[
            Annotated[Text, Tag("|text")] | Annotated[FreeMapping, Tag("|mapping")],
            by_shape("must be text or a mapping", "text", "mapping"),
        ]
        | None
    ) = None
    rubrics: Rubrics | None = Field(default=None, description="What to judge by.")
    model: Text | None = None
    provider: Text | None = None
    target: Text | None = None
    temperature: Number | None = None
    max_steps: Count | None = None
    config: FreeMapping = Field(default_factory=dict, description="Whatever else the judge is to be told.")


class AggregatorEntry(Entry):
    """What `aggregator` says; its other fields are those of the composite."""

    kind: ClassVar[str] = "aggregator"

    type: Name

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        return (*super().known_keys(), *aliases.spelled_in("aggregator"))


class CompositeEntry(CheckEntry):
    """Other checks, and one score out of theirs."""

    kind: ClassVar[str] = "composite"

    assertions: Annotated[list[Any], Field(min_length=1)] = Field(description="The members.")
    aggregator: (
        Annotated[
            Annotated[Name, Tag("|text")] | Annotated[AggregatorEntry, Tag("|mapping")],
            by_shape("must be a name, or a mapping with `type`", "text", "mapping"),
        ]
        | None
    ) = Field(
        default=None,
        description="`weighted_average`, `minimum`, `maximum`, `threshold`, `all_or_nothing`, `safety_gate` or "
        "`code-grader`.",
    )
    weights: dict[str, Weight] = Field(default_factory=dict, description="Of members, by their names.")
    threshold: Fraction | None = Field(
        default=None, description="The share of the members that must pass, by weight; 0.5 with that aggregator."
    )
    command: OneCommand | None = Field(default=None, description="Of the aggregator `code-grader`.")
    protocol: Literal["exit", "json"] | None = Field(default=None, description="Of that command; `json` by default.")


class CheckReferenceEntry(CheckEntry):
    """The result of another check of the case."""

    kind: ClassVar[str] = "check"

    check: Name = Field(description="Its name.")
