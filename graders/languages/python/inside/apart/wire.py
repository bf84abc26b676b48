"""The bytes of a message: its length, and a JSON tree within the limits of boundary.json."""

from __future__ import annotations

import _json
from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY

MOST_BYTES, _MOST_PARTS = BOUNDARY["limits"]["message_bytes"], BOUNDARY["limits"]["parts"]


class Malformed(Exception):
    """A message of the other side is invalid."""


class CandidateDied(Exception):
    """The candidate's process has ended during a request."""


class _Context:
    """The options for decoding JSON."""

    strict, object_hook, memo, parse_float, parse_int = True, None, None, float, int

    @staticmethod
    def parse_constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    @staticmethod
    def object_pairs_hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a key is there twice")
        return found


def typed(part: Any, kind: type = str) -> Any:
    """Return a part of a tree. Raises Malformed if it has another type."""
    if type(part) is not kind:
        raise Malformed(f"it has something else in place of {kind.__name__}")
    return part


_coder: Any = _json
_scan = _coder.make_scanner(_Context)
_encode = _coder.make_encoder(None, None, _coder.encode_basestring_ascii, None, ":", ",", False, False, False)


json_text: Any = _coder.encode_basestring_ascii
"""Returns a text as JSON."""


def as_json(tree: Any) -> bytes:
    """Return a tree as JSON."""
    return "".join(_encode(tree, 0)).encode("ascii")


def encoded(tree: Any) -> bytes:
    """Return the bytes of a message, with its length in front."""
    data = as_json(tree)
    if len(data) > MOST_BYTES:
        raise ValueError(f"a value of more than {MOST_BYTES >> 20} MiB cannot be passed between two processes")
    return len(data).to_bytes(4, "big") + data


def decoded(data: bytes) -> Any:
    """Return the tree of a message without its length."""
    try:
        if len(data) > _MOST_PARTS:
            import re

            # Empty lists would take twenty times as much memory as their text.
            if len(re.sub(rb'"[^"\\]*(?:\\.[^"\\]*)*"', b"", data)) > 8 * _MOST_PARTS:
                raise Malformed("it has too many parts")
        text = data.decode("utf-8")
        tree, end = _scan(text, 0)
    except (ValueError, RecursionError, MemoryError, StopIteration) as error:
        raise Malformed(f"it is not JSON: {type(error).__name__}") from None
    if end != len(text):
        raise Malformed("it goes on after its end")
    return tree
