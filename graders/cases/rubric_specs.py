"""Rubrics as they are written -> `Rubric`."""

from __future__ import annotations

from itertools import count
from typing import Any

from graders.checks import Rubric
from graders.cases.command_documents import command_spec
from graders.documents.diagnostics import DocumentPath, shown
from graders.documents.reader import Reader
from graders.cases.rubric_documents import RubricEntry

# Under this name the score is a gate by itself, as it is where the name comes from.
_GATE = "required_min_score"


def read_rubrics(reader: Reader, entries: list[Any], path: DocumentPath) -> tuple[Rubric, ...] | None:
    """Convert a list of rubrics; None if something is wrong, which is then among the findings."""
    errors = reader.findings.errors
    given = {entry.id for entry in entries if isinstance(entry, RubricEntry) and entry.id is not None}
    free = (name for number in count(1) if (name := f"rubric-{number}") not in given)
    places: dict[str, DocumentPath] = {}
    rubrics: list[Rubric] = []
    for index, entry in enumerate(entries):
        at = (*path, index)
        if isinstance(entry, str):
            rubrics.append(Rubric(next(free), entry))
            continue
        if entry.id in places:
            first = reader.document.place(places[entry.id])
            message = f"the id `{shown(entry.id)}` is taken by the rubric in line {first.line}"
            reader.error((*at, "id"), message, "Give each rubric an id of its own, or none.")
        elif entry.id is not None:
            places[entry.id] = at
        rubrics.append(_rubric(reader, entry, at, entry.id or next(free)))
    if not any(rubric.weight for rubric in rubrics):
        reader.error(path, "the weights of all rubrics are 0", "Give one of them a weight.")
    return tuple(rubrics) if reader.findings.errors == errors else None


def _rubric(reader: Reader, entry: RubricEntry, path: DocumentPath, rubric_id: str) -> Rubric:
    if entry.command is not None and entry.check is not None:
        message = "a rubric is judged by `command` or by `check`, not by both"
        reader.error((*path, "check"), message, "Keep one of the two.")
    elif entry.command is None and entry.check is None and entry.expected_outcome is None and not entry.score_ranges:
        hint = "Write `expected_outcome`, or `command` or `check`."
        reader.error(path, "the rubric does not say what it asks for", hint)
    return Rubric(
        id=rubric_id,
        expected_outcome=entry.expected_outcome or "",
        weight=entry.weight,
        required=_required(reader, entry, path),
        min_score=entry.min_score,
        score_ranges={int(lowest): meaning for lowest, meaning in (entry.score_ranges or {}).items()},
        command=command_spec(entry.command) if entry.command is not None else None,
        check=entry.check,
    )


def _required(reader: Reader, entry: RubricEntry, path: DocumentPath) -> bool:
    required, at = entry.required, (*path, "min_score")
    if entry.min_score is None:
        return bool(required)
    if required is None:
        required = reader.document.written(at)[-1] == _GATE
    if not required:
        message = "`min_score` has no effect on a rubric that is not required"
        reader.warning(at, message, "Add `required: true`.")
    elif entry.min_score == 0:
        reader.warning(at, "`min_score: 0` is met by every score", "Write a number from 1 to 10.")
    elif entry.min_score < 1:
        message = f"`min_score: {entry.min_score:g}` is on a scale from 0 to 10"
        reader.warning(at, message, f"Write {entry.min_score * 10:g} if you mean {entry.min_score:.0%}.")
    return required
