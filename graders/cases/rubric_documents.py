"""How rubrics are written in a case file: of a case, of a check `rubrics`, and of a check for a judge."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, Tag

from graders.checks.rubrics import TOP
from graders.cases.command_documents import OneCommand
from graders.documents.diagnostics import shown
from graders.documents.entries import Entry, by_shape
from graders.documents.fields import (
    Flag,
    Id,
    Name,
    Number,
    Text,
    Weight,
    refused,
)

_SCORE = re.compile(r"(?:0|[1-9][0-9]?)\Z")


def _ranges(written: dict[str, str]) -> dict[str, str]:
    for lowest in written:
        if not _SCORE.match(lowest) or int(lowest) > TOP:
            hint = 'Write whole numbers and what they mean: {0: "...", 5: "...", 10: "..."}.'
            raise refused(f"has the key `{shown(lowest)}`, which is no whole number from 0 to {TOP}", hint)
    return written


ScoreRanges = Annotated[dict[str, Text], Field(min_length=1), AfterValidator(_ranges)]


class RubricEntry(Entry):
    """One criterion."""

    kind: ClassVar[str] = "rubric"

    id: Id | None = Field(default=None, description="Unique in its list; `rubric-1` and so on where it is not given.")
    expected_outcome: Name | None = Field(default=None, description="What it asks for, in words.")
    weight: Weight = Field(default=1.0, description="Its share of the check's score.")
    required: Flag | None = Field(
        default=None, description="Whether missing it fails the verdict; so it does with a `required_min_score`."
    )
    min_score: Annotated[Number, Field(ge=0, le=TOP)] | None = Field(
        default=None, description="From 0 to 10, the score at which a required one is met."
    )
    score_ranges: ScoreRanges | None = Field(
        default=None, description="What scores from 0 to 10 mean, each range by its lowest score."
    )
    command: OneCommand | None = Field(
        default=None, description="Judges it by its exit status; with `score_ranges`, by the number that it prints."
    )
    check: Name | None = Field(default=None, description="The check of the case whose result it takes.")


OneRubric = Annotated[
    Annotated[Name, Tag("|text")] | Annotated[RubricEntry, Tag("|mapping")],
    by_shape("must be text, or a mapping with `expected_outcome`", "text", "mapping"),
]
Rubrics = Annotated[list[OneRubric], Field(min_length=1)]
