"""Ends a command in an orderly way, and not with an internal error, if its output cannot be written.

A write to a closed pipe or terminal raises `ReaderGone`; the command then ends silently, as after SIGPIPE. A write to a
full disk raises `OutputLost`. Broken pipes elsewhere, such as connections to an engine, raise neither. Both derive from
`BaseException` only, so that no library in between catches them and exits with its own code.
"""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from typing import Any

from gradebox.graders.errors import OutputLost, ReaderGone


class _Output(io.FileIO):
    """A standard stream that raises `ReaderGone` or `OutputLost` if it cannot be written; `title` is for messages."""

    def __init__(self, number: int, title: str) -> None:
        super().__init__(number, "w", closefd=False)
        self._title = title
        # Ask now: a closed terminal no longer answers.
        self._terminal = self.isatty()

    def write(self, data: Any, /) -> int:
        try:
            # Another process may have made the stream non-blocking. Then `write` returns None while it is full.
            while (written := super().write(data)) is None:
                select.select([], [self], [])
            return written
        except OSError as error:
            # Redirect to /dev/null, so that flushing buffers at the end causes no further error.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if error.errno == errno.EPIPE or (self._terminal and error.errno == errno.EIO):
                raise ReaderGone from None
            raise OutputLost(f"{self._title} cannot be written: {error.strerror}.") from None


def guarded(stream: io.TextIOWrapper, title: str) -> io.TextIOWrapper:
    """Return a stream to the same place that raises `ReaderGone` or `OutputLost` if it cannot be written.

    Characters that the encoding lacks are escaped, since a candidate's output must not end a run.
    """
    try:
        number = stream.fileno()
    except OSError:
        # A stream in memory, which nothing can close.
        stream.reconfigure(errors="backslashreplace")
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Output(number, title)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def guard() -> None:
    """Guard stdout and stderr of this process."""
    # Fill closed descriptors 0 to 2, which the next file or connection would get otherwise.
    while (spare := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(spare)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = guarded(sys.stdout, "stdout")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = guarded(sys.stderr, "stderr")
    # For a closed descriptor the interpreter sets the stream to None, but libraries write to it.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()


def _nowhere() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(io.FileIO(os.devnull, "w")), encoding="utf-8")
