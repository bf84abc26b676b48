"""The figures and plots of a run, as in the HTML report, from the data of the index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, cast

from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.reports.html_report.figures import figures, rates, score_bins, time_bins
from gradebox.graders.reports.html_report.overview import histograms, overview, proportions, rate_charts
from gradebox.graders.reports.wording import STATUSES
from gradebox.graders.runs.index.index_numbers import MeasuredVerdict, choices, measured_verdicts
from gradebox.graders.runs.index.run_index import RunIndex

_CHOICES = 200
_GROUPS: tuple[tuple[str, Callable[[Any], Iterable[str]]], ...] = (
    ("target", lambda one: filter(None, (one.target,))),
    ("model", lambda one: filter(None, (one.model,))),
    ("submission", lambda one: (one.submission,)),
    ("category", lambda one: filter(None, (one.category,))),
    ("tag", lambda one: one.tags),
)


class Choices(NamedTuple):
    """The filters and the columns of a list, by the names that the templates use."""

    options: dict[str, list[str]]
    columns: dict[str, bool]


def run_overview(index: RunIndex, run: str, requested: Mapping[str, Any]) -> dict[str, object]:
    """Return the variables of the overview's template, except those that need whole verdicts: tries and repeats."""
    # A `MeasuredVerdict` has all fields that are used.
    verdicts = cast("list[VerdictDocument]", list[MeasuredVerdict](measured_verdicts(index, run)))
    found = figures(verdicts)
    full = sum(verdict.score == 1 for verdict in verdicts)
    # Variables that need whole verdicts get the values of an empty run.
    return overview(requested, []) | {
        "figures": found,
        "proportions": list(proportions(found.counts)),
        "histograms": histograms(found, full, score_bins(verdicts), time_bins(verdicts)) if verdicts else [],
        "rate_charts": [
            chart
            for group, names_of in _GROUPS
            for chart in rate_charts(f"Pass rate by {group}", group, rates(verdicts, names_of), len(verdicts))
        ],
    }


def list_choices(index: RunIndex, run: str) -> Choices:
    """Return filters and columns for the verdicts of a run, or of all runs if `run` is empty."""
    found = choices(index, run, _CHOICES)
    options = {kind: found.get(kind, []) for kind in ("target", "category", "tag")}
    options["status"] = [status for status in STATUSES if status in found.get("status", ())]
    kinds = {"target": "target", "repeat": "repeat", "category": "category", "tags": "tag", "reasons": "reason"}
    return Choices(options, {f"with_{name}": kind in found for name, kind in kinds.items()})
