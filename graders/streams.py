"""What happens when whoever reads our output closes it: the command ends quietly, as after SIGPIPE.

A write to such a pipe raises `ReaderGone`. No other broken pipe is taken for one (a connection to an engine breaks
too), and since it is no `Exception`, no library on the way makes an exit code of its own of it.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from graders.errors import ReaderGone


class _Pipe(io.FileIO):
    """A stream of the process, which says by an exception of ours that nobody reads it any more."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            # What is still in buffers goes nowhere, and is no error when the interpreter ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            raise ReaderGone from None


def guarded(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """Return a stream to the same place that raises `ReaderGone` where its reader is gone.

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
        io.BufferedWriter(_Pipe(number, "w", closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def guard() -> None:
    """Guard stdout and stderr of this process."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = guarded(sys.stdout)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = guarded(sys.stderr)
