"""From pydantic's JSON Schema to an honest one: what validators take besides the type, and draft-07's words.

pydantic looks at the type that a validator leads to and not at what it takes. What ours take is in one table here; a
validator that is missing in it shows in `unknown_validators`, which a test wants to be empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

Schema = dict[str, Any]

# `${{ NAME }}` may stand where a number or a truth value is wanted.
_VARIABLE: Schema = {"type": "string", "pattern": r"\$\{\{"}
_SIZE: Schema = {"type": "string", "pattern": r"^\s*[0-9]|\$\{\{", "description": "A size such as `512m` or `1.5g`."}
_DURATION: Schema = {"type": "string", "pattern": r"^\s*[0-9]|\$\{\{", "description": "A time such as `30s` or `5m`."}


def _or(*others: Schema) -> Callable[[Schema], Schema]:
    return lambda schema: {"anyOf": [schema, *others]}


def _as_it_is(schema: Schema) -> Schema:
    return schema


_TAKEN: Mapping[str, Callable[[Schema], Schema]] = {
    "_scalar_of": _or(_VARIABLE),
    "truth": _or(_VARIABLE),
    "_size": _or(_SIZE),
    "_seconds": _or(_DURATION),
    "_number_as_text": _or({"type": "number"}),
    # One element stands for a list of it.
    "listed": lambda schema: {"anyOf": [schema["items"], schema]},
    # These refuse or rename values that the type allows.
    "_first_names": _as_it_is,
    "_as_message": _or({"type": "object", "not": {"anyOf": [{"required": ["role"]}, {"required": ["content"]}]}}),
    "_free": _as_it_is,
    "as_tuple": _as_it_is,
    "_refuse_two_readings": _as_it_is,
    "_without_operators": _as_it_is,
    "_required": _as_it_is,
}
unknown_validators: set[str] = set()

# Bounds that pydantic cannot place, since a validator stands before the number, have its own names.
_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_VALUES = frozenset({"default", "enum", "const"})
_DROPPED = frozenset({"title", "discriminator"})
_NOTES = frozenset({"description", "default", "$comment"})


class DefinitionSchemas(GenerateJsonSchema):
    """Generates what validators take, and a definition of every model."""

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> Schema:
        """Return what a validator takes that looks at a value before its type does."""
        inner = super().function_before_schema(schema)
        name = getattr(schema["function"]["function"], "__name__", "?")
        if "json_schema_input_schema" in schema:
            return inner
        if name not in _TAKEN:
            unknown_validators.add(name)
        return _TAKEN.get(name, _as_it_is)(inner)


def plain(schema: Any, rename: Callable[[str], str]) -> Any:  # noqa: C901 - a branch for each keyword
    """Return a schema of pydantic's in draft-07; `rename` gives a model's definition its name."""
    if isinstance(schema, list):
        return [plain(part, rename) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found: Schema = {}
    for key, value in schema.items():
        if key == "properties":
            found[key] = {name: plain(inner, rename) for name, inner in value.items()}
        elif key == "$defs":
            found["definitions"] = {rename(name): plain(inner, rename) for name, inner in value.items()}
        elif key == "$ref":
            found[key] = f"#/definitions/{rename(value.rpartition('/')[2])}"
        elif key in _VALUES:
            found[key] = value
        elif key in ("oneOf", "anyOf"):
            # Our validators choose the alternative; a value that fits several is not a mistake.
            found["anyOf"] = _alternatives(plain(value, rename))
        elif key not in _DROPPED:
            found[_BOUNDS.get(str(key), str(key))] = plain(value, rename)
    if found.get("type") == ["boolean", "number"]:
        # `required`, which says so itself and cannot say the rest.
        found["anyOf"] = [{"type": "boolean"}, {"type": "number", "minimum": 0, "maximum": 1}, _VARIABLE]
        del found["type"]
    if found.get("default", ...) is None:
        del found["default"]
    if "$ref" in found and len(found) > 1:
        # Draft-07 does not look at what stands beside a reference.
        found = {"allOf": [{"$ref": found.pop("$ref")}], **found}
    return _without_doubles(found)


def _without_doubles(schema: Schema) -> Schema:
    """Lift the alternatives of a single alternative without bounds of its own."""
    if set(schema) - _NOTES == {"anyOf"} and len(schema["anyOf"]) == 1:
        only = schema.pop("anyOf")[0]
        return {**only, **schema}
    return schema


def _alternatives(listed: list[Schema]) -> list[Schema]:
    """Flatten alternatives of alternatives, and keep each once."""
    flat: list[Schema] = []
    for alternative in listed:
        inner = alternative["anyOf"] if set(alternative) == {"anyOf"} else [alternative]
        flat += [schema for schema in inner if schema not in flat]
    return flat
