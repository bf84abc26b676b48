"""TOML text -> `Node` tree. Python's reader gives no positions, so keys are found again by their lines."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from graders.documents.positions import MAX_DEPTH, Malformed, Node
from graders.documents.scalars import Trap, TrapKind

_PLACE = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)\Z")
# Possessive, so that a line of brackets and blanks is read once.
_TABLE = re.compile(r"\s*+\[\[?+\s*+([^\]\[]++)\]\]?+\s*+(?:#.*)?\Z")
_KEY = re.compile(r"\s*([A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')\s*=\s*")
_FENCE = re.compile(r'"""|\'\'\'')

Lines = Mapping[tuple[str, ...], tuple[int, int, int]]


def read_toml(text: str) -> Node:
    """Read a TOML document.

    Raises:
        Malformed: It is not TOML.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        match = _PLACE.search(message)
        line = int(match[1]) if match and match[1] else text.count("\n") + 1
        column = int(match[2]) if match and match[2] else 1
        what = message[: match.start()].strip() if match else message
        raise Malformed(line, column, f"this is not TOML: {what[:1].lower()}{what[1:]}", "Check quotes.") from None
    except (RecursionError, ValueError):
        raise Malformed(1, 1, "this is not TOML: it is nested too deeply or holds a number too long", "") from None
    return _node(data, (), _lines(text), (1, 1, 1), 0)


def _lines(text: str) -> Lines:
    """Return line, column and column of the value for the keys of tables, as far as a scan by lines finds them."""
    lines: dict[tuple[str, ...], tuple[int, int, int]] = {}
    table: tuple[str, ...] = ()
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not fence:
            header = _TABLE.match(line)
            key = _KEY.match(line)
            if header:
                table = tuple(part.strip().strip(" \"'") for part in header[1].split("."))
                lines.setdefault(table, (number, line.index("[") + 1, line.index("[") + 1))
            elif key:
                name = key[1].strip("\"'")
                lines.setdefault((*table, name), (number, key.start(1) + 1, key.end() + 1))
        for match in _FENCE.finditer(line):
            if not fence:
                fence = match[0]
            elif match[0] == fence:
                fence = ""
    return lines


def _node(data: Any, path: tuple[str, ...], lines: Lines, above: tuple[int, int, int], depth: int) -> Node:
    line, column, value_column = place = lines.get(path, above)
    if depth > MAX_DEPTH:
        raise Malformed(line, column, f"this is nested deeper than {MAX_DEPTH} levels", "Flatten it.")
    match data:
        case dict():
            value: Any = {key: _node(child, (*path, key), lines, place, depth + 1) for key, child in data.items()}
        case list():
            value = [_node(child, (*path, "[]"), lines, place, depth + 1) for child in data]
        case float() if not math.isfinite(data):
            value = Trap(TrapKind.NUMBER, str(data))
        case str() | bool() | int() | float():
            value = data
        case _:
            value = Trap(TrapKind.DATE, str(data))
    return Node(value, line, value_column, line, column)
