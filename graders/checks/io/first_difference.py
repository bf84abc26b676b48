"""Finds where two texts first differ, and makes a short excerpt. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq

from gradebox.graders.model.expectation import OutputComparison

MARK = "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"
"""Marks the place of the first difference."""
_BEFORE, _AFTER = 30, 60


def differing(
    unit: str, expected: Sequence[bytes], output: Sequence[bytes], same: Callable[[bytes, bytes], bool] = eq
) -> OutputComparison:
    """Compare two lists of parts of a text, such as its lines, one by one."""
    for number, (wanted, got) in enumerate(zip(expected, output, strict=False), 1):
        if not same(wanted, got):
            at = _first(wanted, got)
            column = f", column {at + 1}" if unit == "line" else ""
            return OutputComparison(False, f"{unit} {number}{column}", excerpt(wanted, at), excerpt(got, at))
    count = min(len(expected), len(output))
    if len(expected) > count:
        return OutputComparison(False, f"{unit} {count + 1} is missing", excerpt(expected[count], 0))
    if len(output) > count:
        return OutputComparison(False, f"{unit} {count + 1} is too much", actual=excerpt(output[count], 0))
    return OutputComparison(accepted=True)


def _first(one: bytes, other: bytes) -> int:
    """Return the first position at which two texts differ."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def excerpt(text: bytes, at: int) -> str:
    """Return the text around a position, with a mark at the position; dots stand for omitted text."""
    start, end = max(0, at - _BEFORE), at + _AFTER
    before, after = text[start:at].decode("utf-8", "replace"), text[at:end].decode("utf-8", "replace")
    return f"{'...' if start else ''}{before}{MARK if at else ''}{after}{'...' if end < len(text) else ''}"


def beginning(text: bytes) -> str:
    """Return the first part of a text."""
    return excerpt(text[: 2 * _AFTER], 0)
