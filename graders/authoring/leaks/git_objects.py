"""Reads the objects of a git repository without git, which must not run on untrusted repositories.

Everything that a tag, a stash, a reflog or a lost commit leads to is an object: loose in its own file, or in a pack.
The formats are those of git's documentation (gitformat-pack). Damaged objects are left out.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from hashlib import sha1
from typing import NamedTuple

_LOOSE = re.compile(r"(?:^|/)objects/[0-9a-f]{2}/[0-9a-f]{38}(?:[0-9a-f]{24})?$")
_TYPES = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_BY_OFFSET, _BY_ID = 6, 7
_PACK = b"PACK"
_HEADER_BYTES = 12
_ID_BYTES = 20
_SHOWN = 10
_PIECE_BYTES = 4096


class GitObject(NamedTuple):
    """An object: its type, the first digits of its id, and its content."""

    type: str
    id: str
    data: bytes


def is_loose(path: str) -> bool:
    """Return whether a path is the path of a loose object."""
    return bool(_LOOSE.search(path))


def is_pack(data: bytes) -> bool:
    """Return whether data is a pack."""
    return data.startswith(_PACK) and len(data) > _HEADER_BYTES


def loose(data: bytes, most_bytes: int) -> Iterator[GitObject]:
    """Yield the object of a loose file, unless it is a tree or has more than `most_bytes`."""
    content = _inflated(data, 0, most_bytes)[0]
    header, _, body = content.partition(b"\0")
    type_, _, size = header.partition(b" ")
    if type_ in (b"blob", b"commit", b"tag") and size.isdigit() and int(size) == len(body):
        yield _object(type_.decode(), body)


def packed(data: bytes, most_bytes: int) -> Iterator[GitObject]:
    """Yield the objects of a pack except trees, until `most_bytes` have been unpacked."""
    at: dict[int, tuple[str, bytes]] = {}
    by_id: dict[bytes, tuple[str, bytes]] = {}
    waiting: list[tuple[int, bytes, bytes]] = []
    for start, kind, base, body in _entries(data, most_bytes):
        if kind in _TYPES:
            # Trees, and deltas against trees, contain only names.
            at[start] = _TYPES[kind], body if _TYPES[kind] != "tree" else b""
            by_id[_digest(*at[start])] = at[start]
        elif kind in (_BY_OFFSET, _BY_ID) and not _resolve((start, base, body), at, by_id, most_bytes):
            waiting.append((start, base, body))
    # The base of a delta may come later, or may itself be waiting for its base.
    while waiting:
        left = [each for each in waiting if not _resolve(each, at, by_id, most_bytes)]
        if len(left) == len(waiting):
            break
        waiting = left
    yield from (_object(*each) for each in at.values() if each[0] != "tree")


def _resolve(
    entry: tuple[int, bytes, bytes], at: dict[int, tuple[str, bytes]], by_id: dict[bytes, tuple[str, bytes]], most: int
) -> bool:
    start, base, body = entry
    known = by_id.get(base) if len(base) == _ID_BYTES else at.get(int.from_bytes(base, "big"))
    if known is None:
        return False
    at[start] = known[0], _patched(known[1], body, most)
    by_id[_digest(*at[start])] = at[start]
    return True


def _entries(data: bytes, most_bytes: int) -> Iterator[tuple[int, int, bytes, bytes]]:
    """Yield the start of each entry, its type, the place or id of its base, and its content."""
    position, count = _HEADER_BYTES, int.from_bytes(data[8:12], "big")
    for _ in range(count):
        start = position
        try:
            byte = data[position]
            kind = byte >> 4 & 7
            position += 1
            while byte & 0x80:
                byte = data[position]
                position += 1
            base = b""
            if kind == _BY_ID:
                base, position = data[position : position + _ID_BYTES], position + _ID_BYTES
            elif kind == _BY_OFFSET:
                byte = data[position]
                distance, position = byte & 0x7F, position + 1
                while byte & 0x80:
                    byte = data[position]
                    distance, position = (distance + 1 << 7) | byte & 0x7F, position + 1
                base = max(0, start - distance).to_bytes(8, "big")
        except (IndexError, OverflowError):
            return
        body, position = _inflated(data, position, most_bytes)
        most_bytes -= len(body)
        if not position or most_bytes <= 0:
            return
        yield start, kind, base, body


def _inflated(data: bytes, position: int, most_bytes: int) -> tuple[bytes, int]:
    """Return the content of zlib data and its end position; empty and 0 if the data is damaged or too large."""
    stream, content = zlib.decompressobj(), bytearray()
    try:
        # Decompress in pieces: zlib copies all bytes after the end.
        while not stream.eof:
            piece = data[position : position + _PIECE_BYTES]
            content += stream.decompress(piece, max(1, most_bytes - len(content)))
            if not piece or stream.unconsumed_tail:
                return b"", 0
            position += len(piece)
    except zlib.error:
        return b"", 0
    return bytes(content), position - len(stream.unused_data)


def _patched(base: bytes, delta: bytes, most_bytes: int) -> bytes:
    """Return the result of applying a delta to its base."""
    made = bytearray()
    try:
        position = _after_number(delta, _after_number(delta, 0))
        while position < len(delta) and len(made) < most_bytes:
            code = delta[position]
            position += 1
            if code & 0x80:
                values = []
                for bit in range(7):
                    values.append(delta[position] if code >> bit & 1 else 0)
                    position += code >> bit & 1
                offset = int.from_bytes(bytes(values[:4]), "little")
                length = int.from_bytes(bytes(values[4:]), "little") or 0x10000
                made += base[offset : offset + length]
            else:
                made += delta[position : position + code]
                position += code
    except IndexError:
        pass
    return bytes(made)


def _after_number(data: bytes, position: int) -> int:
    while data[position] & 0x80:
        position += 1
    return position + 1


def _digest(type_: str, body: bytes) -> bytes:
    return sha1(b"%s %d\0" % (type_.encode(), len(body)) + body, usedforsecurity=False).digest()


def _object(type_: str, body: bytes) -> GitObject:
    return GitObject(type_, _digest(type_, body).hex()[:_SHOWN], body)
