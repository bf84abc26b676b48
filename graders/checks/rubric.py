"""`Rubric`: one criterion, and lists of them in a document: of a case, of a check `rubrics`, and of one for a judge."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Annotated

from pydantic import Field, Tag

from graders.documents.commands import Command
from graders.documents.diagnostics import DocumentPath, shown
from graders.documents.entries import Entry, WrittenAs, also, by_shape
from graders.documents.fields import Flag, Id, Name, Number, Several, Text, Weight
from graders.documents.reader import Reader
from graders.documents.validators import refused

TOP = 10
_SCORE = re.compile(r"(?:0|[1-9][0-9]?)\Z")
# Under this name the score is a gate by itself, as it is where the name comes from.
_GATE = "required_min_score"


def _ranges(written: dict[str, str]) -> dict[int, str]:
    for lowest in written:
        if not _SCORE.match(lowest) or int(lowest) > TOP:
            hint = 'Write whole numbers and what they mean: {0: "...", 5: "...", 10: "..."}.'
            raise refused(f"has the key `{shown(lowest)}`, which is no whole number from 0 to {TOP}", hint)
    return {int(lowest): meaning for lowest, meaning in written.items()}


_Ranges = Annotated[dict[str, Text], Field(min_length=1)]


class Rubric(Entry):
    """One criterion."""

    id: Id = Field(default_factory=str, description="Unique in its list; `rubric-1` and so on where it is not given.")
    expected_outcome: Name = Field(
        default_factory=str, validation_alias=also("outcome", "criteria"), description="The criterion in words."
    )
    weight: Weight = Field(default=1.0, description="Its share of the check's score.")
    required: Flag = Field(
        default_factory=bool,
        description="Whether missing it fails the verdict; so it does with a `required_min_score`.",
    )
    min_score: Annotated[Number, Field(ge=0, le=TOP)] | None = Field(
        default=None,
        validation_alias=also(_GATE),
        description="From 0 to 10, the score at which a required one is met.",
    )
    score_ranges: Annotated[Mapping[int, str], WrittenAs(_Ranges, _ranges)] = Field(
        default_factory=dict, description="What scores from 0 to 10 mean, each range by its lowest score."
    )
    command: Command | None = Field(
        default=None, description="Judges it by its exit status; with `score_ranges`, by the number that it prints."
    )
    check: Name | None = Field(default=None, description="The check of the case whose result it takes.")


_OneRubric = Annotated[
    Annotated[Name, Tag("|text")] | Annotated[Rubric, Tag("|mapping")],
    by_shape("must be text, or a mapping with `expected_outcome`", "text", "mapping"),
]
_Rubrics = Annotated[Several[_OneRubric], Field(min_length=1)]


def _each(written: tuple[str | Rubric, ...]) -> tuple[Rubric, ...]:
    return tuple(Rubric(expected_outcome=one) if isinstance(one, str) else one for one in written)


RubricList = Annotated[tuple[Rubric, ...], WrittenAs(_Rubrics, _each)]


def numbered(rubrics: Sequence[Rubric], reader: Reader, path: DocumentPath) -> tuple[Rubric, ...] | None:
    """Return the rubrics of a document with ids; None if something is wrong, which is then among the findings."""
    errors = reader.findings.errors
    given = {rubric.id for rubric in rubrics}
    free = (name for number in count(1) if (name := f"rubric-{number}") not in given)
    places: dict[str, DocumentPath] = {}
    found: list[Rubric] = []
    for index, rubric in enumerate(rubrics):
        at = (*path, index)
        if rubric.id in places:
            first = reader.document.place(places[rubric.id])
            message = f"the id `{shown(rubric.id)}` is taken by the rubric in line {first.line}"
            reader.error((*at, "id"), message, "Give each rubric an id of its own, or none.")
        elif rubric.id:
            places[rubric.id] = at
        _refuse_two_judges(rubric, reader, at)
        required = _required(rubric, reader, at)
        found.append(rubric.but(id=rubric.id or next(free), required=required))
    if not any(rubric.weight for rubric in rubrics):
        reader.error(path, "the weights of all rubrics are 0", "Give one of them a weight.")
    return tuple(found) if reader.findings.errors == errors else None


def _refuse_two_judges(rubric: Rubric, reader: Reader, path: DocumentPath) -> None:
    if rubric.command is not None and rubric.check is not None:
        message = "a rubric is judged by `command` or by `check`, not by both"
        reader.error((*path, "check"), message, "Keep one of the two.")
    elif not (rubric.command or rubric.check or rubric.expected_outcome or rubric.score_ranges):
        hint = "Write `expected_outcome`, or `command` or `check`."
        reader.error(path, "the rubric does not say what it asks for", hint)


def _required(rubric: Rubric, reader: Reader, path: DocumentPath) -> bool:
    required, at = rubric.required, (*path, "min_score")
    if rubric.min_score is None:
        return required
    if "required" not in rubric.model_fields_set:
        required = reader.document.written(at)[-1] == _GATE
    if not required:
        message = "`min_score` has no effect on a rubric that is not required"
        reader.warning(at, message, "Add `required: true`.")
    elif rubric.min_score == 0:
        reader.warning(at, "`min_score: 0` is met by every score", "Write a number from 1 to 10.")
    elif rubric.min_score < 1:
        message = f"`min_score: {rubric.min_score:g}` is on a scale from 0 to 10"
        reader.warning(at, message, f"Write {rubric.min_score * 10:g} if you mean {rubric.min_score:.0%}.")
    return required
