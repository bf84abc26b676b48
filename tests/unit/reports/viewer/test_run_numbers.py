"""The top of a run's page says what the HTML report says."""

from __future__ import annotations

from pathlib import Path

import pytest
from fabricated import hostile, many
from index_bench import named_run, updated

from gradebox.graders.reports.html_report.figures import Figures
from gradebox.graders.reports.html_report.overview import overview
from gradebox.graders.reports.viewer.run_numbers import list_choices, run_overview
from gradebox.graders.runs.saved_run import read_run


def test_figures_and_plots_are_those_of_the_report(tmp_path: Path) -> None:
    run = named_run(tmp_path, "one", [*many(80), hostile()])
    saved = read_run(run)
    index = updated(tmp_path)
    wanted = overview(saved.requested, list(saved.verdicts.values()))
    found = run_overview(index, "one", saved.requested)
    assert found.keys() == wanted.keys()
    for name in ("requested", "proportions", "histograms", "rate_charts"):
        assert found[name] == wanted[name]
    # The order in which seconds are added up may differ.
    ours, theirs = found["figures"], wanted["figures"]
    assert isinstance(ours, Figures)
    assert isinstance(theirs, Figures)
    for one, other in zip(ours, theirs, strict=True):
        assert one == (pytest.approx(other) if isinstance(other, float) else other)
    index.close()


def test_a_run_without_verdicts_has_figures(tmp_path: Path) -> None:
    named_run(tmp_path, "one", [])
    index = updated(tmp_path)
    assert run_overview(index, "one", {})["histograms"] == []
    assert not any(list_choices(index, "one").columns.values())
    index.close()


def test_columns_are_those_in_which_there_is_anything(tmp_path: Path) -> None:
    named_run(tmp_path, "one", many(20))
    index = updated(tmp_path)
    found = list_choices(index, "one")
    assert [name for name, shown in found.columns.items() if not shown] == ["with_repeat"]
    assert found.options["status"] == ["passed", "failed"]
    assert found.options["target"] == [f"model-{letter}" for letter in "abcd"]
    index.close()
