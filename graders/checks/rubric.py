"""`Rubric`: one criterion. A case, a check `rubrics` and a check for a judge can have a list of rubrics."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, Tag

from gradebox.graders.documents.commands import Command
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.entries import Entry, WrittenAs, also, by_shape, optional
from gradebox.graders.documents.fields import Count, Flag, Id, Name, Number, Several, Text, Weight
from gradebox.graders.documents.reader import Reader
from gradebox.graders.documents.validators import refused

TOP = 10
_SCORE = re.compile(r"(?:0|[1-9][0-9]?)\Z")
# The criterion of a rubric that only requires no contradiction to its outcome.
_NO_CONTRADICTION = "The answer does not contradict this: {}"


class ScoreRange(Entry):
    """The meaning of a range of scores."""

    score_range: Annotated[Several[Annotated[Count, Field(ge=0, le=TOP)]], Field(min_length=2, max_length=2)] = Field(
        description="The lowest and the highest score."
    )
    outcome: Name = Field(validation_alias=also("expected_outcome"), description="The meaning of these scores.")


def _ranges(written: dict[str, str] | list[ScoreRange]) -> dict[int, str]:
    if isinstance(written, list):
        expected = 0
        for first, last in (*sorted(each.score_range for each in written), (TOP + 1, TOP + 1)):
            if first != expected or last < first:
                where = f"before {first}" if first > expected else f"at {first}"
                fault = "have a gap" if first > expected else "overlap" if first < expected else "end too early"
                hint = f"Let each range begin one above the end of the one before, from 0 to {TOP}."
                raise refused(f"{fault} {where}", hint)
            expected = last + 1
        return {each.score_range[0]: each.outcome for each in written}
    for lowest in written:
        if not _SCORE.match(lowest) or int(lowest) > TOP:
            hint = 'Write whole numbers and what they mean: {0: "...", 5: "...", 10: "..."}.'
            raise refused(f"has the key `{shown(lowest)}`, which is not a whole number from 0 to {TOP}", hint)
    return {int(lowest): meaning for lowest, meaning in written.items()}


_Ranges = Annotated[
    Annotated[dict[str, Text], Field(min_length=1), Tag("|mapping")]
    | Annotated[list[ScoreRange], Field(min_length=1), Tag("|list")],
    by_shape("must be a mapping of scores to what they mean, or a list of ranges", "mapping", "list"),
]


def _share(score: float) -> float:
    if score > 1:
        hint = f"Write {score / TOP:g}, or `required_min_score: {score:g}`, which is on a scale from 0 to {TOP}."
        raise refused(f"must lie between 0 and 1, not at {score:g}", hint)
    return score


class Rubric(Entry):
    """One criterion."""

    id: Id = optional("Unique in its list. Default: `rubric-1` and so on.", default_factory=str)
    expected_outcome: Name = optional(
        "The criterion in words.", "outcome", "criteria", "description", default_factory=str
    )
    weight: Weight = optional("Its weight in the check's score.", default=1.0)
    required: Flag = optional(
        "Whether the verdict fails if the rubric is not met. `required_min_score` implies it.", default_factory=bool
    )
    min_score: Annotated[Number, Field(ge=0), AfterValidator(_share)] | None = optional(
        "The score from 0 to 1 from which a required rubric is met."
    )
    required_min_score: Annotated[Number, Field(ge=0, le=TOP)] | None = optional(
        "Like `min_score`, from 0 to 10; it makes the rubric required."
    )
    operator: Literal["correctness", "contradiction"] = optional(
        "Whether the answer must state the criterion, or must not contradict it.", default="correctness"
    )
    score_ranges: Annotated[Mapping[int, str], WrittenAs(_Ranges, _ranges)] = optional(
        "The meaning of scores from 0 to 10: each range by its lowest score.", default_factory=dict
    )
    command: Command | None = optional(
        "Judges the criterion by its exit status; with `score_ranges`, by the number that it prints."
    )
    check: Name | None = optional("The check of the case whose result counts as the rubric's.")


_OneRubric = Annotated[
    Annotated[Name, Tag("|text")] | Annotated[Rubric, Tag("|mapping")],
    by_shape("must be text, or a mapping with `expected_outcome`", "text", "mapping"),
]
_Rubrics = Annotated[Several[_OneRubric], Field(min_length=1)]


def _each(written: tuple[str | Rubric, ...]) -> tuple[Rubric, ...]:
    return tuple(Rubric(expected_outcome=one) if isinstance(one, str) else one for one in written)


RubricList = Annotated[tuple[Rubric, ...], WrittenAs(_Rubrics, _each)]


def numbered(rubrics: Sequence[Rubric], reader: Reader, path: DocumentPath) -> tuple[Rubric, ...] | None:
    """Return the rubrics of a document with ids; None if they have mistakes, which are then in the findings."""
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
        required, min_score = _gate(rubric, reader, at)
        words = rubric.expected_outcome
        if rubric.operator == "contradiction" and words:
            words = _NO_CONTRADICTION.format(words)
        named = {"id": rubric.id or next(free), "expected_outcome": words}
        found.append(rubric.but(**named, required=required, min_score=min_score, required_min_score=None))
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


def _gate(rubric: Rubric, reader: Reader, path: DocumentPath) -> tuple[bool, float | None]:
    """Return whether a rubric is required, and the score from 0 to 1 that it needs."""
    required, min_score, at = rubric.required, rubric.min_score, (*path, "min_score")
    if rubric.required_min_score is not None:
        at = (*path, "required_min_score")
        if min_score is not None:
            reader.error(at, "`min_score` and `required_min_score` name two scores", "Keep one of the two.")
        required = required or "required" not in rubric.model_fields_set
        min_score = rubric.required_min_score / TOP
    if min_score is not None and not required:
        reader.warning(at, "`min_score` has no effect on a rubric that is not required", "Add `required: true`.")
    elif min_score == 0:
        reader.warning(at, "a score of 0 is met by every score", "Write a higher one.")
    return required, min_score
