"""The top of the page: what was requested, the figures, and what the list can be filtered by."""

from __future__ import annotations

from dataclasses import replace

from fabricated import check, graded, many

from graders.model.verdict_document import document
from graders.reports.html_report.overview import choices, overview

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
