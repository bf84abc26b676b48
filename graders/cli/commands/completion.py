"""``grade completion``: print the script with which a shell completes command lines."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout, suppress
from enum import StrEnum
from typing import Annotated

import typer

from gradebox.graders.cli.help import command_app, examples, one_of

_VARIABLE = "_GRADE_COMPLETE"

app = command_app()


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@app.command(
    epilog=examples(
        "grade completion bash > ~/.local/share/bash-completion/completions/grade",
        "grade completion zsh > ~/.zfunc/_grade",
        "grade completion fish > ~/.config/fish/completions/grade.fish",
    )
)
def completion(
    shell: Annotated[
        str, typer.Argument(help="bash, zsh or fish.", metavar="SHELL", autocompletion=lambda: list(Shell))
    ],
) -> None:
    """Print a completion script for bash, zsh or fish.

    It completes commands, options, some of their values, and paths.
    """
    from gradebox.graders.cli.commands.grade import app as grade

    os.environ[_VARIABLE] = f"source_{one_of(Shell, 'SHELL', shell)}"
    script = io.StringIO()
    try:
        # Typer writes it.
        with redirect_stdout(script), suppress(SystemExit):
            grade(args=[], prog_name="grade")
    finally:
        del os.environ[_VARIABLE]
    # The first line tells zsh which command a file completes.
    print(script.getvalue().strip())
