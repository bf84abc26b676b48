"""The checks of a list, of whatever type: what all of them say alike, and the table of the types that can be loaded.

A new type is a model and a function that makes its `CheckSpec` in one of the modules named here, its names in
``aliases.py``, and a module in ``graders/checks``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from graders.checks import CheckSpec, LlmGrader
from graders.documents import aliases
from graders.cases import (
    command_specs,
    group_specs,
    metric_specs,
    text_specs,
)
from graders.cases.check_documents import CheckEntry
from graders.cases.check_types import CheckType, Surroundings, Written
from graders.documents.diagnostics import DocumentPath, shown
from graders.documents.suggest import closest, suggestion
from graders.documents.fields import Name, described
from graders.documents.reader import Reader
from graders.documents.scalars import Trap

MOST_CHECKS = 1000

_IN_WORDS: TypeAdapter[str] = TypeAdapter(Name)


def read_checks(
    reader: Reader, written: Iterable[Any], path: DocumentPath, surroundings: Surroundings
) -> tuple[CheckSpec, ...]:
    """Read a list of checks; those that cannot be read are among the findings and missing here."""
    written = tuple(written)
    if len(written) > MOST_CHECKS:
        message = f"there are more than {MOST_CHECKS} checks in one list"
        reader.error((*path, MOST_CHECKS), message, "Make several cases of it, or items of one check.")
        return ()
    specs = [read_check(reader, value, (*path, index), surroundings) for index, value in enumerate(written)]
    return tuple(spec for spec in specs if spec is not None)


def read_check(reader: Reader, value: Any, path: DocumentPath, surroundings: Surroundings) -> CheckSpec | None:
    """Read one check, which is a mapping with a `type`, or text: a rubric in words."""
    if isinstance(value, str):
        text = reader.read(_IN_WORDS, value, path)
        common = {"name": LlmGrader.type, "place": reader.document.place(path)}
        return None if text is None else group_specs.in_words(text, common)
    if not isinstance(value, dict):
        message = f"a check must be a mapping with a `type`, or text, not {described(value)}"
        reader.error(path, message, "Write `- type: ...`, or quote the text.")
        return None
    type_name = value.get("type")
    if not isinstance(type_name, str):
        _refuse_type(reader, value, path)
        return None
    spelled = type_name.replace("_", "-")
    negated = spelled.startswith(aliases.NEGATED_PREFIX)
    first = _first_type(type_name)
    if first is None or (negated and first not in aliases.NEGATABLE):
        known = aliases.known_types()
        likely = closest(type_name, known)
        hint = f"A command is a `code-grader`. {suggestion('', aliases.CHECK_TYPES)}"
        hint = hint if likely is None else suggestion(type_name, known)
        reader.error((*path, "type"), f"unknown type of check `{shown(type_name)}`", hint)
        return None
    kind = CHECK_TYPES[first]
    old_name = spelled != first or "script" in value
    entry = reader.read(kind.adapter, value, path)
    if entry is None:
        return None
    common = _common(reader, entry, path, first, negated=negated)
    members = partial(_members, reader, surroundings)
    return kind.build(entry, Written(reader, path, first, old_name, common, surroundings, members))


def _first_type(name: str) -> str | None:
    """Return the first name of the type that a word names, negated or not."""
    return aliases.first_type(name.replace("_", "-").removeprefix(aliases.NEGATED_PREFIX))


def _refuse_type(reader: Reader, value: Mapping[str, Any], path: DocumentPath) -> None:
    """Report a `type` that is no text, or that there is none."""
    known = suggestion("", aliases.CHECK_TYPES)
    if value.get("type") is not None:
        reader.error((*path, "type"), f"`type` must be text, not `{shown(_text(value['type']))}`", known)
    elif not reader.misspelt(value, "type", path):
        taken = next(filter(_first_type, value), None)
        hint = f"Write `type: {taken}`, and its fields beside it." if taken else known
        reader.error(path, "`type` is missing", hint)


def _members(
    reader: Reader, surroundings: Surroundings, written: Iterable[Any], path: DocumentPath
) -> tuple[CheckSpec, ...]:
    return read_checks(reader, written, path, surroundings)


def _common(reader: Reader, entry: CheckEntry, path: DocumentPath, type_name: str, *, negated: bool) -> dict[str, Any]:
    required, min_score = entry.required, entry.min_score
    if not isinstance(required, bool):
        if min_score is not None and min_score != required:
            message = f"`required: {required:g}` and `min_score: {min_score:g}` name two scores"
            reader.error((*path, "required"), message, "Write `required: true` and one `min_score`.")
        if required == 0:
            message = "`required: 0` is met by every score"
            reader.warning((*path, "required"), message, "Write `required: false` if it is not required.")
        required, min_score = True, float(required)
    elif min_score is not None and not required:
        message = "`min_score` has no effect on a check that is not required"
        reader.warning((*path, "min_score"), message, "Add `required: true`.")
    return {
        "name": entry.name or (aliases.NEGATED_PREFIX if negated else "") + type_name,
        "place": reader.document.place(path),
        "weight": entry.weight,
        "required": required,
        "min_score": min_score,
        # `not-contains` with `negate: true` is `contains`.
        "negate": entry.negate != negated,
        "timeout_seconds": entry.timeout_seconds,
        "env": dict(entry.env),
        "cwd": entry.cwd or "",
    }


def _text(value: Any) -> str:
    return value.text if isinstance(value, Trap) else str(value)


CHECK_TYPES: Mapping[str, CheckType] = {
    **command_specs.TYPES,
    **text_specs.TYPES,
    **metric_specs.TYPES,
    **group_specs.TYPES,
}
