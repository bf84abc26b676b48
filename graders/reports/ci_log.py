"""Standard streams in the log of a CI job, in which some lines are commands: keeps quoted text from becoming a command.

Every line is made harmless when it leaves the process (`escaping`), on both streams, because a runner reads them in no
common order. This applies if a CI system announces itself, and to every pipe: a container in a job cannot detect the
job, but its output is in the log. A file and a terminal get the text unchanged.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import RLock

from gradebox.graders.reports.escaping import inert, ungrouped

_ENDS = re.compile(r"[\r\n]")
# Variables that are set in jobs of GitHub (and of systems with its commands), Azure Pipelines and TeamCity.
_READERS = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")


class InertLog(io.TextIOWrapper):
    """A standard stream that passes only our own commands. `harmless` returns whole lines without commands.

    Lines are held until they are complete, since two harmless halves could form a command.
    """

    def __init__(self, stream: io.TextIOWrapper, harmless: Callable[[str], str] = inert) -> None:
        super().__init__(stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
        # Keep a reference: if the stream were garbage-collected, it would close the shared buffer.
        self._stream = stream
        self._harmless = harmless
        self._held: list[str] = []
        self._lock = RLock()

    def write(self, text: str, /) -> int:
        with self._lock:
            ends = [found.end() for found in _ENDS.finditer(text)]
            if not ends:
                self._held.append(text)
                return len(text)
            whole = "".join([*self._held, text[: ends[-1]]])
            self._held = [text[ends[-1] :]]
            super().write(self._harmless(whole))
            return len(text)

    def finish(self) -> None:
        with self._lock:
            rest, self._held = "".join(self._held), []
            super().write(self._harmless(rest))
            self.flush()

    def command(self, line: str) -> None:
        """Write one of our own commands, on a separate line."""
        with self._lock:
            if any(self._held):
                self.write("\n")
            super().write(f"{line}\n")
            self.flush()


def reads_commands(stream: io.TextIOWrapper, environ: Mapping[str, str]) -> bool:
    """Return whether a stream may end up in the log of a CI system that executes commands in it."""
    if any(environ.get(name, "false").lower() not in ("", "false") for name in _READERS):
        return True
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


@contextmanager
def harmless_streams() -> Iterator[None]:
    """Make the standard streams of this process harmless if needed, and flush them at the end."""
    before = sys.stdout, sys.stderr
    buildkite = os.environ.get("BUILDKITE") == "true"
    logs = [
        InertLog(stream, (lambda lines: ungrouped(inert(lines))) if buildkite else inert)
        if isinstance(stream, io.TextIOWrapper) and (buildkite or reads_commands(stream, os.environ))
        else stream
        for stream in before
    ]
    sys.stdout, sys.stderr = logs
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for log in logs:
            if isinstance(log, InertLog):
                log.finish()
                # Otherwise the wrapper would close the original stream, which is used again.
                log.detach()


def write_command(line: str) -> None:
    """Write a command for GitHub to stderr: stdout may be JSON, and the runner reads both."""
    if isinstance(sys.stderr, InertLog):
        sys.stderr.command(line)
    else:
        print(line, file=sys.stderr, flush=True)


@contextmanager
def commands_stopped() -> Iterator[None]:
    """Make GitHub's runner ignore commands, as a second defence besides `InertLog`."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        yield
        return
    token = os.urandom(16).hex()
    write_command(f"::stop-commands::{token}")
    try:
        yield
    finally:
        write_command(f"::{token}::")
