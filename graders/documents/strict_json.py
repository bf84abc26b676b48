"""Parses standard JSON from hostile input: refuses Python's extensions, and raises only ValueError."""

from __future__ import annotations

import json
import math
from typing import Any

# Code that reads, compares or writes such data may recurse, and the possible depth depends on the version of Python.
MAX_DEPTH = 100


def loads(text: str | bytes, *, unique: bool = False) -> Any:
    """Return the JSON value of a text.

    With `unique`, an object with a duplicate key is refused. Raises ValueError if the text is not JSON, is nested
    deeper than MAX_DEPTH, or has a number that exceeds a float.
    """
    try:
        value = json.loads(
            text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique if unique else None
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if is_deep(value):
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
    return value


def is_deep(value: Any) -> bool:
    """Return whether lists and mappings are nested deeper than MAX_DEPTH."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for held in level
            if isinstance(held, dict | list)
            for inner in (held.values() if isinstance(held, dict) else held)
        ]
        if not level:
            return False
    return True


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number in JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object names a key twice")
    return found


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits:.40} is too large")
    return number


class Missing:
    """The type of MISSING, the result for a path that does not exist."""


MISSING = Missing()


def at(data: Any, path: str) -> Any:
    """Return the value at a path such as ``invoice.items[0].amount``, MISSING if there is none."""
    for part in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(data, dict) and part in data:
            data = data[part]
        elif isinstance(data, list) and part.isascii() and part.isdigit() and int(part[:9]) < len(data):
            data = data[int(part[:9])]
        else:
            return MISSING
    return data


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal in JSON: true differs from 1, but 1 equals 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)
