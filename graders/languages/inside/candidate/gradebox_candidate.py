r"""Starts programs of the submission as the candidate, for a grader with `isolation: apart`.

from gradebox_candidate import run, popen

done = run(["python3", "app.py"], input="2 3\n", timeout=5)
assert done.returncode == 0 and done.stdout.strip() == "5"
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Any

# Exit status of a program whose time was over.
TIMED_OUT = 124


def argv(command: Sequence[str], timeout: float | None = None, memory: int | None = None) -> list[str]:
    """Return the command that runs another one as the candidate; `timeout` in seconds, `memory` in bytes."""
    limits = ["--timeout", str(timeout)] if timeout else []
    limits += ["--memory", str(memory)] if memory else []
    return ["candidate", *limits, "--", *command]


def run(
    command: Sequence[str],
    input: str | bytes = "",  # noqa: A002 - as subprocess names it
    timeout: float | None = None,
    memory: int | None = None,
    **more: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a program to its end: returncode, stdout and stderr, as text. All of its processes are dead then.

    The exit status is 124 if the time was over, and 128 + N if signal N ended it.
    """
    more = {"capture_output": True, "text": not isinstance(input, bytes), "errors": "replace", **more}
    if not more["text"]:
        del more["errors"]
    return subprocess.run(argv(command, timeout, memory), input=input, check=False, **more)


def popen(
    command: Sequence[str], timeout: float | None = None, memory: int | None = None, **more: Any
) -> subprocess.Popen[Any]:
    """Start a program to talk to: a `subprocess.Popen` with pipes for stdin and stdout, line by line."""
    given = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "text": True,
        "bufsize": 1,
        "errors": "replace",
        **more,
    }
    return subprocess.Popen(argv(command, timeout, memory), **given)
