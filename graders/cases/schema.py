"""The JSON Schema (draft-07) of case files and suites, generated from the models of cases and of checks.

The schema accepts everything that the loader accepts, with all spellings, but also some files that the loader refuses.
It does not check that files exist or that names are unique, or how YAML reads a scalar without quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from pydantic import TypeAdapter

from gradebox.graders.cases.case_fields import CaseEntry, SuiteEntry
from gradebox.graders.cases.schema_types import DefinitionSchemas, plain
from gradebox.graders.checks import registry
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.registry import check_types
from gradebox.graders.documents.entries import Entry, derived, spellings
from gradebox.graders.judges.judge_file import judge_types
from gradebox.graders.model.judgment import Reduce
from gradebox.sandbox.records import dataclass

Schema = dict[str, Any]

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DEFINITIONS = "#/definitions/"
CHECK = "check"

# The schemas of items of lists that the models leave untyped, because another module reads the items.
_READ_LATER: dict[str, Schema] = {"assertions": {"$ref": DEFINITIONS + CHECK}}
_COMMENT = (
    "The loader refuses some files that this schema accepts: files that do not exist, ids that are taken, text that "
    "YAML may read as something else."
)


@dataclass(frozen=True, slots=True)
class Definitions:
    """The schemas of all models of case files."""

    schemas: dict[str, Schema]  # By the name of the definition.
    checks: Mapping[str, str]  # The names of the definitions of checks, by the first name of their type.
    models: Mapping[str, type[Entry]]  # By the name of the definition.


def file_schema(kind: str) -> Schema:
    """Return the schema of a file of the kind ``case`` or ``suite``."""
    found = definitions().schemas
    name = definition_name(CaseEntry if kind == "case" else SuiteEntry)
    kept = {other: found[other] for other in sorted(_reached(found, found[name])) if other != name}
    if name in _reached(found, found[name]):
        kept[name] = found[name]
    return {"$schema": DRAFT_07, "title": f"gradebox {kind}", "$comment": _COMMENT, **found[name], "definitions": kept}


def as_draft_07(schema: Schema, title: str) -> Schema:
    """Convert a schema of pydantic to draft-07."""
    found = plain(schema, rename=_kebab)
    return {"$schema": DRAFT_07, **found, "title": title}


def definitions() -> Definitions:
    models = {first: documented(kind) for first, kind in check_types().items()}
    judges = judge_types()
    roots: list[type[Entry]] = [CaseEntry, SuiteEntry, *models.values(), *judges]
    every = {definition_name(model): model for model in roots}
    inputs: Any = [(name, "validation", TypeAdapter(model)) for name, model in every.items()]
    _, schema = TypeAdapter.json_schemas(inputs, by_alias=False, schema_generator=DefinitionSchemas)
    found: dict[str, Schema] = plain(schema, rename=_definition)["definitions"]
    checks = {first: definition_name(model) for first, model in models.items()}
    for name in set(checks.values()):
        _add_type(found[name])
    # Models of other files can have the same name in a schema, such as `Target` and `TargetEntry`, so roots win.
    described = {definition_name(model): model for model in derived(Entry) if model.__name__ in schema["$defs"]} | every
    one = {"anyOf": [{"$ref": DEFINITIONS + definition_name(judge)} for judge in judges]}
    for definition in found.values():
        _mend(definition, one)
    found[CHECK] = _check(checks)
    for name, model in described.items():
        _spell(found, name, model)
    return Definitions(found, checks, described)


def documented(kind: type[Check]) -> type[Check]:
    """Return the class that describes the fields of a check type: the base class if the type adds no fields."""
    parent = kind.__bases__[0]
    adds = set(vars(kind).get("__annotations__", ())) & set(kind.model_fields)
    return documented(parent) if not adds and issubclass(parent, Check) and hasattr(parent, "type") else kind


def _add_type(definition: Schema) -> None:
    """Add the field `type`, which selects the class of a check and is no field of that class."""
    kind = {"type": "string", "description": "The type of the check."}
    definition["properties"] = {"type": kind, **definition["properties"]}
    definition["required"] = ["type", *definition.get("required", ())]


def definition_name(model: type[Entry]) -> str:
    """Return the name of a model in a schema: ``CodeGrader`` is ``code-grader``."""
    return _definition(model.__name__)


def check_spellings(first: str) -> list[str]:
    """Return all spellings of a check type, with ``_`` or ``-`` at each hyphen, the first name first."""
    names = registry.spellings(check_types()[first])
    return list(dict.fromkeys(spelled for name in names for spelled in _hyphens(name)))


def _definition(name: str) -> str:
    # The common fields of all checks get another name, since `check` is a check of any type.
    kebab = _kebab(name.removesuffix("Entry"))
    return "check-common" if kebab == CHECK else kebab


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def _hyphens(name: str) -> Iterator[str]:
    parts = name.split("-")
    for joints in product("-_", repeat=len(parts) - 1):
        yield parts[0] + "".join(joint + part for joint, part in zip(joints, parts[1:], strict=True))


_INCLUDE: Schema = {
    "type": "object",
    "required": ["include"],
    "properties": {"include": {"type": "string"}, "type": {"enum": ["tests", "suite"]}, "select": {}},
    "additionalProperties": False,
}


def _mend(definition: Schema, judge: Schema) -> None:
    """Allow `null` in place of an absent field, and describe the fields that another module reads later."""
    required = definition.get("required", [])
    properties: dict[str, Schema] = definition.get("properties", {})
    for name, field in properties.items():
        if name in _READ_LATER:
            for part in (field, *field.get("anyOf", ())):
                if part.get("type") == "array":
                    part["items"] = _READ_LATER[name]
        elif name == "tests" and "anyOf" not in field:
            cases = {"anyOf": [{"type": "string"}, _INCLUDE, {"$ref": DEFINITIONS + definition_name(CaseEntry)}]}
            field["anyOf"] = [{"type": "string"}, {"type": "array", "items": cases, "minItems": 1}]
        elif name == "judge":
            several = {"type": "array", "items": judge, "minItems": 1}
            of_panel = {"judges": several, "reduce": {"enum": list(Reduce)}}
            panel = {"type": "object", "required": ["judges"], "properties": of_panel, "additionalProperties": False}
            field["anyOf"] = [*judge["anyOf"], several, panel]
        if name not in required:
            properties[name] = _nullable(field)


def _nullable(field: Schema) -> Schema:
    if not field.keys() - {"description", "default"} or {"type": "null"} in field.get("anyOf", ()):
        return field
    notes: Schema = {key: field.pop(key) for key in ("description", "default") if key in field}
    if set(field) == {"anyOf"}:
        return {"anyOf": [*field["anyOf"], {"type": "null"}], **notes}
    return {"anyOf": [field, {"type": "null"}], **notes}


def _check(checks: Mapping[str, str]) -> Schema:
    """Return the schema of a check, whose `type` selects the model."""
    known: list[str] = []
    branches: list[Schema] = []
    for first, name in checks.items():
        spelled = check_spellings(first)
        known += spelled
        then = {"$ref": DEFINITIONS + name}
        branches.append({"if": {"properties": {"type": {"enum": spelled}}, "required": ["type"]}, "then": then})
    mapping = {"type": "object", "required": ["type"], "properties": {"type": {"enum": known}}, "allOf": branches}
    if "llm-grader" not in checks:
        return mapping
    # A string is a rubric for a judge.
    return {"anyOf": [{"type": "string"}, mapping]}


def _spell(found: dict[str, Schema], name: str, model: type[Entry]) -> None:
    """Add the other names of a model's fields. Only one name of a field may be present."""
    rules: list[Schema] = []
    for first, others in spellings(model).items():
        holder = _holder(found, name, first)
        field = found[holder]["properties"].get(first.rpartition(".")[2]) if holder else None
        if holder is None or field is None:
            continue
        there = [first]
        for other in others:
            place = _holder(found, name, other)
            if place is not None:
                note = {"description": f"Another name of `{first}`."}
                same = {"allOf": [field]} if "$ref" in field else field
                found[place].setdefault("properties", {})[other.rpartition(".")[2]] = same | note
                there.append(other)
        alternatives = [_present(path.split(".")) for path in there]
        required: list[str] = found[holder].get("required", [])
        if holder == name and first in required:
            required.remove(first)
        elif alternatives:
            alternatives.append({"not": {"anyOf": list(alternatives)}})
        if len(there) > 1:
            rules.append({"$comment": f"One name of `{first}` at most.", "oneOf": alternatives})
    if rules:
        found[name]["allOf"] = rules


def _present(path: list[str]) -> Schema:
    inner = _present(path[1:]) if len(path) > 1 else {"not": {"type": "null"}}
    return {"type": "object", "required": [path[0]], "properties": {path[0]: inner}}


def _holder(found: Mapping[str, Schema], name: str, path: str) -> str | None:
    """Return the name of the definition that holds the last part of a dotted path, None if there is none."""
    for part in path.split(".")[:-1]:
        field = found[name].get("properties", {}).get(part, {})
        names = [other for other in references(field) if found[other].get("type") == "object"]
        if not names:
            return None
        name = names[0]
    return name


def references(schema: Any) -> Iterator[str]:
    """Yield the names of the definitions that a schema refers to, once for each reference."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix(DEFINITIONS)
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def _reached(found: Mapping[str, Schema], schema: Schema) -> set[str]:
    reached: set[str] = set()
    waiting = list(references(schema))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(references(found[name]))
    return reached
