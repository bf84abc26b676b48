"""``grade regrade``: score a run again after its cases changed, without running anything."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import JsonLinesOption, QuietOption, RunArgument, option
from gradebox.graders.errors import CaseRefused, exit_code_of_results

_MOST_KEYS = 5

app = command_app()

JudgmentsOption = Annotated[
    Path | None,
    option(
        None,
        "--judgments FILE",
        "Replies to questions that no judge has answered, as `grade export-judgments` writes them.",
    ),
]


@app.command(
    epilog=examples(
        "grade regrade runs/20260131-142501-3f9c2a",
        "grade regrade runs/20260131-142501-3f9c2a --judgments replies.jsonl",
    )
)
def regrade(
    run: RunArgument,
    runs: Annotated[
        Path | None, typer.Option("--runs", help="Where to create the new run directory.", metavar="DIR")
    ] = None,
    judgments: JudgmentsOption = None,
    json_lines: JsonLinesOption = False,
    quiet: QuietOption = False,
) -> None:
    """Score a run again after weights, requirements or thresholds changed, or words were judged.

    Nothing is run and nobody is asked. The new verdicts go into a run directory of their own.
    """
    from gradebox.graders.cli.selection import load_run
    from gradebox.graders.judges.recorded_judge import read_judgments
    from gradebox.graders.model.verdict_document import as_json
    from gradebox.graders.reports.terminal import output
    from gradebox.graders.reports.text_report import print_verdict
    from gradebox.graders.runs.regrade import regrade as regrade_run
    from gradebox.graders.runs.statistics import Totals
    from gradebox.graders.runs.store import Store

    saved, request, selected, tasks = load_run(run)
    dependent = any(case.depends_on for case in selected.cases)
    given = None if judgments is None else read_judgments(judgments)
    asked: set[str] = set()
    results = regrade_run(saved, tasks, dependent=dependent, broken=selected.broken, judgments=given, asked=asked)
    first = next(results, None)
    if first is None:
        # Before there is a run directory, which would be an empty one.
        raise CaseRefused(
            f"{run} has no verdict of what its cases and submissions are now.", remedy="Nothing was scored again."
        )
    terminal = output()
    totals = Totals()
    changed = 0
    store = Store.create(runs or request.runs, {**saved.requested, "regraded": saved.id})
    try:
        for one in chain((first,), results):
            store.add(one.result)
            totals.add(one.result)
            changed += one.result.verdict.status != one.before.verdict
            if json_lines:
                print(as_json(one.result, store.id), flush=True)
            elif one.result.verdict.status != one.before.verdict:
                print_verdict(terminal, one.result)
    finally:
        store.close()
    _warn_of_unknown(judgments, set(given or ()) - asked)
    gone = len(saved.verdicts) - totals.count
    if gone:
        console.warn(f"{gone} of {len(saved.verdicts)} verdicts were not scored: their case or submission is gone")
    if not quiet:
        console.say(f"{changed} of {totals.count} verdicts changed")
        console.note(*totals.tries.sentences(), f"run directory: {store.directory}")
        console.print_counts(totals.statuses, "scored again")
    broken = bool(selected.errors or gone or tasks.broken)
    raise typer.Exit(exit_code_of_results(failed=totals.failed, not_graded=totals.not_graded or broken))


def _warn_of_unknown(judgments: Path | None, keys: set[str]) -> None:
    """Print the keys of replies to no question of the run."""
    listed = ", ".join(sorted(keys)[:_MOST_KEYS]) + (", ..." if len(keys) > _MOST_KEYS else "")
    if keys:
        console.warn(f"{judgments}: {console.counted(len(keys), 'key')} of no question of this run: {listed}")
