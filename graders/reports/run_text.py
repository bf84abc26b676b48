"""A run for people, as the terminal has it: every verdict with its checks, and the counts at the end."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich.console import Console

from graders.reports.text import PIPE_COLUMNS, print_verdict, summary
from graders.runs.reading import SavedRun, graded_of
from graders.runs.statistics import Totals, busy_seconds


def report(run: SavedRun) -> Iterator[str]:
    """Yield each verdict, as text without colours."""
    # Whatever this process's terminal is like: the text may go to a file.
    console = Console(file=StringIO(), width=PIPE_COLUMNS, highlight=False, color_system=None, force_terminal=False)
    totals = Totals()
    for verdict in run.verdicts.values():
        graded = graded_of(verdict)
        totals.add(graded)
        with console.capture() as captured:
            print_verdict(console, graded)
        yield captured.get()
    # What was taken from another run took its time there.
    own = ((verdict.started, verdict.wall_seconds) for verdict in run.verdicts.values() if not verdict.reused)
    took = f"in {busy_seconds(own):.1f} s, {totals.wall_seconds:.1f} s of grading"
    yield f"{summary(totals, took).plain}\n"
