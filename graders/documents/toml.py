"""Parses TOML text into a `Node` tree. `tomllib` gives no positions, so mistakes only have a path in the document."""

from __future__ import annotations

import math
import re
import tomllib
from typing import Any

from gradebox.graders.documents.positions import MAX_DEPTH, Malformed, Node
from gradebox.graders.documents.scalars import Trap, TrapKind

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\Z")


def read_toml(text: str) -> Node:
    """Read a TOML document. Raises Malformed if it is not TOML, with line and column if `tomllib` gives them."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _PLACE.search(str(error))
        line, column = (int(match[1]), int(match[2])) if match and match[1] else (text.count("\n") + 1, 1)
        what = _PLACE.sub("", str(error))
        raise Malformed(line, column, f"this is not TOML: {what[:1].lower()}{what[1:]}", "Check quotes.") from None
    except (RecursionError, ValueError):
        raise Malformed(1, 1, "this is not TOML: it is nested too deeply or holds a number too long", "") from None
    return _node(data, 0)


def _node(data: Any, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise Malformed(0, 0, f"this is nested deeper than {MAX_DEPTH} levels", "Flatten it.")
    match data:
        case dict():
            value: Any = {key: _node(child, depth + 1) for key, child in data.items()}
        case list():
            value = [_node(child, depth + 1) for child in data]
        case float() if not math.isfinite(data):
            value = Trap(TrapKind.NUMBER, str(data))
        case str() | bool() | int() | float():
            value = data
        case _:
            value = Trap(TrapKind.DATE, str(data))
    return Node(value, 0, 0)
