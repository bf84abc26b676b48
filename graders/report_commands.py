"""What ``grade report``, ``show``, ``compare`` and ``regrade`` do with a run directory. Prints."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from graders.commands import complain, exit_code, say, tasks_of
from graders.errors import CaseRefused, ExitCode, UsageRefused
from graders.files import read_runners
from graders.loading import load
from graders.loading.diagnostics import suggestion
from graders.reports.comparison import compare
from graders.reports.comparison_text import comparison_lines
from graders.reports.formats import FORMATS
from graders.reports.saving import check_format, save_report
from graders.reports.text import output, print_saved, print_verdict, summary
from graders.result import as_json
from graders.runs.asked import continued
from graders.runs.reading import SavedRun, read_run
from graders.runs.regrading import regrade
from graders.runs.request import Request
from graders.runs.store import Store
from graders.selection import choose
from graders.totals import Totals
from sandbox import image_recipes


def write_report(run: Path, form: str, place: Path | None) -> None:
    """Write a report of a run to a file, or print it.

    Raises:
        UsageRefused: If there is no such format.
        RunRefused: If the run cannot be read, or the file not be written.
    """
    check_format(form)
    if place is not None:
        save_report(read_run(run), form, place)
        return
    for piece in FORMATS[form](read_run(run)):
        sys.stdout.write(piece)


def show_case(run: Path, case: str, submission: str | None) -> None:
    """Print all that is known of a case's verdicts, with what its commands printed.

    Raises:
        UsageRefused: If the run has no such verdict.
        RunRefused: If the run cannot be read.
    """
    saved = read_run(run)
    found = [
        verdict
        for verdict in saved.verdicts.values()
        if verdict.case == case and submission in (None, verdict.submission)
    ]
    if not found:
        raise UsageRefused(
            f"The run has no verdict of {case}" + (f" for {submission}." if submission else "."),
            remedy=_nearest(case, submission or "", saved),
        )
    console = output()
    for verdict in found:
        print_saved(console, saved, verdict)


def _nearest(case: str, submission: str, saved: SavedRun) -> str:
    submissions = {verdict.submission for verdict in saved.verdicts.values() if verdict.case == case}
    if submissions:
        return suggestion(submission, submissions)
    return suggestion(case, {verdict.case for verdict in saved.verdicts.values()}) or "It has none at all."


def compare_runs(before: Path, after: Path, *, as_json_object: bool) -> ExitCode:
    """Print what changed from one run to another; 1 if something that passed does not any more.

    Raises:
        RunRefused: If a run cannot be read.
    """
    comparison = compare(read_run(before), read_run(after))
    if as_json_object:
        sys.stdout.write(comparison.as_json() + "\n")
    else:
        console = output()
        for line in comparison_lines(comparison):
            console.print(line, soft_wrap=True)
    return ExitCode.FAILED if comparison.lost else ExitCode.PASSED


def regrade_run(run: Path, runs: Path | None, *, json_lines: bool, quiet: bool) -> ExitCode:
    """Score a run again, into a run directory of its own.

    Raises:
        GraderError: If the run or its cases cannot be read.
    """
    saved = read_run(run)
    errors = Console(stderr=True, highlight=False)
    request = continued(Request(cases=(), resume=run), saved)
    loaded = [load(path) for path in request.cases]
    complain(loaded, errors)
    chosen = choose(loaded, request.selection)
    tasks = tasks_of(request, chosen.cases).repeated(request.repeat)
    say(tasks.diagnostics, errors)
    runners = read_runners(image_recipes.find_images_directory())
    console = output()
    totals = Totals()
    changed = 0
    store = Store.create(runs or request.runs, {**saved.asked, "regraded": saved.id})
    try:
        for one in regrade(saved, tasks, runners):
            store.add(one.graded)
            totals.add(one.graded)
            changed += one.graded.verdict.status != one.before.verdict
            if json_lines:
                print(as_json(one.graded, store.id), flush=True)
            elif one.graded.verdict.status != one.before.verdict:
                print_verdict(console, one.graded)
    finally:
        store.close()
    if not totals.count:
        raise CaseRefused(f"{run} has no verdict of the cases that it names.")
    gone = len(saved.verdicts) - totals.count
    if gone:
        errors.print(f"{gone} of {len(saved.verdicts)} verdicts were not scored: their case or submission is gone")
    if not quiet:
        errors.print(f"{changed} of {totals.count} verdicts changed")
        errors.print(f"run directory: {store.directory}", style="dim", markup=False, soft_wrap=True)
        errors.print(summary(totals))
    return exit_code(totals, broken=bool(chosen.errors or gone) or tasks.broken)
