"""The attached streams of a container as a channel.

The engine answers an attach request by handing over the connection. Bytes written to it arrive unchanged at the
container's stdin. Output comes in pieces with an 8-byte header: stream, three zero bytes, length (Docker Engine API,
ContainerAttach, "Stream format"). Works on unix, TCP, TLS and SSH connections.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from http.client import HTTPResponse

from gradebox.sandbox.deadline import Deadline
from gradebox.sandbox.errors import SandboxLost

_HEADER = struct.Struct(">BxxxI")
_STDOUT = 1
_STDERR_MAX = 4096
_RECEIVE = 1 << 18
# How long a write may block before we check whether the container still runs.
_BLOCKED_SECONDS = 0.25


class AttachedChannel:
    """A `Channel` over an attach connection.

    Args:
        connection: The socket that the engine has handed over.
        answer: The engine's answer to the attach request, which is closed with the socket.
    """

    def __init__(self, connection: socket.socket, answer: HTTPResponse | None = None) -> None:
        self._socket = connection
        self._answer = answer
        self._buffer = bytearray()
        self._stderr = bytearray()

    def send(self, data: bytes, timeout_seconds: float) -> None:
        deadline = Deadline.after(timeout_seconds)
        left = memoryview(data)
        try:
            while left:
                self._socket.settimeout(max(min(deadline.remaining_seconds(), _BLOCKED_SECONDS), 0.001))
                try:
                    left = left[self._socket.send(left) :]
                except TimeoutError:
                    if deadline.passed:
                        raise
                    self._receive_pending()
        except (OSError, ValueError) as error:
            raise SandboxLost(f"The sandbox no longer accepts data: {error or type(error).__name__}.") from error

    def _receive_pending(self) -> None:
        """Receive available data. When a container has ended, its engine still accepts data that nothing reads."""
        self._socket.settimeout(0.001)
        try:
            received = self._socket.recv(_RECEIVE)
        except TimeoutError:
            return
        if not received:
            raise SandboxLost("The sandbox ended before it had read all data sent to it.")
        self._buffer += received

    def receive(self, timeout_seconds: float) -> bytes:
        deadline = Deadline.after(timeout_seconds)
        while True:
            piece = self._next_piece()
            if piece is not None:
                stream, data = piece
                if stream == _STDOUT:
                    if data:
                        return data
                else:
                    self._stderr += data[: _STDERR_MAX - len(self._stderr)]
                if deadline.passed:
                    raise TimeoutError
                continue
            try:
                self._socket.settimeout(max(deadline.remaining_seconds(), 0.001))
                received = self._socket.recv(_RECEIVE)
            except TimeoutError:
                raise
            except (OSError, ValueError) as error:
                raise SandboxLost(f"The connection to the sandbox broke: {error or type(error).__name__}.") from error
            if not received:
                return b""
            self._buffer += received

    def _next_piece(self) -> tuple[int, bytes] | None:
        if len(self._buffer) < _HEADER.size:
            return None
        stream, length = _HEADER.unpack_from(self._buffer)
        # Return as much of a piece as has arrived: its announced length must not decide how much memory we use.
        available = min(length, len(self._buffer) - _HEADER.size)
        if available < length and not available:
            return None
        data = bytes(self._buffer[_HEADER.size : _HEADER.size + available])
        del self._buffer[: _HEADER.size + available]
        if available < length:
            self._buffer[:0] = _HEADER.pack(stream, length - available)
        return stream, data

    def stderr(self) -> str:
        return self._stderr.decode("utf-8", "replace").strip()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        # Close the answer before its socket: a later failure could not be caught, and Python 3.13 prints it.
        if self._answer is not None:
            with contextlib.suppress(OSError, ValueError):
                self._answer.close()
        with contextlib.suppress(OSError):
            self._socket.close()
