"""Replaces ``${{ NAME }}`` in text by an environment variable, while loading.

``${{ NAME:-text }}`` has a default, which may be empty; without a default, an unset variable is an error.
``$${{ NAME }}`` is the text ``${{ NAME }}``. Source code and shell lines are never changed, since the value would run
as a program.

``{{name}}``, without the dollar, is a variable of the case itself (`filled`). Nothing else between braces is evaluated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from gradebox.graders.documents.scalars import Trap, number_text

# This also matches an unclosed reference, up to a single `}` or the end. No complete reference can begin inside that
# match, so no part of a text is searched twice.
_REFERENCE = re.compile(r"(\$?)\$\{\{\s*+([A-Za-z_][A-Za-z0-9_]*+)\s*+(?::-([^}]*+))?+(\}\})?")
_OPENING = "${{"
_VARIABLE = re.compile(r"(?<!\$)\{\{\s*+([A-Za-z_][\w.-]*+)\s*+\}\}")


class Interpolated(NamedTuple):
    """Text with its references replaced, and the names of the unset variables."""

    text: str
    unset: tuple[str, ...]


def interpolate(text: str, environ: Mapping[str, str]) -> Interpolated:
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
    if _OPENING not in text:
        return ()
    return tuple(match[2] for match in _REFERENCE.finditer(text) if match[4] and not match[1])


def filled(value: Any, variables: Mapping[str, Any]) -> Any:
    """Return data with ``{{name}}`` and ``{{name.part}}`` replaced in its texts; unknown names stay.

    A text that consists only of the name of a list or a mapping becomes that value.
    """

    def found_for(match: re.Match[str]) -> Any:
        found: Any = variables
        for part in match[1].split("."):
            if not isinstance(found, Mapping) or part not in found:
                return match[0]
            found = found[part]
        return found

    match value:
        case str() if "{{" in value:
            whole = _VARIABLE.fullmatch(value.strip())
            found = found_for(whole) if whole else None
            if isinstance(found, list | dict):
                return found
            return _VARIABLE.sub(lambda match: _text(found_for(match)), value)
        case list():
            return [filled(item, variables) for item in value]
        case dict():
            return {key: filled(item, variables) for key, item in value.items()}
        case _:
            return value


def _text(value: Any) -> str:
    match value:
        case str() | Trap():
            return value.text if isinstance(value, Trap) else value
        case int() | float() if not isinstance(value, bool):
            return number_text(value)
        case _:
            return json.dumps(value, ensure_ascii=False, default=str)
