"""The top of the page: what was requested, the figures, its plots, and what the list can be filtered by."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from fabricated import check, graded, many
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.model.verdict_document import document
from gradebox.graders.reports.html_report.figures import Bin
from gradebox.graders.reports.html_report.overview import HEIGHT, WIDTH, choices, histogram, overview, rate_chart
from gradebox.graders.reports.html_report.page import environment
from gradebox.graders.reports.wording import STATUSES
from gradebox.graders.runs.statistics import Rate

DOCUMENTS = list(map(document, many(200)))


def test_options_with_their_default_are_not_listed() -> None:
    options = {"cases": ["a"], "submissions": [], "reference": True, "repeat": 1, "profile": "default", "ids": ["x"]}
    assert overview(options, [])["requested"] == {
        "cases": ["a"],
        "reference solutions": "yes",
        "only cases like": ["x"],
    }
    assert overview({"repeat": 2, "other": 0}, [])["requested"] == {"repeats": "2", "other": "0"}


def test_the_bar_of_all_verdicts_is_a_hundred_per_cent_wide() -> None:
    parts = overview({}, DOCUMENTS)["proportions"]
    assert isinstance(parts, list)
    assert [status for status, _, _ in parts] == ["passed", "failed", "error"]
    _, begin, width = parts[-1]
    assert round(begin + width, 1) == 100


def test_rates_are_shown_of_groups_that_are_neither_the_whole_nor_single_verdicts() -> None:
    charts = overview({}, DOCUMENTS)["rate_charts"]
    assert isinstance(charts, list)
    assert [chart.first for chart in charts] == ["target", "category", "tag"] or [chart.first for chart in charts] == [
        "target",
        "submission",
        "category",
        "tag",
    ]


def test_rates_are_grouped_by_model() -> None:
    verdicts = [
        document(graded(case, check("t", score), origin={"model": model}))
        for case in "ab"
        for model, score in (("gpt", 0.0), ("opus", 1.0))
    ]
    charts = {chart.first: chart for chart in overview({}, verdicts)["rate_charts"]}  # type: ignore[attr-defined]
    assert [(rate.name, rate.passed, rate.judged) for rate in charts["model"].rates] == [("gpt", 0, 2), ("opus", 2, 2)]


def test_what_sandboxes_may_not_have_enforced_is_said_once() -> None:
    verdicts = [document(graded(name, check("t", 1.0), not_enforced=("It shares a kernel.",))) for name in "ab"]
    assert overview({}, verdicts)["gaps"] == ["not enforced: It shares a kernel."]


def test_repeats_that_differ_are_counted() -> None:
    pairs = [
        replace(graded(f"case-{number}", check("t", score)), repeat=repeat)
        for number in range(60)
        for repeat, score in ((1, 1.0), (2, 0.0 if number < 55 else 1.0))
    ]
    found = overview({}, list(map(document, pairs)))
    assert (found["graded_repeatedly"], found["differing_count"]) == (60, 55)
    assert isinstance(found["differing"], list)
    assert len(found["differing"]) == 50


def test_choices_are_what_there_is() -> None:
    found = choices(DOCUMENTS)
    assert found["status"] == ["passed", "failed", "error"]
    assert found["target"] == ["model-a", "model-b", "model-c", "model-d"]
    assert found["category"] == ["bug", "feature", "refactoring"]
    assert "web" in found["tag"]
    assert choices([]) == {"status": [], "target": [], "category": [], "tag": []}


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


def test_what_the_tries_of_a_case_come_to_is_listed() -> None:
    tried = [graded("a", check("t", score), trials="mean", repeat=number) for number, score in enumerate((1.0, 0.5), 1)]
    assert overview({}, list(map(document, tried)))["tries"] == ["a: failed by mean: 1 of 2 tries passed, score 0.75"]
