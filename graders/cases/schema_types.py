"""Corrects pydantic's JSON Schema: adds the values that validators accept besides the type, and uses draft-07 keywords.

pydantic describes the type that a validator returns and not the values that it accepts. A table here has what our
validators accept. A validator missing from it appears in `unknown_validators`, and then a test fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

Schema = dict[str, Any]

# Fields for numbers and booleans also accept `${{ NAME }}`.
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
    # A single element stands for a list of one.
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

# The names of bounds that pydantic does not translate, because a validator precedes the number.
_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_VALUES = frozenset({"default", "enum", "const"})
_DROPPED = frozenset({"title", "discriminator"})
_NOTES = frozenset({"description", "default", "$comment"})


class DefinitionSchemas(GenerateJsonSchema):
    """Generates schemas of the values that validators accept, and a definition of every model."""

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> Schema:
        """Return the schema of the values accepted by a validator that runs before the type's own validation."""
        inner = super().function_before_schema(schema)
        name = getattr(schema["function"]["function"], "__name__", "?")
        if "json_schema_input_schema" in schema:
            return inner
        if name not in _TAKEN:
            unknown_validators.add(name)
        return _TAKEN.get(name, _as_it_is)(inner)


def plain(schema: Any, rename: Callable[[str], str]) -> Any:  # noqa: C901 - a branch for each keyword
    """Convert a schema of pydantic to draft-07; `rename` returns the name for a model's definition."""
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
            # Our validators choose one alternative, so a value that fits several is no mistake.
            found["anyOf"] = _alternatives(plain(value, rename))
        elif key not in _DROPPED:
            found[_BOUNDS.get(str(key), str(key))] = plain(value, rename)
    if found.get("type") == ["boolean", "number"]:
        # The field `required`, whose schema in the model cannot state the bounds and variables.
        found["anyOf"] = [{"type": "boolean"}, {"type": "number", "minimum": 0, "maximum": 1}, _VARIABLE]
        del found["type"]
    if found.get("default", ...) is None:
        del found["default"]
    if "$ref" in found and len(found) > 1:
        # Draft-07 ignores keywords beside a reference.
        found = {"allOf": [{"$ref": found.pop("$ref")}], **found}
    return _without_doubles(found)


def _without_doubles(schema: Schema) -> Schema:
    """Replace an `anyOf` with a single alternative by that alternative."""
    if set(schema) - _NOTES == {"anyOf"} and len(schema["anyOf"]) == 1:
        only = schema.pop("anyOf")[0]
        return {**only, **schema}
    return schema


def _alternatives(listed: list[Schema]) -> list[Schema]:
    """Flatten nested alternatives, without duplicates."""
    flat: list[Schema] = []
    for alternative in listed:
        inner = alternative["anyOf"] if set(alternative) == {"anyOf"} else [alternative]
        flat += [schema for schema in inner if schema not in flat]
    return flat
