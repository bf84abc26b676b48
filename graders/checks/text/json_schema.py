"""Validates candidates' data with authors' JSON Schemas (draft-07), without hanging or fetching anything.

The library's validator is used with three changes: every keyword checks the time limit, patterns are searched by
`patterns`, and uniqueness is decided by hashing. References to other schemas are not followed. A schema of another
draft is refused, since keywords that draft-07 does not know would be ignored.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from gradebox.graders.checks.text.patterns import PatternFault, found
from gradebox.graders.checks.text.text_check import Unusable

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

    _Matches = Callable[[str, str], bool]
    Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]

SECONDS = 5.0


class SchemaFault(Unusable):
    """A schema is unusable, or unusable on this data. The message says why; `path` leads to the place in the schema."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.path = path


class _Overtime(Exception):
    """The time limit was reached."""


def violation(schema: Mapping[str, Any] | bool, data: Any, *, seconds: float = SECONDS) -> str:
    """Return how data violates a schema; empty if it does not.

    Raises SchemaFault if the schema is invalid, or takes longer than `seconds` on this data.
    """
    check(schema)
    # The library would use its own validator for an inner schema that names its draft.
    plain = _undeclared(schema)
    try:
        broken = next(_validator(plain, time.monotonic() + seconds).iter_errors(data), None)
    except _Overtime:
        raise SchemaFault(f"checking this data against the schema took longer than {seconds:g} s") from None
    except RecursionError:
        raise SchemaFault("the schema and this data are nested too deeply") from None
    except PatternFault as error:
        raise SchemaFault(f"in the schema, {error}") from error
    except ArithmeticError:
        return "it holds a number that is too large to be judged"
    return "" if broken is None else f"at {broken.json_path:.80}: {broken.message:.200}"


def check(schema: Mapping[str, Any] | bool) -> None:
    """Raise SchemaFault if a schema is not a JSON Schema of draft-07."""
    from jsonschema import Draft7Validator, SchemaError  # noqa: PLC0415 - few cases have a schema

    declared = schema.get("$schema", "draft-07") if isinstance(schema, Mapping) else "draft-07"
    if "draft-07" not in str(declared):
        raise SchemaFault(f"the schema is one of {declared!r:.80}, and only draft-07 is supported")
    try:
        Draft7Validator.check_schema(schema)
    except SchemaError as error:
        message = f"the schema is not a JSON Schema (draft-07): {error.message:.200}"
        raise SchemaFault(message, tuple(error.absolute_path)) from error
    _resolve(schema)


def _resolve(schema: Mapping[str, Any] | bool) -> None:
    from referencing import Registry  # noqa: PLC0415 - few cases have a schema
    from referencing.exceptions import Unresolvable  # noqa: PLC0415
    from referencing.jsonschema import DRAFT7  # noqa: PLC0415

    root = DRAFT7.create_resource(schema)
    waiting = [(root, Registry().resolver_with_root(root))]
    for resource, resolver in waiting:
        found = resource.contents
        if isinstance(found, Mapping) and isinstance(found.get("$ref"), str):
            try:
                resolver.lookup(found["$ref"])
            except Unresolvable as error:
                raise SchemaFault(f"the schema refers to {error.ref!r:.80}, which is not in it") from error
        waiting += [(inner, resolver.in_subresource(inner)) for inner in resource.subresources()]


def _undeclared(schema: Any) -> Any:
    match schema:
        case dict():
            return {
                key: value if key in {"const", "enum", "default", "examples"} else _undeclared(value)
                for key, value in schema.items()
                if key != "$schema" or not isinstance(value, str)
            }
        case list():
            return [_undeclared(part) for part in schema]
        case _:
            return schema


def _validator(schema: Mapping[str, Any] | bool, end: float) -> Validator:
    from jsonschema import Draft7Validator, validators  # noqa: PLC0415 - few cases have a schema
    from referencing import Registry  # noqa: PLC0415

    def matches(pattern: str, text: str) -> bool:
        _check_time(end)
        return found(pattern, text)

    own: dict[str, Keyword] = {
        "additionalProperties": partial(_additional_properties, matches),
        "pattern": partial(_pattern, matches),
        "patternProperties": partial(_pattern_properties, matches),
        "uniqueItems": _unique,
    }
    keywords = {**Draft7Validator.VALIDATORS, **own}
    made: Any = validators.extend(  # type: ignore[no-untyped-call]
        Draft7Validator, {name: _timed(keyword, end) for name, keyword in keywords.items()}
    )
    return made(schema, registry=Registry())  # type: ignore[no-any-return]


def _timed(keyword: Keyword, end: float) -> Keyword:
    def timed(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        _check_time(end)
        yield from keyword(validator, value, instance, schema) or ()

    return timed


def _check_time(end: float) -> None:
    if time.monotonic() > end:
        raise _Overtime


def _broken(message: str) -> ValidationError:
    from jsonschema import ValidationError  # noqa: PLC0415 - few cases have a schema

    return ValidationError(message)


def _pattern(matches: _Matches, validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not matches(pattern, instance):
        yield _broken(f"{instance!r:.80} does not match {pattern!r}")


def _pattern_properties(
    matches: _Matches, validator: Any, properties: Mapping[str, Any], instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, schema in properties.items():
        for key, value in instance.items():
            if matches(pattern, key):
                yield from validator.descend(value, schema, path=key, schema_path=pattern)


def _additional_properties(
    matches: _Matches, validator: Any, wanted: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    named, matched = schema.get("properties", {}), schema.get("patternProperties", {})
    for key, value in instance.items():
        if key not in named and not any(matches(pattern, key) for pattern in matched):
            yield from validator.descend(value, wanted, path=key)


def _unique(validator: Any, wanted: bool, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if wanted and validator.is_type(instance, "array"):
        # Equal numbers are the same item, so 1 and 1.0 get the same text.
        written = [json.dumps(_plain(item), sort_keys=True) for item in instance]
        if len(set(written)) != len(written):
            yield _broken("the list has an item twice")


def _plain(data: Any) -> Any:
    match data:
        case float() if data.is_integer():
            return int(data)
        case list():
            return [_plain(item) for item in data]
        case dict():
            return {key: _plain(value) for key, value in data.items()}
        case _:
            return data
