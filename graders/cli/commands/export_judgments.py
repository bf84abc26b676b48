"""``grade export-judgments``: the questions of a run that no judge has answered."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import OutputOption, RunArgument
from gradebox.graders.errors import RunRefused

app = command_app()


@app.command(epilog=examples("grade export-judgments latest -o open.jsonl", "grade export-judgments latest --answered"))
def export_judgments(
    run: RunArgument,
    place: OutputOption = None,
    answered: Annotated[
        bool, typer.Option("--answered", help="Also write the questions that were answered, with the replies.")
    ] = False,
) -> None:
    """Write the open questions to judges, one JSON object per line.

    Fill in `reply`, and give the file to `grade regrade --judgments`, or to a judge with `provider: recorded`.
    """
    from gradebox.graders.cli.selection import load_run
    from gradebox.graders.runs.exported_judgments import exported

    found = load_run(run)
    lines = [json.dumps(line) for line in exported(found.saved, found.tasks, answered=answered)]
    text = "".join(f"{line}\n" for line in lines)
    if place is None:
        sys.stdout.write(text)
    else:
        try:
            place.write_text(text, "utf-8")
        except OSError as error:
            raise RunRefused(f"{place} cannot be written: {error.strerror}.", remedy="Name another file.") from error
    console.note(f"{console.counted(len(lines), 'question')}{f' in {place}' if place else ''}")
