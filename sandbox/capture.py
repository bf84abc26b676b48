"""Collects the output of a command from OUT and DONE frames into captures. Pure.

The supervisor caps the output. This module checks the caps again, because the length in a frame must never decide how
much memory this process uses.
"""

from __future__ import annotations

import hashlib
from dataclasses import field

from gradebox.sandbox.errors import ProtocolError
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import Capture

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
        capture_bytes: How much of each stream is kept.
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
        """Record the supervisor's count and hash of a stream."""
        found = self._stream(stream)
        found.total_bytes = total_bytes
        found.sha256 = sha256

    def partial(self, stream: int) -> Capture:
        """Return the received part of an unfinished stream, with our own count and hash."""
        found = self._stream(stream)
        kept = bytes(found.head + found.tail)
        return Capture(bytes(found.head), bytes(found.tail), len(kept), hashlib.sha256(kept).hexdigest())

    def result(self, stream: int) -> Capture:
        """Return the capture with the supervisor's count and hash.

        Raises:
            ProtocolError: If the count is less than the number of received bytes.
        """
        found = self._stream(stream)
        if found.total_bytes is None:
            return self.partial(stream)
        kept = len(found.head) + len(found.tail)
        if found.total_bytes < kept:
            raise ProtocolError(f"The supervisor sent {kept} bytes of stream {stream} but counted {found.total_bytes}.")
        return Capture(bytes(found.head), bytes(found.tail), found.total_bytes, found.sha256)

    def _stream(self, stream: int) -> _Stream:
        try:
            return self._streams[stream]
        except KeyError:
            raise ProtocolError(f"The supervisor used the unknown stream {stream}.") from None

    def _append(self, buffer: bytearray, piece: bytes) -> None:
        if len(buffer) + len(piece) > self._half:
            raise ProtocolError(f"The supervisor sent more than the {self._half} bytes of output requested.")
        buffer += piece
