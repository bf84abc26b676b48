"""``grade show``: everything that a run keeps about a case."""

from __future__ import annotations

from typing import Annotated

import typer

from gradebox.graders.cli import completion
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import RunArgument

app = command_app()


@app.command(epilog=examples("grade show latest add-auth", "grade show latest add-auth -s model-a --repeat 2"))
def show(
    run: RunArgument,
    case: Annotated[
        str,
        typer.Argument(
            help="Id of a case, or an unambiguous beginning of it.",
            metavar="CASE",
            autocompletion=completion.cases_of_run,
        ),
    ],
    submission: Annotated[
        str | None, typer.Option("--submission", "-s", help="Only this submission.", metavar="NAME")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", help="Only submissions of this target.", metavar="NAME")
    ] = None,
    repeat: Annotated[int | None, typer.Option("--repeat", min=1, help="Only this repeat.", metavar="N")] = None,
) -> None:
    """Show everything that a run keeps about a case.

    Each command, how it ended, and what it printed.
    """
    from gradebox.graders.reports.terminal import output
    from gradebox.graders.reports.text_report import print_saved
    from gradebox.graders.reports.verdict_names import select
    from gradebox.graders.runs.history.run_names import find_run
    from gradebox.graders.runs.saved_run import read_run

    saved = read_run(find_run(run))
    terminal = output()
    for key in select(saved.verdicts, case, submission, target, repeat):
        print_saved(terminal, saved, saved.verdicts[key])
