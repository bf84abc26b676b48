"""Checks of text and of files as they are written -> `CheckSpec`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import SchemaError
from pydantic import TypeAdapter

from graders.checks import (
    CheckSpec,
    FileChanges,
    FileContains,
    FileExists,
    json_schema,
    patterns,
    text_checks,
)
from graders.cases.check_types import CheckType, Written
from graders.documents.fields import described
from graders.cases.text_documents import (
    ContainsEntry,
    ContainsManyEntry,
    EqualsEntry,
    FileChangesEntry,
    FileContainsEntry,
    FileExistsEntry,
    IsJsonEntry,
    RegexEntry,
)


def _one(kind: type[text_checks.Contains], model: type[ContainsEntry | EqualsEntry]) -> CheckType:
    def build(entry: Any, written: Written) -> CheckSpec:
        return kind(**written.common, file=entry.file, value=entry.value)

    return CheckType(TypeAdapter(model), build)


def _many(kind: type[text_checks.ContainsAny]) -> CheckType:
    def build(entry: ContainsManyEntry, written: Written) -> CheckSpec:
        return kind(**written.common, file=entry.file, value=tuple(entry.value))

    return CheckType(TypeAdapter(ContainsManyEntry), build)


def _regex(entry: RegexEntry, written: Written) -> CheckSpec | None:
    try:
        patterns.compiled(entry.value, entry.flags)
    except patterns.PatternFault as fault:
        message = f"`value` is not a regular expression: {fault.__cause__}" if fault.__cause__ else f"`value` {fault}"
        written.error(("value",), message, "Check brackets and backslashes.")
        return None
    return text_checks.Regex(**written.common, file=entry.file, value=entry.value, flags=entry.flags)


def _is_json(entry: IsJsonEntry, written: Written) -> CheckSpec | None:
    schema: Any = entry.schema
    if schema is not None and not isinstance(schema, dict | bool):
        message = f"`schema` must be a JSON Schema, not {described(schema)}"
        written.error(("schema",), message, "Write a mapping such as {type: object}.")
        return None
    try:
        json_schema.check(True if schema is None else schema)
    except json_schema.SchemaFault as fault:
        cause = fault.__cause__
        inside = tuple(cause.absolute_path) if isinstance(cause, SchemaError) else ()
        written.error(("schema", *inside), str(fault), "See json-schema.org for what a schema may say.")
        return None
    except RecursionError:
        written.error(("schema",), "the schema is nested too deeply", "Flatten it.")
        return None
    return text_checks.IsJson(**written.common, file=entry.file, schema=schema)


def _file_exists(entry: FileExistsEntry, written: Written) -> CheckSpec:
    return FileExists(**written.common, paths=tuple(entry.paths))


def _file_contains(entry: FileContainsEntry, written: Written) -> CheckSpec:
    return FileContains(**written.common, paths=tuple(entry.paths), value=tuple(entry.value))


def _file_changes(entry: FileChangesEntry, written: Written) -> CheckSpec | None:
    least, most = entry.min_files, entry.max_files
    if not (entry.paths or entry.only or entry.forbidden or least is not None or most is not None):
        hint = "Write one of `paths`, `only`, `forbidden`, `min_files`, `max_files`."
        written.error((), "the check asks for nothing", hint)
        return None
    if least is not None and most is not None and least > most:
        message = f"`min_files: {least}` is more than `max_files: {most}`"
        written.error(("min_files",), message, "No submission could meet both.")
        return None
    return FileChanges(
        **written.common,
        paths=tuple(entry.paths),
        only=tuple(entry.only),
        forbidden=tuple(entry.forbidden),
        min_files=least,
        max_files=most,
    )


TYPES: Mapping[str, CheckType] = {
    "contains": _one(text_checks.Contains, ContainsEntry),
    "icontains": _one(text_checks.IContains, ContainsEntry),
    "contains-any": _many(text_checks.ContainsAny),
    "contains-all": _many(text_checks.ContainsAll),
    "icontains-any": _many(text_checks.IContainsAny),
    "icontains-all": _many(text_checks.IContainsAll),
    "starts-with": _one(text_checks.StartsWith, ContainsEntry),
    "ends-with": _one(text_checks.EndsWith, ContainsEntry),
    "equals": _one(text_checks.Equals, EqualsEntry),
    "regex": CheckType(TypeAdapter(RegexEntry), _regex),
    "is-json": CheckType(TypeAdapter(IsJsonEntry), _is_json),
    "file-exists": CheckType(TypeAdapter(FileExistsEntry), _file_exists),
    "file-contains": CheckType(TypeAdapter(FileContainsEntry), _file_contains),
    "file-changes": CheckType(TypeAdapter(FileChangesEntry), _file_changes),
}
