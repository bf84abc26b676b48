"""Decompresses tar archives piece by piece, up to a limit."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Protocol

from gradebox.graders.submissions.archive import archive_limits as limits
from gradebox.graders.submissions.archive.archive_limits import ArchiveRefused

_PIECE_BYTES = 1024 * 1024
_XZ_MEMORY_BYTES = 128 * 1024 * 1024
# The allowance for headers and padding of members, besides their contents.
_MAX_HEADERS_BYTES = 2048 * limits.MAX_MEMBERS


class _Decompressor(Protocol):
    """The common interface of the decompressors of the standard library."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


class _Gzip:
    """A gzip stream, with the interface of the decompressors for bzip2 and xz."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


_DECOMPRESSORS: dict[bytes, Callable[[], _Decompressor]] = {
    b"\x1f\x8b": _Gzip,
    **{b"BZh%d1AY&SY" % level: bz2.BZ2Decompressor for level in range(1, 10)},
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES),
}


def is_compressed(data: bytes) -> bool:
    """Return whether data begins like a file compressed by gzip, bzip2 or xz."""
    return data.startswith(tuple(_DECOMPRESSORS))


def decompressed(data: bytes) -> bytes:
    """Return the content of a compressed file, or data unchanged if it is not compressed.

    Raises ArchiveRefused if it is cut off, or exceeds the limits, and OSError, EOFError, ValueError, zlib.error or
    lzma.LZMAError if it is broken.
    """
    make = next((make for magic, make in _DECOMPRESSORS.items() if data.startswith(magic)), None)
    if make is None:
        return data
    pieces: list[bytes] = []
    size = streams = 0
    rest = data
    while rest:
        streams += 1
        if streams > limits.MAX_STREAMS:
            raise ArchiveRefused(f"The archive has more than {limits.MAX_STREAMS} compressed streams.")
        stream = make()
        while not stream.eof:
            piece = stream.decompress(rest, _PIECE_BYTES)
            rest = b""
            if not piece and not stream.eof:
                raise ArchiveRefused("The archive is cut off: its compressed data ends too early.")
            size += len(piece)
            pieces.append(piece)
            _check_size(size, len(data))
        # Zeros after a stream are padding.
        rest = stream.unused_data.lstrip(b"\0")
    return b"".join(pieces)


def _check_size(size: int, packed: int) -> None:
    most = limits.MAX_UNPACKED_BYTES + _MAX_HEADERS_BYTES
    if size > most:
        raise ArchiveRefused(f"The archive unpacks to more than {most} bytes.")
    if size > limits.RATIO_FROM_BYTES and size > limits.MAX_RATIO * packed:
        raise ArchiveRefused(f"The archive unpacks to more than {limits.MAX_RATIO} times its {packed} bytes.")
