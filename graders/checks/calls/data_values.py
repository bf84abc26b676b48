"""Values as data: reads them from documents and sandboxes, and compares them. Pure.

Values are written in JSON or YAML. A value that these lack is a mapping with one key that starts with ``$``. Values
from a sandbox are read with a limit of depth, and only become the types below.
"""

from __future__ import annotations

import cmath
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal, DecimalException
from fractions import Fraction
from numbers import Number
from types import MappingProxyType
from typing import Any, NamedTuple

DEEPEST = 100
_ONE_HASH = 100


class DataObject(NamedTuple):
    """An object of one of the candidate's classes: the name of the class, the fields, and what else can be read."""

    kind: str
    fields: Mapping[str, Any]
    more: Mapping[str, Any] = MappingProxyType({})

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(f'{name}={value!r}' for name, value in self.fields.items())})"


class FieldTuple(tuple[Any, ...]):  # noqa: SLOT001 - a tuple can have none
    """A tuple whose parts have names, so that it is an object, too."""

    as_object: DataObject


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError("it must be text")
    return text


def _object(parts: Any, read: Callable[[Any], Any]) -> DataObject:
    kind, fields = parts
    # Of a class in a class, or in a function, only its own name counts.
    return DataObject(_text(kind).rpartition(".")[2], {_text(name): read(value) for name, value in fields.items()})


def _fraction(text: str) -> Fraction:
    # With an exponent, a short text could be a number of any size.
    numerator, _, denominator = text.partition("/")
    return Fraction(int(numerator), int(denominator or "1"))


_TAGS: Mapping[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "$int": lambda text, _: int(_text(text)),
    "$float": lambda text, _: float(_text(text)),
    "$tuple": lambda parts, read: tuple(read([*parts])),
    "$set": lambda parts, read: set(keys(read([*parts]))),
    "$dict": lambda pairs, read: mapping([read(key) for key, _ in pairs], [read(value) for _, value in pairs]),
    "$object": _object,
    "$complex": lambda parts, read: complex(*read([*parts])),
    "$bytes": lambda text, _: bytes.fromhex(_text(text)),
    "$decimal": lambda text, _: Decimal(_text(text)),
    "$fraction": lambda text, _: _fraction(_text(text)),
    "$date": lambda text, _: date.fromisoformat(_text(text)),
    "$time": lambda text, _: time.fromisoformat(_text(text)),
    "$datetime": lambda text, _: datetime.fromisoformat(_text(text)),
}


def decoded(data: Any, depth: int = 0) -> Any:
    """Return the value that data represents.

    Raises:
        ValueError: If it represents no value; the message is a clause.
    """
    if depth > DEEPEST:
        raise ValueError(f"it is nested deeper than {DEEPEST} levels")
    if isinstance(data, list):
        return [decoded(part, depth + 1) for part in data]
    if not isinstance(data, dict):
        return data
    tag = next(iter(data)) if len(data) == 1 else None
    if not (isinstance(tag, str) and tag.startswith("$")):
        return {key: decoded(value, depth + 1) for key, value in data.items()}
    if tag not in _TAGS:
        raise ValueError(f"`{tag:.40}` is not a kind of value")
    try:
        return _TAGS[tag](data[tag], lambda part: decoded(part, depth + 1))
    except (ValueError, TypeError, ArithmeticError, AttributeError) as error:
        if isinstance(error, ValueError) and str(error).startswith(("`$", "it is nested")):
            raise
        raise ValueError(f"`{tag}` cannot hold {str(data[tag])[:80]!r}") from None


def mapping(names: list[Any], values: list[Any]) -> dict[Any, Any]:
    """Return a mapping whose names may be unhashable."""
    return dict(zip(keys(names), values, strict=True))


def keys(parts: list[Any]) -> list[Any]:
    """Return values as elements of a set or keys. Many equal hashes are refused, since they take too long."""
    found = [_key(part) for part in parts]
    if max(Counter(map(hash, found)).values(), default=0) > _ONE_HASH:
        raise ValueError(f"more than {_ONE_HASH} of its parts have the same hash")
    return found


def _key(value: Any) -> Any:
    """Return a hashable form of a value, since other languages allow any value in a set or as a key."""
    match value:
        case DataObject(kind, fields):
            return (kind, _key(dict(fields)))
        case list() | tuple():
            return tuple(map(_key, value))
        case dict():
            return tuple((name, _key(part)) for name, part in value.items())
        case set():
            return frozenset(value)
    return value


def as_moments(value: Any) -> Any:
    """Return a value with each date as a point in time, for languages without plain dates."""
    match value:
        case datetime():
            return value if value.tzinfo else value.replace(tzinfo=UTC)
        case date():
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        case DataObject(kind, fields):
            return DataObject(kind, as_moments(fields))
        case list() | tuple() | set():
            return type(value)(map(as_moments, value))
        case dict():
            return {as_moments(key): as_moments(part) for key, part in value.items()}
    return value


def is_same(one: Any, other: Any, near: Callable[[Any, Any], bool] | None = None) -> bool:
    """Return whether two values are the same: numbers by value; true is not 1; a list is not a tuple; nan is nan.

    Args:
        one: The value that a call returned.
        other: The expected value.
        near: Compares two numbers; without it, they must be equal.
    """
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Number) and isinstance(other, Number):
        return near(one, other) if near else _is_same_number(one, other)
    if isinstance(one, FieldTuple):
        one = one.as_object if isinstance(other, DataObject) else tuple(one)
    if type(one) is not type(other):
        return False
    match one:
        case DataObject():
            # Only what the author names is compared: how a class keeps its fields is its own affair.
            known = {**one.more, **one.fields}
            return one.kind == other.kind and all(
                name in known and is_same(known[name], field, near) for name, field in other.fields.items()
            )
        case list() | tuple():
            return len(one) == len(other) and all(is_same(a, b, near) for a, b in zip(one, other, strict=True))
        case dict():
            return one.keys() == other.keys() and all(is_same(one[key], other[key], near) for key in one)
    return bool(one == other)


def _is_same_number(one: Any, other: Any) -> bool:
    try:
        return bool(one == other or (_is_nan(one) and _is_nan(other)))
    except (ArithmeticError, DecimalException):
        return False


def _is_nan(number: Any) -> bool:
    return repr(number) in ("nan", "Decimal('NaN')")


def nearness(relative: float, absolute: float) -> Callable[[Any, Any], bool]:
    """Return a function that compares two numbers. Infinity is only close to itself."""

    def near(one: Any, other: Any) -> bool:
        try:
            first, second = complex(one), complex(other)
        except (ArithmeticError, ValueError, TypeError):
            return False
        return cmath.isclose(first, second, rel_tol=relative, abs_tol=absolute) or (
            cmath.isnan(first) and cmath.isnan(second)
        )

    return near
