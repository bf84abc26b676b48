"""The leaderboard's counters of a run as a table for spreadsheets: one line for each answer."""

from __future__ import annotations

from collections.abc import Iterator

from gradebox.graders.reports.csv_report import csv_line
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.plugins.julia_leaderboard.counters import Counters, counters_of


def report(run: SavedRun) -> Iterator[str]:
    yield csv_line(Counters._fields)
    for verdict in run.verdicts.values():
        counters = counters_of(verdict)
        if counters is not None:
            yield csv_line(counters)
