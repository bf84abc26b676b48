"""Reads a list of checks in a document: the fields that all types share, and the checks' names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from gradebox.graders.checks.base import Check, Reading, Surroundings
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.registry import (
    NEGATED_PREFIX,
    check_type,
    check_types,
    is_foreign,
    known_types,
    script_of_type,
)
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.fields import Name
from gradebox.graders.documents.paths import is_directory, is_file, searched
from gradebox.graders.documents.reader import Reader, open_document
from gradebox.graders.documents.scalars import Trap
from gradebox.graders.documents.suggest import closest, misspelt, suggestion
from gradebox.graders.documents.validators import described

MOST_CHECKS = 1000

_IN_WORDS: TypeAdapter[str] = TypeAdapter(Name)


def read_checks(
    reader: Reader, written: Iterable[Any], path: DocumentPath, surroundings: Surroundings
) -> tuple[Check, ...]:
    """Read a list of checks. Checks that cannot be read are left out, and reported in the findings."""
    written = tuple(written)
    if any(_included(value) for value in written):
        return _with_templates(reader, written, path, surroundings)
    if len(written) > MOST_CHECKS:
        message = f"there are more than {MOST_CHECKS} checks in one list"
        reader.error((*path, MOST_CHECKS), message, "Make several cases of it, or items of one check.")
        return ()
    _refuse_double_names(reader, written, path)
    checks = [read_check(reader, value, (*path, index), surroundings) for index, value in enumerate(written)]
    return tuple(check for check in checks if check is not None)


def _refuse_double_names(reader: Reader, written: Iterable[Any], path: DocumentPath) -> None:
    """Report checks of one list with the same name; only a warning in AgentV's files, where they are numbered."""
    first: dict[str, int] = {}
    for index, value in enumerate(written):
        name = value.get("name", value.get("id")) if isinstance(value, dict) else None
        if isinstance(name, str) and first.setdefault(name, index) != index:
            message = f"check {first[name] + 1} of this list is called `{shown(name)}`, too"
            report = reader.warning if is_foreign(reader.document) else reader.error
            report((*path, index, "name"), message, "Give each check a name of its own.")


def _included(value: Any) -> str:
    """Return the name or path of the template that an entry includes; empty if none."""
    named = value.get("include") if isinstance(value, dict) and len(value) == 1 else None
    return named if isinstance(named, str) else ""


def _with_templates(
    reader: Reader, written: Sequence[Any], path: DocumentPath, surroundings: Surroundings
) -> tuple[Check, ...]:
    """Read a list that includes files of checks, each in place of its entry. Included files include no others."""
    found: list[Check] = []
    for index, value in enumerate(written):
        named = _included(value)
        if not named:
            check = read_check(reader, value, (*path, index), surroundings)
            found.extend([check] if check else [])
            continue
        names = (named,) if "/" in named else tuple(f".agentv/templates/{named}{end}" for end in (".yaml", ".yml"))
        places = (base / name for base in searched(reader.document.file.parent) for name in names)
        file = next(filter(is_file, places), None)
        document = open_document(file, reader.findings) if file is not None else None
        if file is None:
            message = f"the template `{shown(named)}` does not exist"
            hint = f"It is looked up as {names[0]}, also in the directories above."
            reader.error((*path, index, "include"), message, hint)
        elif document is not None:
            listed = document.data.get("assertions") if isinstance(document.data, dict) else None
            if not isinstance(listed, list) or any(map(_included, listed)):
                message = "a template holds `assertions`, a list of checks that includes no other"
                if isinstance(listed, list) and named in map(_included, listed):
                    message = f"the template `{shown(named)}` includes itself"
                reader.findings.error(document.place(), message, hint="Write the list.")
            else:
                inner = Reader(document, reader.environ, reader.findings)
                found.extend(read_checks(inner, listed, ("assertions",), surroundings))
    return tuple(found)


def read_check(reader: Reader, value: Any, path: DocumentPath, surroundings: Surroundings) -> Check | None:
    """Read one check: a mapping with a `type`, or text, which is a rubric for a judge."""
    if isinstance(value, str):
        text = reader.read(_IN_WORDS, value, path)
        place = reader.document.place(path)
        from gradebox.graders.checks.llm_grader import LlmGrader  # noqa: PLC0415 - many cases have no check in words

        return None if text is None else LlmGrader(name=LlmGrader.type, place=place, prompt=text)
    if not isinstance(value, dict):
        message = f"a check must be a mapping with a `type`, or text, not {described(value)}"
        reader.error(path, message, "Write `- type: ...`, or quote the text.")
        return None
    name = value.get("type")
    if not isinstance(name, str):
        _refuse_type(reader, value, path)
        return None
    spelled = name.replace("_", "-")
    negated = spelled.startswith(NEGATED_PREFIX)
    kind = check_type(spelled.removeprefix(NEGATED_PREFIX))
    script = None if kind else script_of_type(name, reader.document.file.parent)
    if script is not None:
        value = _of_script(value, name, script, reader.document.file.parent)
        kind, spelled, negated = CodeGrader, CodeGrader.type, False
    if kind is None or (negated and not kind.negatable):
        hint = f"A command is a `code-grader`. {suggestion('', check_types())}"
        hint = hint if closest(name, known_types()) is None else suggestion(name, known_types())
        reader.error((*path, "type"), f"unknown type of check `{shown(name)}`", hint)
        return None
    old_name = spelled != kind.type or "script" in value
    fields = {key: field for key, field in value.items() if key != "type"}
    if kind.free:
        fields = _without_outer_cwd(fields, reader.document.file.parent)
        fields = _with_config(reader, kind, fields, path)
    check = reader.read(_adapter(kind), fields, path)
    if check is None:
        return None
    members = partial(read_checks, reader, surroundings=surroundings)
    named = check.but(**_common(reader, check, path, negated=negated))
    return named.completed(Reading(reader, path, old_name, surroundings, members))


