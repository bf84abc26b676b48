r"""Standard streams in the log of a CI job, where lines are commands: nothing that is quoted there can be one.

GitHub's runner takes `::name ...::` for a command at the beginning of a line, after blanks, and `##[name ...]` anywhere
in a line, from both streams and without a common order of the two; other systems have `##vso[` and `##teamcity[`. So
every line is made harmless where it leaves the process, in a way that JSON takes for the same text: `\u0023`.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock

_ANYWHERE = re.compile(r"##(?=[A-Za-z_-]*\[)")
# Blanks as the runner trims them, and more; a carriage return ends a line, too.
_AT_BEGIN = re.compile(r"(?:\A|(?<=[\r\n]))([^\S\r\n]*):(?=:)")
_ENDS = re.compile(r"[\r\n]")


def inert(lines: str) -> str:
    """Return whole lines in which no command is left."""
    return _AT_BEGIN.sub(r"\1\\u003a", _ANYWHERE.sub(r"#\\u0023", lines))


class InertLog(io.TextIOWrapper):
    """A standard stream through which no command passes but ours.

    Lines are held until they are whole: two halves could be one command.

    Args:
        stream: What it takes the place of.
    """

    def __init__(self, stream: io.TextIOWrapper) -> None:
        super().__init__(stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
        # Whoever lets go of it closes the buffer that both have.
        self._stream = stream
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
            super().write(inert(whole))
            return len(text)

    def finish(self) -> None:
        """Write what is left, and flush."""
        with self._lock:
            rest, self._held = "".join(self._held), []
            super().write(inert(rest))
            self.flush()

    def command(self, line: str) -> None:
        """Write a command of ours, on a line of its own."""
        with self._lock:
            if any(self._held):
                self.write("\n")
            super().write(f"{line}\n")
            self.flush()


def reads_commands(environ: Mapping[str, str]) -> bool:
    """Say whether our output is the log of a CI system that takes lines of it for commands."""
    return environ.get("GITHUB_ACTIONS") == "true" or bool(environ.keys() & {"TF_BUILD", "TEAMCITY_VERSION"})


@contextmanager
def harmless_streams() -> Iterator[None]:
    """Make the standard streams of this process harmless where that is needed, and write all of them at the end."""
    before = sys.stdout, sys.stderr
    if not reads_commands(os.environ):
        yield
        return
    logs = [InertLog(stream) if isinstance(stream, io.TextIOWrapper) else stream for stream in before]
    sys.stdout, sys.stderr = logs
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        for log in logs:
            if isinstance(log, InertLog):
                log.finish()
                # Else it would close the stream that goes on without it.
                log.detach()


def say_command(line: str) -> None:
    """Write a command of GitHub's to stderr: stdout may be JSON, and the runner reads both."""
    if isinstance(sys.stderr, InertLog):
        sys.stderr.command(line)
    else:
        print(line, file=sys.stderr, flush=True)


@contextmanager
def commands_stopped() -> Iterator[None]:
    """Have GitHub's runner take nothing for a command; a second wall, since its two streams have no common order."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        yield
        return
    token = os.urandom(16).hex()
    say_command(f"::stop-commands::{token}")
    try:
        yield
    finally:
        say_command(f"::{token}::")
