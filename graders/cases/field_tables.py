"""The reference of case files and suites in Markdown: a table of fields for each model, generated like the schema.

The accepted values of a field come from its JSON Schema, its other names and its meaning from the model.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradebox.graders.cases.case_fields import CaseEntry, SuiteEntry
from gradebox.graders.cases.schema import (
    CHECK,
    DEFINITIONS,
    Definitions,
    Schema,
    definition_name,
    definitions,
    references,
)
from gradebox.graders.checks import registry
from gradebox.graders.checks.base import Check
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.registry import check_types
from gradebox.graders.documents.entries import Entry, spellings

_INTRODUCTION = """\
# Case reference

This page lists every field of a case (`case.yaml`, an entry of a suite, a line of JSONL) and of a suite (`EVAL.yaml`,
`*.eval.yaml`), with all its names. Write the first name. Two names of one field in one place are an error, and so is
an unknown name. A field that is `null` counts as missing. `grade validate` reports what is wrong with a file, and
where. `grade schema` prints the same rules as JSON Schema.

In a text, `${{ NAME }}` is replaced by an environment variable when the file is loaded. With `${{ NAME:- }}`, the
variable may be unset. Variables are never put into a line for a shell.

This page is generated: `grade schema --markdown > docs/case-reference.md`.
"""
_CHECK = """\
A mapping with a `type`, the fields of every check, and the fields of its type.

"""
_TYPES = """\
In types, `_` and `-` are interchangeable. The prefix `not-` inverts a check: it scores 1 where it would score 0.

| type | also | fields |
|---|---|---|
"""
_HEAD = "| field | also | takes | default | meaning |\n|---|---|---|---|---|\n"


def markdown() -> str:
    """Return the whole page."""
    found = definitions()
    parts = [_INTRODUCTION, _section(found, "case", CaseEntry), _checks(found)]
    names = _in_order(found)
    parts += [_section(found, name, found.models[name]) for name in names if name in found.models]
    return "\n".join(parts)


def _in_order(found: Definitions) -> list[str]:
    """Return the definitions in the order in which the page mentions them, the suite last."""
    case, suite = definition_name(CaseEntry), definition_name(SuiteEntry)
    order = [case]
    waiting = [case, *found.checks.values(), suite]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        order.append(name)
        for field in found.schemas[name].get("properties", {}).values():
            waiting += [other for other in references(field) if other not in seen]
    return [name for name in dict.fromkeys(order) if name not in (case, suite, CHECK)] + [suite]


def _checks(found: Definitions) -> str:
    types = []
    for first, name in found.checks.items():
        kind = check_types()[first]
        others = [*kind.spellings, *([registry.NEGATED_PREFIX + first] if kind.negatable else [])]
        types.append(f"| `{first}` | {_code(others)} | {_link(name)} |\n")
    any_check = found.schemas[definition_name(CodeGrader)]
    of_type = f"| `type` |  | text | required | {any_check['properties']['type']['description']} |\n"
    return f"## {CHECK}\n\n{_CHECK}{_HEAD}{of_type}{_rows(any_check, Check)}\n{_TYPES}{''.join(types)}"


def _section(found: Definitions, name: str, model: type[Entry]) -> str:
    common = Check.model_fields if issubclass(model, Check) else ()
    rows = _rows(found.schemas[name], model, common)
    summary = " ".join((model.__doc__ or "").split("\n\n")[0].split())
    head = f"## {name}\n\n{summary}\n"
    return f"{head}\n{_HEAD}{rows}" if rows else head


def _rows(schema: Schema, model: type[Entry], left_out: Iterable[str] = ()) -> str:
    others = spellings(model)
    rows = []
    # A model's own fields come before those of its base classes.
    for field in sorted(model.model_fields, key=lambda name: name not in model.__annotations__):
        if field in left_out or field in model.internal:
            continue
        described = schema["properties"][field]
        meaning = described.get("description", "").replace("|", "\\|")
        required = "required" if model.model_fields[field].is_required() else _default(described)
        rows.append(f"| `{field}` | {_code(others.get(field, ()))} | {_takes(described)} | {required} | {meaning} |\n")
    for path, spelled in others.items():
        if "." in path:
            outer = path.partition(".")[0]
            rows.append(f"| `{path}` | {_code(spelled)} | see [{outer}](#{outer}) | | |\n")
    return "".join(rows)


def _code(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _link(name: str) -> str:
    return f"[{name}](#{name})"


def _default(schema: Schema) -> str:
    match schema.get("default"):
        case None | "" | [] | {}:
            return ""
        case bool() as value:
            return f"`{str(value).lower()}`"
        case float() | int() as value:
            return f"`{value:g}`"
        case value:
            return f"`{value}`"


def _takes(schema: Schema) -> str:
    if "$ref" in schema:
        return _link(schema["$ref"].removeprefix(DEFINITIONS))
    if "allOf" in schema:
        return _takes(schema["allOf"][0])
    if "anyOf" in schema:
        bounds: Schema = {key: schema[key] for key in ("minimum", "maximum", "exclusiveMinimum") if key in schema}
        # The top of the page says once which values may be an environment variable.
        parts = [part | bounds if part.get("type") in ("integer", "number") else part for part in schema["anyOf"]]
        said = (part for part in parts if part != {"type": "null"} and set(part) != {"type", "pattern"})
        return ", or ".join(dict.fromkeys(map(_takes, said)))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    return _by_type(schema)


def _by_type(schema: Schema) -> str:
    match schema.get("type"):
        case "string" if "pattern" in schema and "description" in schema:
            return str(schema["description"][0].lower() + schema["description"][1:].rstrip("."))
        case "string":
            return "text"
        case "integer" | "number" as kind:
            return ("number" if kind == "number" else "whole number") + _bounds(schema)
        case "boolean":
            return "true or false"
        case "array":
            inner = _takes(schema.get("items", {}))
            return f"list of ({inner})" if " or " in inner else f"list of {inner}"
        case "object" if isinstance(schema.get("additionalProperties"), dict):
            return f"mapping of names to {_takes(schema['additionalProperties'])}"
        case "object":
            return "mapping"
        case list() as kinds:
            return " or ".join(_by_type({"type": kind}) for kind in kinds)
        case _:
            return "anything"


def _bounds(schema: Schema) -> str:
    lowest, above, highest = (schema.get(key) for key in ("minimum", "exclusiveMinimum", "maximum"))
    words = []
    if lowest is not None:
        words.append(f"at least {_figure(lowest)}")
    elif above is not None:
        words.append(f"above {_figure(above)}")
    if highest is not None:
        words.append(f"at most {_figure(highest)}")
    return f" {', '.join(words)}" if words else ""


def _figure(number: float) -> str:
    return f"{int(number):,}".replace(",", " ") if number == int(number) else f"{number:g}"
