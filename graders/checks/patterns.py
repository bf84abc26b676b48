"""Regular expressions of case authors on text of candidates, which must not hang us.

A pattern that is fine on honest text may need years on a text that was made for it. So the engine is `regex`, which
can be told when to give up; and it reads what Python's `re` reads. To give up is a fault of the pattern, and never
"it does not match": a candidate could have wished for either.
"""

from __future__ import annotations

from functools import lru_cache

import regex

SECONDS = 5.0

# The flags that authors know from Python and from JavaScript. Two of the latter change nothing here: `g` asks for
# further matches, and text is Unicode anyway.
_FLAGS = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL, "x": regex.VERBOSE, "g": 0, "u": 0}


class PatternFault(Exception):
    """A pattern cannot be used, or not on this text; the message says why."""


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: str = "") -> regex.Pattern[str]:
    """Compile a pattern.

    Raises:
        PatternFault: If it is no regular expression, or a flag is unknown.
    """
    bits = 0
    for flag in flags:
        if flag not in _FLAGS:
            raise PatternFault(f"the flag {flag!r} is none of {', '.join(_FLAGS)}")
        bits |= _FLAGS[flag]
    try:
        return regex.compile(pattern, bits)
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        raise PatternFault(f"{pattern!r:.80} is not a regular expression: {error}") from error


def found(pattern: str, text: str, flags: str = "", *, seconds: float = SECONDS) -> bool:
    """Say whether a pattern matches anywhere in a text.

    Raises:
        PatternFault: If it cannot be used, or takes longer than `seconds` on this text.
    """
    try:
        return compiled(pattern, flags).search(text, timeout=seconds) is not None
    except TimeoutError:
        raise PatternFault(f"{pattern!r:.80} came to no end on this text in {seconds:g} s; make it simpler") from None
    except (MemoryError, RecursionError):
        raise PatternFault(f"{pattern!r:.80} needs more memory on this text than there is; make it simpler") from None
