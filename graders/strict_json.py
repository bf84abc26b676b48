"""JSON as the standard has it, from whoever: what Python reads beyond it is refused, and only ValueError is raised."""

from __future__ import annotations

import json
import math
from typing import Any


def loads(text: str | bytes) -> Any:
    """Return the one JSON value that a text holds.

    Raises:
        ValueError: If it is none, is nested too deeply, or holds a number that no float can hold.
    """
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number in JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits:.40} is too large")
    return number


class Missing:
    """What is at a path that leads nowhere."""


MISSING = Missing()


def at(data: Any, path: str) -> Any:
    """Return what a path such as ``invoice.items[0].amount`` leads to, MISSING where it leads nowhere."""
    for part in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(data, dict) and part in data:
            data = data[part]
        elif isinstance(data, list) and part.isascii() and part.isdigit() and int(part[:9]) < len(data):
            data = data[int(part[:9])]
        else:
            return MISSING
    return data


def same(one: Any, other: Any) -> bool:
    """Say whether two values are the same in JSON, where true is not 1, and 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)
