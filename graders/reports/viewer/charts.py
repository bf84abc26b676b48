"""Bars of the viewer: the commands of a grading over time, and the verdicts of each run. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gradebox.graders.reports import wording
from gradebox.graders.reports.html_report.article import ShownCommand, Timeline
from gradebox.graders.reports.html_report.overview import Bar, proportions
from gradebox.graders.runs.index.index_queries import RunRow

_WIDTH, _ROW, _GAP = 1000, 9, 3
_PIXELS_MOST = 120
_LEAST = 3.0
_TREND_WIDTH, _TREND_HEIGHT, _COLUMN_MOST = 1000, 64, 22.0


def timeline(commands: Sequence[ShownCommand]) -> Timeline | None:
    """Return the commands as bars, None for fewer than two commands, or if they took no time."""
    whole = sum(command.seconds for command in commands)
    if len(commands) < 2 or whole <= 0:
        return None
    bars, begun = [], 0.0
    for number, command in enumerate(commands):
        x = min(_WIDTH * begun / whole, _WIDTH - _LEAST)
        width = max(_LEAST, _WIDTH * command.seconds / whole)
        title = f"{command.name}: {wording.seconds(command.seconds)}, from {wording.seconds(begun)}"
        status = "passed" if command.passed else "failed"
        bars.append(Bar(status, round(x, 1), number * _ROW, round(width, 1), _ROW - _GAP, title))
        begun += command.seconds
    height = len(commands) * _ROW - _GAP
    return Timeline(_WIDTH, height, min(_PIXELS_MOST, height), bars)


class TrendChart(NamedTuple):
    """A column for each run: the shares of its verdicts."""

    width: int
    height: int
    bars: list[Bar]


def trend_chart(rows: Sequence[RunRow]) -> TrendChart | None:
    """Return the chart of runs, the oldest first; None if fewer than two have verdicts."""
    shown = [row for row in rows if row.total]
    if len(shown) < 2:
        return None
    step = min(_TREND_WIDTH / len(shown), _COLUMN_MOST)
    bars = []
    for number, row in enumerate(shown):
        for status, begin, share in proportions(row.counts):
            height = _TREND_HEIGHT * share / 100
            y = _TREND_HEIGHT - _TREND_HEIGHT * begin / 100 - height
            count = f"{wording.number(row.counts[status])} of {wording.number(row.total)}"
            title = f"{row.run}: {count} {wording.status(status)}"
            bars.append(
                Bar(status, round(number * step, 1), round(y, 1), round(step * 0.86, 1), round(height, 1), title)
            )
    return TrendChart(round(step * len(shown)), _TREND_HEIGHT, bars)
