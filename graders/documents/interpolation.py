"""``${{ NAME }}``: an environment variable, put into text while loading.

``${{ NAME:-text }}`` has a default, which may be empty; without one an unset variable is an error. ``$${{ NAME }}`` is
the text ``${{ NAME }}``. Nothing is put into source code or into a command that a shell reads: a value there would be
a program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

# One that is never closed is matched as well, to the brace that is missing its fellow or to the end: none begins within
# it that would be, so no part of a text is looked at twice.
_REFERENCE = re.compile(r"(\$?)\$\{\{\s*+([A-Za-z_][A-Za-z0-9_]*+)\s*+(?::-([^}]*+))?+(\}\})?")
_OPENING = "${{"


class Interpolated(NamedTuple):
    """Text with its references replaced, and the names of those that are not set."""

    text: str
    unset: tuple[str, ...]


def interpolate(text: str, environ: Mapping[str, str]) -> Interpolated:
    """Replace every reference in a text."""
    if _OPENING not in text:
        return Interpolated(text, ())
    unset: list[str] = []

    def value(match: re.Match[str]) -> str:
        escape, name, default, closed = match.groups()
        if not closed:
            return match[0]
        if escape:
            return match[0][1:]
        if name in environ:
            return environ[name]
        if default is None:
            unset.append(name)
            return ""
        return default.rstrip()

    return Interpolated(_REFERENCE.sub(value, text), tuple(unset))


def references(text: str) -> tuple[str, ...]:
    """Return the names that a text refers to."""
    if _OPENING not in text:
        return ()
    return tuple(match[2] for match in _REFERENCE.finditer(text) if match[4] and not match[1])
