"""What ``grade report``, ``show``, ``compare`` and ``regrade`` do with a run directory. Prints."""

from __future__ import annotations

import io
import sys
from itertools import chain
from pathlib import Path

from rich.console import Console

from graders.cases import load
from graders.cases.select import choose
from graders.cli.commands.grade import (
    complain,
    exit_code,
    say,
    tasks_of,
)
from graders.errors import CaseRefused, ExitCode
from graders.grading.case_files import read_runners
from graders.model.verdict_document import as_json
from graders.reports.comparison import compare
from graders.reports.comparison_text import comparison_lines
from graders.reports.registry import load_format, save_report
from graders.reports.terminal import output
from graders.reports.text_report import (
    print_saved,
    print_verdict,
    summary,
)
from graders.reports.verdict_names import select
from graders.runs.asked import continued
from graders.runs.reading import read_run
from graders.runs.regrade import regrade
from graders.runs.request import Request
from graders.runs.statistics import Totals
from graders.runs.store import Store
from sandbox.images import recipes


def write_report(run: Path, form: str, place: Path | None) -> None:
    """Write a report of a run to a file, or print it.

    Raises:
        UsageRefused: If there is no such format.
        RunRefused: If the run cannot be read, or the file not be written.
    """
    report = load_format(form)
    if place is not None:
        save_report(read_run(run), form, place)
        return
    if form != "text" and isinstance(sys.stdout, io.TextIOWrapper):
        # Whatever the locale: how a file is encoded is a part of its format.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    for piece in report(read_run(run)):
        sys.stdout.write(piece)


def show_case(run: Path, case: str, submission: str | None, target: str | None, repeat: int | None) -> None:
    """Print all that is known of a case's verdicts, with what its commands printed.

    Raises:
        UsageRefused: If the run has no such verdict, or a name could mean several.
        RunRefused: If the run cannot be read.
    """
    saved = read_run(run)
    console = output()
    for key in select(saved.verdicts, case, submission, target, repeat):
        print_saved(console, saved, saved.verdicts[key])


def compare_runs(before: Path, after: Path, *, common: bool, as_json_object: bool) -> ExitCode:
    """Print what changed from one run to another.

    Returns:
        1 if something that passed does not any more, 5 if nothing is in both runs.

    Raises:
        RunRefused: If a run cannot be read.
    """
    comparison = compare(read_run(before), read_run(after), common=common)
    if as_json_object:
        sys.stdout.write(comparison.as_json() + "\n")
    else:
        console = output()
        for line in comparison_lines(comparison):
            console.print(line, soft_wrap=True)
    if comparison.regressed:
        return ExitCode.FAILED
    return ExitCode.PASSED if comparison.pairs else ExitCode.NOTHING_SELECTED


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
    selected = choose(loaded, request.selection)
    tasks = tasks_of(request, selected.cases, selected.left_out).repeated(request.repeat)
    say(tasks.diagnostics, errors)
    runners = read_runners(recipes.find_images_directory())
    dependent = any(case.depends_on for case in selected.cases)
    results = regrade(saved, tasks, runners, dependent=dependent, broken=selected.broken)
    first = next(results, None)
    if first is None:
        # Before there is a run directory, which would be an empty one.
        raise CaseRefused(
            f"{run} has no verdict of what its cases and submissions are now.", remedy="Nothing was scored again."
        )
    console = output()
    totals = Totals()
    changed = 0
    store = Store.create(runs or request.runs, {**saved.asked, "regraded": saved.id})
    try:
        for one in chain((first,), results):
            store.add(one.result)
            totals.add(one.result)
            changed += one.result.verdict.status != one.before.verdict
            if json_lines:
                print(as_json(one.result, store.id), flush=True)
            elif one.result.verdict.status != one.before.verdict:
                print_verdict(console, one.result)
    finally:
        store.close()
    gone = len(saved.verdicts) - totals.count
    if gone:
        errors.print(f"{gone} of {len(saved.verdicts)} verdicts were not scored: their case or submission is gone")
    if not quiet:
        errors.print(f"{changed} of {totals.count} verdicts changed")
        errors.print(f"run directory: {store.directory}", style="dim", markup=False, soft_wrap=True)
        errors.print(summary(totals, "scored again"))
    return exit_code(totals, broken=bool(selected.errors or gone) or tasks.broken)
