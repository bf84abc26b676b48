r"""Starts programs of the submission as the candidate, for a grader with `isolation: apart`.

from gradebox_candidate import run, popen

done = run(["python3", "app.py"], input="2 3\n", timeout=5)
assert done.returncode == 0 and done.stdout.strip() == "5"
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

# Exit status of a program that exceeded its time limit.
TIMED_OUT = 124
# Looked up once, since `env` of a call may have a PATH that the submission has made.
_PROGRAM = shutil.which("candidate") or "candidate"


def argv(command: Sequence[str], timeout: float | None = None, memory: int | None = None) -> list[str]:
    """Return the command that runs another one as the candidate; `memory` is in bytes.

    `timeout` is in seconds of processor time; a program that waits is stopped after twice as much wall time.
    """
    limits = ["--timeout", str(timeout)] if timeout else []
    limits += ["--memory", str(memory)] if memory else []
    return [_PROGRAM, *limits, "--", *command]


def run(
    command: Sequence[str],
    input: str | bytes = "",  # noqa: A002 - as subprocess names it
    timeout: float | None = None,
    memory: int | None = None,
    **more: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a program and all its processes to their end; return returncode, stdout and stderr, as text.

    The exit status is 124 if the time limit was exceeded, and 128 + N if signal N ended the program.
    """
    more = {"capture_output": True, "text": not isinstance(input, bytes), "errors": "replace", **more}
    if not more["text"]:
        del more["errors"]
    return subprocess.run(argv(command, timeout, memory), input=input, check=False, **more)


def lend(*paths: str | os.PathLike[str]) -> None:
    """Give files and directories of this process to the candidate, until `reclaim` takes them back."""
    subprocess.run([_PROGRAM, "--lend", *paths], check=True)


def reclaim(*paths: str | os.PathLike[str]) -> None:
    """Take files and directories back from the candidate; after that, no name in them leads elsewhere."""
    subprocess.run([_PROGRAM, "--reclaim", *paths], check=True)


class Program(subprocess.Popen[Any]):
    """A program of the submission. When `wait` returns, all of its processes are dead, also after `kill`."""

    def send_signal(self, sig: int) -> None:
        """Send a signal to the program. SIGKILL cannot be passed on, so `candidate` takes SIGPWR for it."""
        super().send_signal(signal.SIGPWR if sig == signal.SIGKILL else sig)


def popen(command: Sequence[str], timeout: float | None = None, memory: int | None = None, **more: Any) -> Program:
    """Start an interactive program: a `subprocess.Popen` with line-buffered pipes for stdin and stdout."""
    given = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "text": True,
        "bufsize": 1,
        "errors": "replace",
        **more,
    }
    return Program(argv(command, timeout, memory), **given)
