"""Completion of the command line by shells: the script that a shell reads, and which words an option takes.

Paths are left to the shell. What knows the words is imported while they are completed, not when ``grade`` starts.
"""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout, suppress
from enum import StrEnum

PROGRAM = "grade"


class Shell(StrEnum):
    """Which shells can complete our words."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def print_script(shell: Shell) -> None:
    """Print what a shell reads to complete our words, as Typer writes it."""
    from graders.cli.main import app  # noqa: PLC0415

    variable = f"_{PROGRAM.upper()}_COMPLETE"
    os.environ[variable] = f"source_{shell}"
    script = io.StringIO()
    try:
        with redirect_stdout(script), suppress(SystemExit):
            app(args=[], prog_name=PROGRAM)
    finally:
        del os.environ[variable]
    # zsh wants to see on the first line for which command a file is.
    print(script.getvalue().strip())


def displays() -> list[str]:
    from graders.cli.progress import Display  # noqa: PLC0415

    return list(Display)


def log_formats() -> list[str]:
    from graders.cli.logs import LogFormat  # noqa: PLC0415

    return list(LogFormat)


def profiles() -> list[str]:
    from sandbox.profiles import SELECTABLE  # noqa: PLC0415

    return list(SELECTABLE)


def report_formats() -> list[str]:
    from graders.reports.registry import formats  # noqa: PLC0415

    return list(formats())


def images() -> list[str]:
    from sandbox.images.recipes import NAMES  # noqa: PLC0415

    return list(NAMES)
