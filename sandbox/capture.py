"""From OUT and DONE frames to captures. Pure: bytes in, `Capture` values out.

The supervisor does the capping; what arrives is held against the caps again, because a length in a frame must never
decide how much memory we take.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from sandbox.errors import ProtocolError
from sandbox.types import Capture

STDOUT, STDERR, REPORT = 1, 2, 3


@dataclass(slots=True)
class _Stream:
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    total_bytes: int | None = None
    sha256: str = ""


class Captures:
    """Collects the streams of one command.

    Args:
        capture_bytes: What the command asked to be kept of each stream.
    """

    def __init__(self, capture_bytes: int) -> None:
        self._half = max(capture_bytes // 2, 1)
        self._streams = {STDOUT: _Stream(), STDERR: _Stream(), REPORT: _Stream()}

    def head(self, stream: int, piece: bytes) -> None:
        """Append to a stream's head."""
        self._append(self._stream(stream).head, piece)

    def tail(self, stream: int, piece: bytes) -> None:
        """Append to a stream's tail."""
        self._append(self._stream(stream).tail, piece)

    def total(self, stream: int, total_bytes: int, sha256: str) -> None:
        """Record what the supervisor counted."""
        found = self._stream(stream)
        found.total_bytes = total_bytes
        found.sha256 = sha256

    def partial(self, stream: int) -> Capture:
        """Return what came of a stream whose end was never announced, counted and hashed by ourselves."""
        found = self._stream(stream)
        kept = bytes(found.head + found.tail)
        return Capture(bytes(found.head), bytes(found.tail), len(kept), hashlib.sha256(kept).hexdigest())

    def result(self, stream: int) -> Capture:
        """Return the capture as the supervisor counted it.

        Raises:
            ProtocolError: If the count is less than what arrived.
        """
        found = self._stream(stream)
        if found.total_bytes is None:
            return self.partial(stream)
        kept = len(found.head) + len(found.tail)
        if found.total_bytes < kept:
            raise ProtocolError(f"The supervisor sent {kept} bytes of stream {stream} and counted {found.total_bytes}.")
        return Capture(bytes(found.head), bytes(found.tail), found.total_bytes, found.sha256)

    def _stream(self, stream: int) -> _Stream:
        try:
            return self._streams[stream]
        except KeyError:
            raise ProtocolError(f"The supervisor named a stream {stream}.") from None

    def _append(self, buffer: bytearray, piece: bytes) -> None:
        if len(buffer) + len(piece) > self._half:
            raise ProtocolError(f"The supervisor sent more than the {self._half} bytes of output that were asked for.")
        buffer += piece
