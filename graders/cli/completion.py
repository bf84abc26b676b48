"""Completion of the command line by shells: the script that a shell reads, and the words that an option takes.

Paths are left to the shell. What knows the words is imported while they are completed, not when ``grade`` starts.
"""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout, suppress
from enum import StrEnum

PROGRAM = "grade"


class Shell(StrEnum):
    """Shells that can complete the command line."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def print_script(shell: Shell) -> None:
    """Print what a shell reads to complete the command line, as Typer writes it."""
    from graders.cli.commands.grade import app

    variable = f"_{PROGRAM.upper()}_COMPLETE"
    os.environ[variable] = f"source_{shell}"
    script = io.StringIO()
    try:
        with redirect_stdout(script), suppress(SystemExit):
            app(args=[], prog_name=PROGRAM)
    finally:
        del os.environ[variable]
    # The first line tells zsh which command a file completes.
    print(script.getvalue().strip())


def displays() -> list[str]:
    from graders.cli.progress import Display

    return list(Display)


def log_formats() -> list[str]:
    from graders.cli.logs import LogFormat

    return list(LogFormat)


def profiles() -> list[str]:
    from sandbox.profiles import SELECTABLE

    return list(SELECTABLE)


def report_formats() -> list[str]:
    from graders.reports.registry import formats

    return list(formats())


def images() -> list[str]:
    from sandbox.images.recipes import NAMES

    return list(NAMES)