def _of_script(value: Mapping[str, Any], name: str, script: Path, directory: Path) -> dict[str, Any]:
    """Return a check of a repository's own type as a `code-grader`. Fields that not every check has become `config`."""
    known = Check.known_keys()
    free = {key: field for key, field in value.items() if key not in (*known, "config")}
    config = value.get("config")
    run = ["python3"] if script.suffix == ".py" else ["bun", "run"]
    return {
        **({} if "metric" in value else {"name": name}),
        **{key: field for key, field in value.items() if key in known},
        "command": [*run, os.path.relpath(script, directory)],
        "protocol": "json",
        "config": {**free, **config} if isinstance(config, dict) else free,
    }


def _without_outer_cwd(fields: dict[str, Any], directory: Path) -> dict[str, Any]:
    """Rewrite a command whose `cwd` is above the workspace, so that it names the files there."""
    cwd = fields.get("cwd")
    if not isinstance(cwd, str) or not cwd.startswith("..") or not is_directory(directory / cwd):
        return fields

    def placed(word: Any) -> Any:
        named = isinstance(word, str) and not word.startswith(("/", "-")) and is_file(directory / cwd / word)
        return f"{cwd.rstrip('/')}/{word.removeprefix('./')}" if named else word

    found = dict(fields)
    for key in found.keys() & {"command", "script"}:
        written = found[key]
        if isinstance(written, str):
            found[key] = re.sub(r"[^\s'\"]+", lambda match: str(placed(match[0])), written)
        elif isinstance(written, list):
            found[key] = [placed(word) for word in written]
    if found == fields:
        return fields
    del found["cwd"]
    return found


def _with_config(reader: Reader, kind: type[Check], fields: dict[str, Any], path: DocumentPath) -> dict[str, Any]:
    """Move the keys that a type does not know into its `config`, in AgentV's files, unless they are misspelt."""
    if fields.keys() <= kind.model_fields.keys() or not is_foreign(reader.document):
        return fields
    known = kind.known_keys()
    free = {key: value for key, value in fields.items() if key not in known}
    config = fields.get("config") or {}
    if not free or not isinstance(config, dict):
        return fields
    for key in [key for key in free if misspelt(key, known)]:
        del free[key]
    for key in free:
        message = f"`{shown(key)}` is not a field of a `{kind.type}`, so it is a part of its `config`"
        reader.warning((*path, key), message, "Write it below `config:`.")
    return {**{key: value for key, value in fields.items() if key not in free}, "config": {**free, **config}}


@cache
def _adapter(kind: type[Check]) -> TypeAdapter[Check]:
    return TypeAdapter(kind)


def _refuse_type(reader: Reader, value: Mapping[str, Any], path: DocumentPath) -> None:
    """Report a `type` that is missing, unknown, or not text."""
    known = suggestion("", check_types())
    written = value.get("type")
    if written is not None:
        text = written.text if isinstance(written, Trap) else str(written)
        reader.error((*path, "type"), f"`type` must be text, not `{shown(text)}`", known)
    elif not reader.misspelt(value, "type", path):
        taken = next((key for key in value if check_type(key.replace("_", "-").removeprefix(NEGATED_PREFIX))), None)
        hint = f"Write `type: {taken}`, and its fields beside it." if taken else known
        reader.error(path, "`type` is missing", hint)


def _common(reader: Reader, check: Check, path: DocumentPath, *, negated: bool) -> dict[str, Any]:
    """Return the fields of all checks that a document may write in several ways."""
    required: bool | float = check.required
    min_score = check.min_score
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
        "name": check.name or (NEGATED_PREFIX if negated else "") + check.type,
        "place": reader.document.place(path),
        "required": required,
        "min_score": min_score,
        # `not-contains` with `negate: true` is the same as `contains`.
        "negate": check.negate != negated,
    }


def with_unique_names(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Number the names that occur more than once: ``code-grader``, ``code-grader-2``, ``code-grader-3``."""
    checks = tuple(checks)
    given = {check.name for check in checks}
    taken: set[str] = set()
    last: dict[str, int] = {}
    named: list[Check] = []
    for check in checks:
        name, number = check.name, last.get(check.name, 1)
        while name in taken or (number > 1 and name in given):
            number += 1
            name = f"{check.name}-{number}"
        last[check.name] = number
        taken.add(name)
        named.append(check if name == check.name else check.but(name=name))
    return tuple(named)
