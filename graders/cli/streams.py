"""What happens when our output cannot be written: the command ends, in order, and never as a bug of ours.

A write to a pipe that nobody reads any more, or to a terminal that was closed, raises `ReaderGone`, after which the
command ends quietly as after SIGPIPE; on a disk that is full it raises `OutputLost`. No other broken pipe is taken for
one (a connection to an engine breaks too), and since neither is an `Exception`, no library on the way makes an exit
code of its own of it.
"""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from typing import Any

from graders.errors import OutputLost, ReaderGone


class _Output(io.FileIO):
    """A stream of the process, which says by an exception of ours that it cannot be written.

    Args:
        number: Its descriptor.
        title: What it is called.
    """

    def __init__(self, number: int, title: str) -> None:
        super().__init__(number, "w", closefd=False)
        self._title = title
        # A terminal that was closed does not say so any more.
        self._terminal = self.isatty()

    def write(self, data: Any, /) -> int:
        try:
            # Nothing is written where another process has made the stream one that does not wait.
            while (written := super().write(data)) is None:
                select.select([], [self], [])
            return written
        except OSError as error:
            # What is still in buffers goes nowhere, and is no error when the interpreter ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if error.errno == errno.EPIPE or (self._terminal and error.errno == errno.EIO):
                raise ReaderGone from None
            raise OutputLost(f"{self._title} cannot be written: {error.strerror}.") from None


def guarded(stream: io.TextIOWrapper, title: str) -> io.TextIOWrapper:
    """Return a stream to the same place that raises `ReaderGone` or `OutputLost` where it cannot be written.

    What a candidate printed must not end a run on a terminal that cannot show it: such characters are escaped.
    """
    try:
        number = stream.fileno()
    except OSError:
        # In memory: nobody can close it.
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
    # One that is closed would be given to the next file or connection that is opened.
    while (spare := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(spare)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = guarded(sys.stdout, "stdout")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = guarded(sys.stderr, "stderr")
    # The interpreter has none for a descriptor that was closed, though everybody writes to it.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()


def _nowhere() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(io.FileIO(os.devnull, "w")), encoding="utf-8")
