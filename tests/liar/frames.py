"""Frames of the boundary: a length of four bytes and a tree of JSON. Sound ones, and those that are none.

Only bytes are made and taken apart here; nothing is read from or written to a descriptor.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

MOST_BYTES = 64 << 20
_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def frame(text: bytes) -> bytes:
    """Return a message with its length."""
    return len(text).to_bytes(4, "big") + text


def encoded(tree: Any) -> bytes:
    """Return a tree as a message with its length."""
    return frame(_json(tree).encode())


class Unframed:
    """Takes frames out of bytes as they arrive."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the messages that are complete now."""
        self._data += data
        while len(self._data) >= 4:
            end = 4 + int.from_bytes(self._data[:4], "big")
            if len(self._data) < end:
                return
            text = bytes(self._data[4:end])
            del self._data[:end]
            yield text


def broken(chance: random.Random, sound: bytes, texts: Sequence[bytes]) -> bytes:
    """Return bytes that are not a frame, or one that holds no tree.

    Args:
        chance: What decides.
        sound: A frame.
        texts: What is neither JSON nor a value.
    """
    match chance.randrange(10):
        case 0:  # It never ends.
            return sound[: chance.randrange(1, len(sound))]
        case 1:
            return (MOST_BYTES + chance.choice((1, 2, 1 << 20))).to_bytes(4, "big") + sound[4:]
        case 2:
            return chance.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x80\0\0\0"))
        case 3:
            return frame(sound[4 : chance.randrange(4, len(sound))])
        case 4:
            return frame(sound[4:] + chance.choice((b" x", b"]", b"\0", b"[]")))
        case 5:
            return frame(chance.randbytes(chance.choice((1, 3, 17))))
        case 6:
            cut = chance.randrange(4, len(sound))
            return frame(
                sound[4:cut] + chance.choice((b"\xff", b"\xed\xa0\x80", b"NaN", b"1e999", b"\0")) + sound[cut:]
            )
        case 7:
            return frame(chance.choice(texts))
        case 8:  # A value that is none, in its place.
            return frame(b'["=",' + b"%d" % chance.randrange(9) + b",[],[]," + chance.choice(texts) + b"]")
        case _:
            cut = chance.randrange(4, len(sound))
            return frame(sound[4:cut] + chance.choice((b"[" * 200, b'{"a":', b'"\\ud800"', b",", b"-")) + sound[cut:])
