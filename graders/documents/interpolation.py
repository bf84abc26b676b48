"""``${{ NAME }}``: an environment variable, put into text while loading.

``${{ NAME:-text }}`` has a default, which may be empty; without one an unset variable is an error. ``$${{ NAME }}`` is
the text ``${{ NAME }}``. Nothing is put into source code or into a command that a shell reads: a value there would be
a program.

``{{name}}``, without the dollar, is a variable of a case's own (`filled`). Nothing else between braces is evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

# One that is never closed is matched as well, to the brace that is missing its fellow or to the end: none begins within
# it that would be, so no part of a text is looked at twice.
_REFERENCE = re.compile(r"(\$?)\$\{\{\s*+([A-Za-z_][A-Za-z0-9_]*+)\s*+(?::-([^}]*+))?+(\}\})?")
_OPENING = "${{"
_VARIABLE = re.compile(r"(?<!\$)\{\{\s*+([A-Za-z_][\w.-]*+)\s*+\}\}")


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


def filled(value: Any, variables: Mapping[str, Any]) -> Any:
    """Return data with ``{{name}}`` and ``{{name.part}}`` replaced in its texts; names that are not known stay."""

    def text_of(match: re.Match[str]) -> str:
        found: Any = variables
        for part in match[1].split("."):
            if not isinstance(found, Mapping) or part not in found:
                return match[0]
            found = found[part]
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)

    match value:
        case str():
            return _VARIABLE.sub(text_of, value) if "{{" in value else value
        case list():
            return [filled(item, variables) for item in value]
        case dict():
            return {key: filled(item, variables) for key, item in value.items()}
        case _:
            return value
