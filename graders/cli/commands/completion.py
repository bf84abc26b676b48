"""``grade completion``: print the script with which a shell completes command lines."""

from __future__ import annotations

from typing import Annotated

import typer

from graders.cli.completion import Shell, print_script
from graders.cli.help import command_app, examples, one_of

app = command_app()


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
    print_script(one_of(Shell, "SHELL", shell))
