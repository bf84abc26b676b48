"""A channel to a supervisor that runs on this machine: its stdin and stdout are one socket, its stderr is a file."""

from __future__ import annotations

import contextlib
import os
import socket

from gradebox.sandbox.deadline import Deadline
from gradebox.sandbox.errors import SandboxLost

_STDERR_MAX = 4096
_RECEIVE = 1 << 18


class LocalChannel:
    """A `Channel` over a pair of sockets. It holds three file descriptors, and two after `give_away`.

    Attributes:
        theirs: The supervisor's end of the pair, for its stdin and stdout.
        words: A file for the supervisor's stderr. It cannot fill up, so nobody has to read it meanwhile.
    """

    def __init__(self) -> None:
        self._socket, self.theirs = socket.socketpair()
        self.words = os.memfd_create("stderr")
        # In gVisor, any process can open another's files through /proc, if their mode permits it.
        os.fchmod(self.words, 0)

    def give_away(self) -> None:
        """Close our copy of the supervisor's end, so that `receive` notices when the supervisor ends.

        Call this once the supervisor has started.
        """
        self.theirs.close()

    def send(self, data: bytes, timeout_seconds: float) -> None:
        deadline = Deadline.after(timeout_seconds)
        left = memoryview(data)
        try:
            while left:
                self._socket.settimeout(max(deadline.remaining_seconds(), 0.001))
                left = left[self._socket.send(left) :]
        except (OSError, ValueError) as error:
            raise SandboxLost(f"The sandbox no longer accepts data: {error or type(error).__name__}.") from error

    def receive(self, timeout_seconds: float) -> bytes:
        try:
            self._socket.settimeout(max(timeout_seconds, 0.001))
            return self._socket.recv(_RECEIVE)
        except TimeoutError:
            raise
        except ConnectionResetError:
            # The supervisor ended before it read everything.
            return b""
        except (OSError, ValueError) as error:
            raise SandboxLost(f"The connection to the sandbox broke: {error or type(error).__name__}.") from error

    def stderr(self) -> str:
        with contextlib.suppress(OSError):
            return os.pread(self.words, _STDERR_MAX, 0).decode("utf-8", "replace").strip()
        return ""

    def close(self) -> None:
        for end in (self._socket, self.theirs):
            end.close()
        words, self.words = self.words, -1
        if words >= 0:
            os.close(words)
