"""Reads plain (unquoted) YAML scalars, and recognises those about which versions of YAML disagree.

Scalars that every reader takes for the same value become that value. Those that YAML 1.1 and 1.2 read differently,
or that only look like text (`no`, `010`, `12:30`, `1_000`, `2024-01-01`), become a `Trap`: an error in a text field. A
field for a boolean accepts a word such as `yes`, and free data keeps the text.
"""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import NamedTuple, Self

_MOST_DIGITS = 300

_NULLS = frozenset({"~", "null", "Null", "NULL"})
_BOOLEANS = {**dict.fromkeys(("true", "True", "TRUE"), True), **dict.fromkeys(("false", "False", "FALSE"), False)}
_OLD_BOOLEANS = {
    **dict.fromkeys(("yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("no", "No", "NO", "off", "Off", "OFF"), False),
}
_NUMERIC_START = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(?=\.?[0-9])(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")
_BASED = re.compile(r"[-+]?0(?:x[0-9a-fA-F_]+|o[0-7_]+|b[01_]+)\Z")
_ZERO_LED = re.compile(r"[-+]?0[0-9_]+(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?\Z")
_UNDERSCORED = re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?\Z")
_BASE_SIXTY = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?\Z")


class TrapKind(StrEnum):
    """The kind of value for which other readers of YAML may take a scalar."""

    BOOLEAN = "a truth value"
    NUMBER = "a number"
    DATE = "a date"
    EMPTY = "nothing"


class Trap(NamedTuple):
    """A plain scalar that other readers may take for another value."""

    kind: TrapKind
    text: str  # The text as written.
    truth: bool | None = None  # The boolean that YAML 1.1 reads, None for other kinds.


class WrittenFloat(float):
    """A number whose text cannot be restored from its value, such as ``1.10``."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number


Scalar = str | int | float | bool | None | Trap


def plain_scalar(text: str) -> Scalar:
    """Return the value of a plain scalar if both versions of YAML agree about it, otherwise a `Trap`."""
    if not text:
        return Trap(TrapKind.EMPTY, text)
    if text[0] in _NUMERIC_START:
        return _numeric(text)
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text in _NULLS:
        return None
    if text in _OLD_BOOLEANS:
        return Trap(TrapKind.BOOLEAN, text, _OLD_BOOLEANS[text])
    return text


def _numeric(text: str) -> Scalar:
    if _DATE.match(text):
        return Trap(TrapKind.DATE, text)
    if not any(char.isdigit() for char in text):
        return Trap(TrapKind.NUMBER, text) if _NOT_FINITE.match(text) else text
    if _INTEGER.match(text):
        # Python refuses to parse thousands of digits, and no field needs such a number.
        if len(text) > _MOST_DIGITS:
            return Trap(TrapKind.NUMBER, text)
        return int(text) if text[0] != "+" else WrittenFloat(text)
    if _FLOAT.match(text):
        number = float(text)
        if not math.isfinite(number):
            return Trap(TrapKind.NUMBER, text)
        return number if repr(number) == text else WrittenFloat(text)
    if any(pattern.match(text) for pattern in (_BASED, _ZERO_LED, _UNDERSCORED, _BASE_SIXTY)):
        return Trap(TrapKind.NUMBER, text)
    return text


def number_text(number: float) -> str:
    """Return the text of a number, as it was written if that is known."""
    return number.text if isinstance(number, WrittenFloat) else str(number)
