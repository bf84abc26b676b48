"""What happens when our output cannot be written: the command ends in good order, and not with an internal error.

A write to a closed pipe or terminal raises `ReaderGone`; the command then ends quietly, as after SIGPIPE. A write to a
full disk raises `OutputLost`. A broken pipe elsewhere, such as a connection to an engine, raises neither. Neither is an
`Exception`, so no library in between can turn it into an exit code of its own.
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
    """A standard stream that raises one of our exceptions when it cannot be written; `title` is for messages."""

    def __init__(self, number: int, title: str) -> None:
        super().__init__(number, "w", closefd=False)
        self._title = title
        # A closed terminal no longer answers this.
        self._terminal = self.isatty()

    def write(self, data: Any, /) -> int:
        try:
            # Another process may have made the stream non-blocking; then nothing is written while it is full.
            while (written := super().write(data)) is None:
                select.select([], [self], [])
            return written
        except OSError as error:
            # Buffers are flushed to nowhere, so that they cause no error when the interpreter ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if error.errno == errno.EPIPE or (self._terminal and error.errno == errno.EIO):
                raise ReaderGone from None
            raise OutputLost(f"{self._title} cannot be written: {error.strerror}.") from None


def guarded(stream: io.TextIOWrapper, title: str) -> io.TextIOWrapper:
    """Return a stream to the same place that raises `ReaderGone` or `OutputLost` when it cannot be written.

    Characters that the terminal cannot show are escaped: output of a candidate must not end a run.
    """
    try:
        number = stream.fileno()
    except OSError:
        # It is in memory, where nothing can close it.
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
    # The next file or connection would get the number of a closed one.
    while (spare := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(spare)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = guarded(sys.stdout, "stdout")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = guarded(sys.stderr, "stderr")
    # The interpreter has no stream for a closed descriptor, but libraries write to it.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()


def _nowhere() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(io.FileIO(os.devnull, "w")), encoding="utf-8")
