"""The top of the page: the request, the figures of the run, and its plots. Pure.

A plot is a list of bars, lines and labels for an inline SVG, and the numbers of its table. Sizes and positions are
attributes and colours are classes, because the page's content security policy allows no inline styles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from gradebox.graders.model.verdict_document import VerdictDocument, result_of
from gradebox.graders.reports import wording
from gradebox.graders.reports.html_report.class_figures import ClassFigures
from gradebox.graders.reports.html_report.figures import Bin, Figures, figures, rates, repeated, score_bins, time_bins
from gradebox.graders.reports.wording import STATUSES
from gradebox.graders.runs.statistics import Rate, Totals

WIDTH, HEIGHT = 440, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 36, 20, 16, 26
_FLOOR = HEIGHT - _BOTTOM
_GAP = 3
_EDGES = 8
_RATES = 12
_LABELS: Mapping[str, str] = {
    "reference": "reference solutions",
    "ids": "only cases like",
    "tags": "only tags",
    "excluded": "without tags",
    "where": "only with",
    "repeat": "repeats",
    "regraded": "regraded from",
}
# Options with these values, which mean that nobody set them, are not listed.
_DEFAULTS: tuple[object, ...] = (None, "", False, [], 1, "default")
_REPEATS_SHOWN = 50
_CHOICES = 200

NamesOf = Callable[[VerdictDocument], Iterable[str]]
_GROUPS: tuple[tuple[str, str, NamesOf], ...] = (
    ("Pass rate by target", "target", lambda verdict: filter(None, (verdict.target,))),
    ("Pass rate by model", "model", lambda verdict: filter(None, (str(verdict.origin.get("model", "")),))),
    ("Pass rate by submission", "submission", lambda verdict: (verdict.submission,)),
    ("Pass rate by category", "category", lambda verdict: filter(None, (verdict.category,))),
    ("Pass rate by tag", "tag", lambda verdict: verdict.tags),
)


class Bar(NamedTuple):
    status: str
    x: float
    y: float
    width: float
    height: float
    title: str


class Label(NamedTuple):
    """Text in a plot. A tick of the vertical axis also has a line at `y`."""

    text: str
    x: float
    y: float


class Histogram(NamedTuple):
    """A histogram with bars stacked by status. A row of its table `rows` has a range and the count of each status."""

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
    """Pass rates as a table with bars; `first` is the heading of the column of names."""

    title: str
    first: str
    remark: str
    rates: Sequence[Rate]


def overview(
    requested: Mapping[str, Any], verdicts: Sequence[VerdictDocument], of_class: ClassFigures | None = None
) -> dict[str, object]:
    """Return the variables of the overview's template. Only verdicts of repeats need their checks."""
    found = figures(verdicts)
    groups = repeated(verdicts)
    differing = [group for group in groups if not group.agree]
    totals = Totals.of(map(result_of, verdicts))
    return {
        "requested": shown_request({name: value for name, value in requested.items() if name != "hand_ins"}),
        "of_class": of_class,
        "figures": found,
        "proportions": list(proportions(found.counts)),
        "graded_repeatedly": len(groups),
        "differing": differing[:_REPEATS_SHOWN],
        "differing_count": len(differing),
        "tries": list(islice(totals.tries.sentences(), _REPEATS_SHOWN)),
        "gaps": list(totals.gaps()),
        "histograms": histograms(
            found, sum(verdict.score == 1 for verdict in verdicts), score_bins(verdicts), time_bins(verdicts)
        ),
        "rate_charts": list(_rate_charts(verdicts)),
    }


def shown_request(options: Mapping[str, Any]) -> dict[str, list[str] | str]:
    """Return the options of a run by label, as texts or lists of texts."""
    return {
        _LABELS.get(name, name): list(map(str, value))
        if isinstance(value, list)
        else "yes"
        if value is True
        else str(value)
        for name, value in options.items()
        # `in` would not do: it compares with `==`, and 1 equals True.
        if not any(value is one or (value == one and type(value) is type(one)) for one in _DEFAULTS)
    }


def choices(verdicts: Sequence[VerdictDocument]) -> dict[str, list[str]]:
    found: dict[str, set[str | None]] = {
        "target": {verdict.target for verdict in verdicts},
        "category": {verdict.category for verdict in verdicts},
        "tag": {tag for verdict in verdicts for tag in verdict.tags},
    }
    present = {verdict.verdict for verdict in verdicts}
    return {
        "status": [status for status in STATUSES if status in present],
        **{kind: sorted(name for name in names if name)[:_CHOICES] for kind, names in found.items()},
    }


def proportions(counts: Counter[str]) -> Iterator[tuple[str, float, float]]:
    """Yield the status, start and width (in percent) of each part of a bar that shows all verdicts."""
    total, left = counts.total(), 0.0
    for status in STATUSES:
        share = 100 * counts[status] / total if total else 0.0
        if share:
            yield status, round(left, 2), round(share, 2)
        left += share


def histograms(found: Figures, full: int, scores: Sequence[Bin], times: Sequence[Bin]) -> list[Histogram]:
    """Return the histograms of a run. `full` is the number of verdicts with the full score."""
    total = found.counts.total()
    unscored = total - found.scored
    said = f"{wording.counted(full, 'verdict')} of {wording.number(total)} with the full score"
    said += f", {wording.number(unscored)} without a score." if unscored else "."
    median, slow = wording.seconds(found.median_seconds), wording.seconds(found.slow_seconds)
    took = f"Median {median}, 95th percentile {slow}."
    return [
        histogram("scores", "Scores", said, scores, lambda edge: f"{edge:.1f}"),
        histogram("times", "Time per verdict", took, times, _short_seconds),
    ]


def _short_seconds(value: float) -> str:
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.0f} s" if value < 1000 else f"{value / 1000:g} ks"


def _rate_charts(verdicts: Sequence[VerdictDocument]) -> Iterator[RateChart]:
    for title, first, names_of in _GROUPS:
        yield from rate_charts(title, first, rates(verdicts, names_of), len(verdicts))


def rate_charts(title: str, first: str, groups: Sequence[Rate], total: int) -> Iterator[RateChart]:
    """Yield the chart of groups, if it says more than the rest of the page. `total` is the number of verdicts."""
    # One group repeats the figures of the run, and groups of one verdict repeat the list of verdicts.
    if 1 < len(groups) <= total / 2:
        yield rate_chart(title, first, groups)


def histogram(name: str, title: str, description: str, bins: Sequence[Bin], edge: Callable[[float], str]) -> Histogram:
    """Return a histogram of adjacent bins; `name` must be unique in the page."""
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
    every = max(1, -(-len(bins) // _EDGES))
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
    """Return the next round number for the end of an axis, with a whole number as its half."""
    power = 1
    while 10 * power < count:
        power *= 10
    return next(digit * power for digit in (2, 4, 10) if digit * power >= count)


def rate_chart(title: str, first: str, rates: Sequence[Rate]) -> RateChart:
    more = f" The lowest {_RATES} of {len(rates)} are shown." if len(rates) > _RATES else ""
    remark = f"The bar is the share that passed, the line its 95 % interval.{more}"
    return RateChart(title, first, remark, rates[:_RATES])
