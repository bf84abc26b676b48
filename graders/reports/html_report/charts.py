"""Plots as inline SVG, each with its numbers as a table for whoever cannot see it. Pure.

Sizes and places are attributes and colours are classes: the policy of the page allows no inline style.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graders.reports import wording as amounts
from graders.reports.html_report.figures import STATUSES, Bin, Rate
from graders.reports.html_report.markup import (
    NOTHING,
    Html,
    element,
    joined,
    span,
)
from graders.reports.html_report.vocabulary import word

_WIDTH, _HEIGHT = 440, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 36, 20, 16, 26
_GAP = 3
_RATES = 12


def histogram(name: str, title: str, said: str, bins: Sequence[Bin], edge: Callable[[float], str]) -> Html:
    """Return a histogram whose bars are stacked by status.

    Args:
        name: Unique in the page.
        title: Of the plot.
        said: In a sentence, what it shows.
        bins: Next to each other, in order.
        edge: Writes an edge of a bin.
    """
    most = max((one.total for one in bins), default=0)
    top = _round_up(most)
    inner, width = _HEIGHT - _TOP - _BOTTOM, (_WIDTH - _LEFT - _RIGHT) / max(len(bins), 1)
    bars = [
        bar for number, one in enumerate(bins) for bar in _bar(one, _LEFT + number * width, width, inner / top, edge)
    ]
    ticks = [_tick(value, _HEIGHT - _BOTTOM - value * inner / top) for value in (0, top // 2, top)]
    every = max(1, -(-len(bins) // 8))
    edges = [one.low for one in bins] + ([bins[-1].high] if bins else [])
    labels = [
        element("text", edge(low), x=round(_LEFT + number * width, 1), y=_HEIGHT - 8, text_anchor="middle")
        for number, low in enumerate(edges)
        if number % every == 0
    ]
    plot = element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", said, id=f"{name}-desc"),
        *ticks,
        *bars,
        *labels,
        class_="plot",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
    )
    return _figure(title, said, plot, _bin_table(title, bins, edge))


def _bar(one: Bin, left: float, width: float, scale: float, edge: Callable[[float], str]) -> list[Html]:
    found, base = [], float(_HEIGHT - _BOTTOM)
    for status in STATUSES:
        count = one.counts[status]
        if count:
            height = count * scale
            base -= height
            found.append(
                element(
                    "rect",
                    element("title", f"{edge(one.low)} to {edge(one.high)}: {amounts.number(count)} {word(status)}"),
                    class_=f"s-{status}",
                    x=round(left + _GAP / 2, 1),
                    y=round(base, 1),
                    width=round(width - _GAP, 1),
                    height=round(max(height, 0.5), 1),
                )
            )
    if one.total:
        found.append(
            element(
                "text",
                amounts.number(one.total),
                class_="over",
                x=round(left + width / 2, 1),
                y=round(base - 4, 1),
                text_anchor="middle",
            )
        )
    return found


def _tick(value: int, y: float) -> Html:
    return joined(
        element("line", class_="grid", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=round(y, 1), y2=round(y, 1)),
        element("text", amounts.short(value), x=_LEFT - 6, y=round(y + 4, 1), text_anchor="end"),
    )


def _round_up(count: int) -> int:
    """Return the next number that makes a good end of an axis, and whose half is whole."""
    step = 1
    while True:
        for digit in (2, 4, 10):
            if digit * step >= count:
                return digit * step
        step *= 10


def _bin_table(title: str, bins: Sequence[Bin], edge: Callable[[float], str]) -> Html:
    used = [status for status in STATUSES if any(one.counts[status] for one in bins)]
    head = element("tr", element("th", "from", scope="col"), *(element("th", word(one), scope="col") for one in used))
    rows = [
        element(
            "tr",
            element("th", f"{edge(one.low)} to {edge(one.high)}", scope="row"),
            *(element("td", amounts.number(one.counts[status]), class_="num") for status in used),
        )
        for one in bins
    ]
    table = element("table", element("caption", title, class_="vh"), element("thead", head), element("tbody", *rows))
    return element("details", element("summary", "as a table"), table, class_="numbers")


def rate_chart(title: str, first: str, rates: Sequence[Rate]) -> Html:
    """Return pass rates as a table with bars.

    Args:
        title: Of the plot.
        first: Heading of the names.
        rates: The lowest first.
    """
    shown = rates[:_RATES]
    head = element(
        "tr",
        element("th", first, scope="col", class_="r-name"),
        element("th", "pass rate", scope="col"),
        element("th", span("vh", "in per cent"), scope="col", class_="r-rate"),
        element("th", "passed", scope="col", class_="num r-count"),
    )
    table = element(
        "table",
        element("caption", title, class_="vh"),
        element("thead", head),
        element("tbody", *map(_rate, shown)),
        class_="rates",
    )
    more = f" The lowest {_RATES} of {len(rates)} are shown." if len(rates) > _RATES else ""
    return _figure(title, f"The bar is the share that passed, the line its 95 % interval.{more}", table, NOTHING)


def _rate(rate: Rate) -> Html:
    low, high = rate.interval
    share = rate.passed / rate.judged if rate.judged else 0.0
    plot = element(
        "svg",
        element("rect", class_="track", width=100, height=10, y=3, rx=2),
        element("rect", class_="s-passed", width=round(100 * share, 1), height=10, y=3, rx=2),
        element(
            "path", class_="whisker", d=f"M{100 * low:.1f} 8H{100 * high:.1f}M{100 * low:.1f} 5v6M{100 * high:.1f} 5v6"
        )
        if rate.judged
        else None,
        viewBox="-1 0 102 16",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    errors = span("note", f" +{amounts.counted(rate.errors, 'error')}") if rate.errors else NOTHING
    return element(
        "tr",
        element("th", rate.name, scope="row"),
        element("td", plot, class_="barcell"),
        element("td", amounts.percent(rate.passed, rate.judged) if rate.judged else "-", class_="num"),
        element("td", f"{amounts.number(rate.passed)} of {amounts.number(rate.judged)}", errors, class_="num r-count"),
    )


def _figure(title: str, said: str, plot: Html, table: Html) -> Html:
    return element(
        "figure",
        element("figcaption", element("h3", title), element("p", said, class_="note")),
        plot,
        table,
    )
