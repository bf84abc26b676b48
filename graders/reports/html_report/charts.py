"""Plots: what each bar, line and label of an inline SVG is, and the numbers of its table. Pure.

Sizes and places are attributes and colours are classes: the policy of the page allows no inline style.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from graders.reports import wording
from graders.reports.html_report.figures import Bin, Rate
from graders.reports.wording import STATUSES

WIDTH, HEIGHT = 440, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 36, 20, 16, 26
_FLOOR = HEIGHT - _BOTTOM
_GAP = 3
_LABELS = 8
_RATES = 12


class Bar(NamedTuple):
    status: str
    x: float
    y: float
    width: float
    height: float
    title: str


class Label(NamedTuple):
    """Text in a plot; a tick of the vertical axis also has a line at `y`."""

    text: str
    x: float
    y: float


class Histogram(NamedTuple):
    """A histogram whose bars are stacked by status; `rows` is its table: a range, and its count for each status."""

    name: str
    title: str
    description: str
    bars: list[Bar]
    totals: list[Label]
    ticks: list[Label]
    edges: list[Label]
    statuses: list[str]
    rows: list[tuple[str, list[int]]]


class RateChart(NamedTuple):
    """Pass rates as a table with bars; `first` is the heading of their names."""

    title: str
    first: str
    remark: str
    rates: Sequence[Rate]


def histogram(name: str, title: str, description: str, bins: Sequence[Bin], edge: Callable[[float], str]) -> Histogram:
    """Return a histogram of bins that lie next to each other; `name` is unique in the page."""
    top = _round_up(max((one.total for one in bins), default=0))
    width = (WIDTH - _LEFT - _RIGHT) / max(len(bins), 1)
    scale = (_FLOOR - _TOP) / top
    bars: list[Bar] = []
    totals = []
    for number, one in enumerate(bins):
        left = _LEFT + number * width
        bars += _bars(one, left, width, scale, f"{edge(one.low)} to {edge(one.high)}")
        if one.total:
            y = round(_FLOOR - one.total * scale - 4, 1)
            totals.append(Label(wording.number(one.total), round(left + width / 2, 1), y))
    every = max(1, -(-len(bins) // _LABELS))
    edges = enumerate([*(one.low for one in bins), *(one.high for one in bins[-1:])])
    statuses = [status for status in STATUSES if any(one.counts[status] for one in bins)]
    return Histogram(
        name=name,
        title=title,
        description=description,
        bars=bars,
        totals=totals,
        ticks=[Label(wording.short(value), _LEFT, round(_FLOOR - value * scale, 1)) for value in (0, top // 2, top)],
        edges=[Label(edge(at), round(_LEFT + n * width, 1), HEIGHT - 8) for n, at in edges if n % every == 0],
        statuses=statuses,
        rows=[(f"{edge(one.low)} to {edge(one.high)}", [one.counts[status] for status in statuses]) for one in bins],
    )


def _bars(one: Bin, left: float, width: float, scale: float, span: str) -> Iterator[Bar]:
    base = float(_FLOOR)
    for status in STATUSES:
        count = one.counts[status]
        if count:
            height = count * scale
            base -= height
            title = f"{span}: {wording.number(count)} {wording.status(status)}"
            x, y, size = round(left + _GAP / 2, 1), round(base, 1), round(max(height, 0.5), 1)
            yield Bar(status, x, y, round(width - _GAP, 1), size, title)


def _round_up(count: int) -> int:
    """Return the next number that makes a good end of an axis, and whose half is whole."""
    power = 1
    while 10 * power < count:
        power *= 10
    return next(digit * power for digit in (2, 4, 10) if digit * power >= count)


def rate_chart(title: str, first: str, rates: Sequence[Rate]) -> RateChart:
    more = f" The lowest {_RATES} of {len(rates)} are shown." if len(rates) > _RATES else ""
    remark = f"The bar is the share that passed, the line its 95 % interval.{more}"
    return RateChart(title, first, remark, rates[:_RATES])
