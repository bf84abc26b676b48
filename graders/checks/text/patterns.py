"""Searches candidates' text for authors' regular expressions, without hanging.

A pattern that is fast on honest text may take years on a text crafted for it. So the engine is `regex`, which has a
timeout and the syntax of Python's `re`. A search that times out is a fault of the pattern. It never counts as a match
or as no match, since a candidate could want either.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from gradebox.graders.checks.text.text_check import Unusable

if TYPE_CHECKING:
    import regex

SECONDS = 5.0
MOST_CHARACTERS = 10_000
# Compiling repeats a counted part as often as its count says, and nested counts multiply.
MOST_PARTS = 100_000

# Flags of Python and JavaScript. JavaScript's `g` and `u` change nothing here: one match is enough, and text is always
# Unicode.
_FLAGS = {"i": "IGNORECASE", "m": "MULTILINE", "s": "DOTALL", "x": "VERBOSE", "g": "", "u": ""}

_PIECES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_COUNT = re.compile(r"\{([0-9]{0,9})(?:,[0-9]{0,9})?\}")


class PatternFault(Unusable):
    """A pattern is unusable, or unusable on this text; the message says why."""


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: str = "") -> regex.Pattern[str]:
    """Compile a pattern. Raises PatternFault if it is not a regular expression, or a flag is unknown."""
    import regex  # noqa: PLC0415 - few cases have a pattern

    if len(pattern) > MOST_CHARACTERS:
        raise PatternFault(f"{pattern!r:.80} is longer than {MOST_CHARACTERS} characters")
    if _size(pattern) > MOST_PARTS:
        raise PatternFault(f"{pattern!r:.80} expands to more than {MOST_PARTS} parts")
    if unknown := unknown_flag(flags):
        raise PatternFault(unknown)
    bits = 0
    for flag in flags:
        bits |= getattr(regex, _FLAGS[flag]) if _FLAGS[flag] else 0
    try:
        return regex.compile(pattern, bits)
    except (regex.error, MemoryError, OverflowError, RecursionError, ValueError) as error:
        raise PatternFault(f"{pattern!r:.80} is not a regular expression: {error}") from error


def unknown_flag(flags: str) -> str:
    """Return a clause about a letter that is not a flag; empty if all are."""
    return next((f"the flag {flag!r} is none of {', '.join(_FLAGS)}" for flag in flags if flag not in _FLAGS), "")


def _size(pattern: str) -> int:
    """Return how many single parts a pattern has after repeating its counted parts, or a few more."""
    sizes = [0]
    for piece in _PIECES.finditer(pattern):
        if piece[0] == "(":
            sizes.append(0)
        elif piece[0] == ")" and len(sizes) > 1:
            inner = sizes.pop()
            sizes[-1] += max(1, inner) * _least(pattern, piece.end())
        else:
            sizes[-1] += _least(pattern, piece.end())
    return sum(sizes)


def _least(pattern: str, at: int) -> int:
    """Return the least number of repetitions of the part before a position; optional ones do not count."""
    count = _COUNT.match(pattern, at)
    return max(1, int(count[1] or 0)) if count else 1


def found(pattern: str, text: str, flags: str = "", *, seconds: float = SECONDS) -> bool:
    """Return whether a pattern matches anywhere in a text.

    Raises PatternFault if it cannot be used, or takes longer than `seconds` on this text.
    """
    try:
        return compiled(pattern, flags).search(text, timeout=seconds) is not None
    except TimeoutError:
        raise PatternFault(f"{pattern!r:.80} took longer than {seconds:g} s on this text; simplify it") from None
    except (MemoryError, RecursionError):
        raise PatternFault(f"{pattern!r:.80} ran out of memory on this text; simplify it") from None
