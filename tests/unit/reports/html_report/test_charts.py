"""Plots: bars lie within them and above each other, and tables have the same numbers."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.reports.html_report.charts import HEIGHT, WIDTH, histogram, rate_chart
from graders.reports.html_report.figures import Bin, Rate
from graders.reports.html_report.page import environment
from graders.reports.wording import STATUSES

COUNTS = st.dictionaries(st.sampled_from(STATUSES), st.integers(1, 5000), max_size=4).map(Counter)


@given(st.lists(COUNTS, max_size=14))
def test_bars_lie_within_the_plot_and_do_not_overlap(counts: list[Counter[str]]) -> None:
    bins = [Bin(number, number + 1, one) for number, one in enumerate(counts)]
    plot = histogram("x", "X", "", bins, str)
    assert len(plot.bars) == sum(len(one) for one in counts)
    for bar in plot.bars:
        assert 0 <= bar.x < bar.x + bar.width <= WIDTH
        assert 0 <= bar.y <= bar.y + bar.height <= HEIGHT
    columns: dict[float, list[float]] = {}
    for bar in plot.bars:
        columns.setdefault(bar.x, []).append(bar.y)
    assert all(places == sorted(places, reverse=True) for places in columns.values())
    assert [sum(row) for _, row in plot.rows] == [one.total() for one in counts]
    assert [tick.y for tick in plot.ticks] == sorted((tick.y for tick in plot.ticks), reverse=True)


def test_a_histogram_names_its_bins() -> None:
    plot = histogram("x", "X", "", [Bin(0, 1, Counter(failed=2)), Bin(1, 2, Counter())], lambda edge: f"{edge} s")
    assert plot.bars[0].title == "0 s to 1 s: 2 failed"
    assert [label.text for label in plot.totals] == ["2"]
    assert [label.text for label in plot.edges] == ["0 s", "1 s", "2 s"]
    assert [tick.text for tick in plot.ticks] == ["0", "1", "2"]
    assert (plot.statuses, plot.rows) == (["failed"], [("0 s to 1 s", [2]), ("1 s to 2 s", [0])])


@pytest.mark.parametrize(("count", "top"), [(1, "2"), (3, "4"), (5, "10"), (11, "20"), (4001, "10k")])
def test_an_axis_ends_with_a_round_number(count: int, top: str) -> None:
    assert histogram("x", "X", "", [Bin(0, 1, Counter(passed=count))], str).ticks[-1].text == top


def test_rates_have_bars_and_intervals() -> None:
    chart = rate_chart("X", "target", [Rate("a", 1, 2, 1), Rate("b", 0, 0, 2)])
    html = environment().get_template("rates.html.j2").render(chart=chart)
    first, second = html.split("<tbody>")[1].split("</tr>")[:2]
    assert 'class="s-passed" width="50.0"' in first
    assert '<path class="whisker" d="M9.5 8H90.5M9.5 5v6M90.5 5v6">' in first
    assert '<td class="num">50 %</td>' in first
    assert '1 of 2<span class="note"> +1 error</span>' in first
    assert 'class="s-passed" width="0.0"' in second
    assert "whisker" not in second
    assert '<td class="num">-</td>' in second
    assert '0 of 0<span class="note"> +2 errors</span>' in second
    assert "shown" not in chart.remark
    assert "The lowest 12 of 13 are shown." in rate_chart("X", "t", [Rate(str(n), 1, 2, 0) for n in range(13)]).remark
