"""The top of the page: what was requested, the figures of the run, and its plots. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from graders.model.verdict_document import VerdictDocument
from graders.reports import wording
from graders.reports.html_report.charts import Histogram, RateChart, histogram, rate_chart
from graders.reports.html_report.figures import Figures, figures, rates, repeated, score_bins, time_bins
from graders.reports.wording import STATUSES

_LABELS: Mapping[str, str] = {
    "reference": "reference solutions",
    "ids": "only cases like",
    "tags": "only tags",
    "excluded": "without tags",
    "repeat": "repeats",
    "regraded": "regraded from",
}
# Options that were not given, or have their default, are not listed.
_DEFAULTS: tuple[object, ...] = (None, "", False, [], 1, "default")
_REPEATS_SHOWN = 50
_CHOICES = 200

NamesOf = Callable[[VerdictDocument], Iterable[str]]
_GROUPS: tuple[tuple[str, str, NamesOf], ...] = (
    ("Pass rate by target", "target", lambda verdict: filter(None, (verdict.target,))),
    ("Pass rate by submission", "submission", lambda verdict: (verdict.submission,)),
    ("Pass rate by category", "category", lambda verdict: filter(None, (verdict.category,))),
    ("Pass rate by tag", "tag", lambda verdict: verdict.tags),
)


def overview(requested: Mapping[str, Any], verdicts: Sequence[VerdictDocument]) -> dict[str, object]:
    """Return what the template of the overview shows. Checks of verdicts are needed only where there are repeats."""
    found = figures(verdicts)
    groups = repeated(verdicts)
    differing = [group for group in groups if not group.agree]
    return {
        "requested": _requested(requested),
        "figures": found,
        "proportions": list(_proportions(found)),
        "graded_repeatedly": len(groups),
        "differing": differing[:_REPEATS_SHOWN],
        "differing_count": len(differing),
        "histograms": _histograms(verdicts, found),
        "rate_charts": list(_rate_charts(verdicts)),
    }


def _requested(options: Mapping[str, Any]) -> dict[str, list[str] | str]:
    """Return the options of a run by their labels; a list stays a list."""
    return {
        _LABELS.get(name, name): list(map(str, value))
        if isinstance(value, list)
        else "yes"
        if value is True
        else str(value)
        for name, value in options.items()
        # `in` compares, and 1 equals True.
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


def _proportions(found: Figures) -> Iterator[tuple[str, float, float]]:
    """Yield status, begin and width, in per cent, of the parts of one bar over all verdicts."""
    total, left = found.counts.total(), 0.0
    for status in STATUSES:
        share = 100 * found.counts[status] / total if total else 0.0
        if share:
            yield status, round(left, 2), round(share, 2)
        left += share


def _histograms(verdicts: Sequence[VerdictDocument], found: Figures) -> list[Histogram]:
    unscored = sum(verdict.score is None for verdict in verdicts)
    full = sum(verdict.score == 1 for verdict in verdicts)
    scores = f"{wording.counted(full, 'verdict')} of {wording.number(len(verdicts))} with the full score"
    scores += f", {wording.number(unscored)} without a score." if unscored else "."
    median, slow = wording.seconds(found.median_seconds), wording.seconds(found.slow_seconds)
    times = f"Median {median}, 95th percentile {slow}."
    return [
        histogram("scores", "Scores", scores, score_bins(verdicts), lambda edge: f"{edge:.1f}"),
        histogram("times", "Time per verdict", times, time_bins(verdicts), _short_seconds),
    ]


def _short_seconds(value: float) -> str:
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.0f} s" if value < 1000 else f"{value / 1000:g} ks"


def _rate_charts(verdicts: Sequence[VerdictDocument]) -> Iterator[RateChart]:
    for title, first, names_of in _GROUPS:
        groups = rates(verdicts, names_of)
        # One group is the whole run, which has its figures; groups of one are the list of verdicts.
        if 1 < len(groups) <= len(verdicts) / 2:
            yield rate_chart(title, first, groups)
