"""``grade merge``: the shards of a run as one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import QuietOption, run_argument
from gradebox.graders.errors import exit_code_of_results

app = command_app()


@app.command(epilog=examples("grade merge shards/* -o runs/whole"))
def merge(
    runs: Annotated[list[Path], run_argument("Runs, in any order.", "RUN...")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The run directory to make, or to complete.", metavar="RUN")
    ],
    quiet: QuietOption = False,
) -> None:
    """Put the shards of a run together.

    Each verdict is taken once. Runs with different cases or options are refused. Exits as the whole run would, and with
    4 if shards are missing or runs do not agree.
    """
    from gradebox.graders.model.verdict_document import result_of
    from gradebox.graders.runs.history.run_names import find_run
    from gradebox.graders.runs.merge import merge as merge_runs
    from gradebox.graders.runs.saved_run import read_run
    from gradebox.graders.runs.statistics import Totals

    found = merge_runs([*map(find_run, runs)], output)
    totals = Totals.of(map(result_of, read_run(output, light=True).verdicts.values()))
    console.warn(*found.images, *found.conflicts, *found.missing)
    if not quiet:
        console.say(f"{found.added} of {console.counted(totals.count, 'verdict')} added")
        console.note(*totals.tries.sentences(), f"run directory: {output}")
        console.print_counts(totals.statuses, f"merged from {console.counted(len(runs), 'run')}")
    not_graded = totals.not_graded or bool(found.missing)
    raise typer.Exit(exit_code_of_results(failed=totals.failed, not_graded=not_graded, nothing=not totals.count))
