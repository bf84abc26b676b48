"""Finds messages of interpreters, shells and test runners about something that is missing or broken. Pure.

Such text proves nothing, because a candidate can print it, too. It only shows what to look for.

A pattern of `Language.complaints` has one of these groups, and may have `source`, the file that caused the message:

    program    a program that was not found
    module     a module or package that was not found; relative ones begin with `.` and are relative to `source`
    file       a program file that was not found
    data       another file that was not found
    name       a variable or function that is not defined in `source`
    target     a file that lacks what `source` imports from it
    source     alone: a file that cannot be read as a program
    stack      the same as `source`, in another place
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from gradebox.graders.languages import languages

_KINDS = ("program", "module", "file", "data", "name", "target")
# How much of each end of an output is read: interpreters complain at the beginning, test runners at the end.
_READ_CHARACTERS = 64 * 1024
_MOST = 50
# Colours, and the prefixes of lines in TAP and pytest.
_DECORATION = re.compile(r"\x1b\[[0-9;]*m|^(?:# |E   )?[ \t]*", re.MULTILINE)

# The quotation marks that programs use in UTF-8.
_QUOTES = {0x2018: "'", 0x2019: "'"}


class Complaint(NamedTuple):
    """A message about something missing or broken."""

    kind: str  # The group that matched.
    name: str  # The missing or broken thing, as printed.
    source: str = ""  # The file that caused the message, as printed; empty if unknown.


def complaints(*outputs: str) -> frozenset[Complaint]:
    """Return the complaints in some outputs, at most `_MOST`."""
    found: dict[Complaint, None] = {}
    for output in outputs:
        is_long = len(output) > 2 * _READ_CHARACTERS
        text = f"{output[:_READ_CHARACTERS]}\n{output[-_READ_CHARACTERS:]}" if is_long else output
        text = _DECORATION.sub("", text.translate(_QUOTES))
        for pattern in _patterns():
            for match in pattern.finditer(text):
                groups = {name: value for name, value in match.groupdict().items() if value}
                source = groups.pop("stack", "") or groups.pop("source", "")
                kind = next((kind for kind in _KINDS if kind in groups), "source")
                found[Complaint(kind, groups.get(kind, source), "" if kind == "source" else source)] = None
                if len(found) >= _MOST:
                    return frozenset(found)
    return frozenset(found)


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    written = dict.fromkeys(each for language in languages().values() for each in language.complaints)
    return tuple(re.compile(f"^(?:{each})", re.MULTILINE) for each in written)
