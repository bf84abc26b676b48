"""The head of the page: which run it is, what was asked, what came of it, and the plots. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from graders.model.verdict_document import VerdictDocument
from graders.reports import wording as amounts
from graders.reports.html_report.charts import histogram, rate_chart
from graders.reports.html_report.figures import (
    SCORE_BINS,
    STATUSES,
    Totals,
    rates,
    score_bins,
    time_bins,
    totals,
)
from graders.reports.html_report.markup import (
    NOTHING,
    Child,
    Html,
    element,
    joined,
    span,
)
from graders.reports.html_report.repeats import Repeats, disagreements, repeated
from graders.reports.html_report.vocabulary import word
from graders.runs.reading import SavedRun

_NAMES = 12
_LABELS: Mapping[str, str] = {
    "cases": "cases",
    "submissions": "submissions",
    "reference": "reference solutions",
    "answers": "answers",
    "targets": "targets",
    "leaderboard": "leaderboard",
    "ids": "only cases like",
    "tags": "only tags",
    "excluded": "without tags",
    "repeat": "repeats",
    "profile": "profile",
    "runtime": "runtime",
    "regraded": "scored again from",
}
# What was not asked for, or is what everybody gets, is not worth a line.
_UNSAID: tuple[object, ...] = (None, "", False, [], 1, "default")

NamesOf = Callable[[VerdictDocument], Iterable[str]]


def summary(run: SavedRun, verdicts: Sequence[VerdictDocument]) -> Html:
    """Return the head of the page."""
    found = totals(verdicts)
    if not verdicts:
        return _asked(run)
    groups = repeated(verdicts)
    return joined(
        element(
            "section",
            element("h2", "Result", id="result", class_="vh"),
            _proportions(found),
            _cards(found, len(verdicts), groups),
            _asked(run),
            aria_labelledby="result",
        ),
        disagreements(groups),
        element(
            "section",
            element("h2", "Distribution", id="plots"),
            element("div", *_plots(verdicts, found), class_="plots"),
            aria_labelledby="plots",
        ),
    )


def _proportions(found: Totals) -> Html:
    """Return one bar that shows how the verdicts divide; the numbers below say the same."""
    total, left, parts = found.counts.total(), 0.0, []
    for status in STATUSES:
        share = 100 * found.counts[status] / total if total else 0.0
        if share:
            parts.append(element("rect", class_=f"s-{status}", x=round(left, 2), width=round(share, 2), height=8))
        left += share
    return element(
        "svg", *parts, class_="proportions", viewBox="0 0 100 8", preserveAspectRatio="none", aria_hidden="true"
    )


def _cards(found: Totals, total: int, groups: Sequence[Repeats]) -> Html:
    cards = [
        _card(
            word(status),
            amounts.number(found.counts[status]),
            amounts.percent(found.counts[status], total),
            status,
            empty=not found.counts[status],
        )
        for status in STATUSES
        if (found.counts[status] or status in ("passed", "failed", "error"))
    ]
    cards.append(_card("mean score", amounts.score(found.mean_score), f"of {amounts.counted(total, 'verdict')}"))
    elapsed = found.elapsed or timedelta()
    cards.append(
        _card("time", amounts.seconds(elapsed.total_seconds()), f"{amounts.seconds(found.graded_seconds)} of grading")
    )
    if found.tampering:
        cards.append(_card("tampering", amounts.number(found.tampering), "verdicts with a finding"))
    if groups:
        flaky = sum(not group.agree for group in groups)
        cards.append(_card("flaky", amounts.number(flaky), f"of {amounts.number(len(groups))} graded repeatedly"))
    return element("dl", *cards, class_="cards")


def _card(name: str, value: str, aside: str, status: str = "", *, empty: bool = False) -> Html:
    return element(
        "div",
        element("dt", name),
        element("dd", element("strong", value), span("aside", aside)),
        class_=" ".join(filter(None, ("card", status, "none" if empty else ""))),
        data_status=status or None,
    )


def _asked(run: SavedRun) -> Html:
    rows = [
        element("div", element("dt", _LABELS.get(name, name)), element("dd", _value(value)))
        for name, value in run.asked.items()
        # `in` compares, and 1 equals True.
        if not any(value is unsaid or (value == unsaid and type(value) is type(unsaid)) for unsaid in _UNSAID)
    ]
    if not rows:
        return NOTHING
    return element("details", element("summary", "What was asked"), element("dl", *rows, class_="facts asked"))


def _value(value: Any) -> Child:
    if not isinstance(value, list):
        return "yes" if value is True else element("code", str(value))
    listed = [element("li", element("code", str(one))) for one in value[:_NAMES]]
    if len(value) > _NAMES:
        listed.append(element("li", f"and {amounts.number(len(value) - _NAMES)} more"))
    return element("ul", *listed)


def _plots(verdicts: Sequence[VerdictDocument], found: Totals) -> Iterator[Html]:
    unscored = sum(verdict.score is None for verdict in verdicts)
    full = sum(verdict.score == 1 for verdict in verdicts)
    said = f"{amounts.counted(full, 'verdict')} of {amounts.number(len(verdicts))} with the full score"
    if unscored:
        said += f", {amounts.number(unscored)} without any"
    yield histogram(
        "scores", "Scores", f"{said}.", score_bins(verdicts), lambda edge: f"{edge:.{len(str(SCORE_BINS)) - 1}f}"
    )
    said = f"Median {amounts.seconds(found.median_seconds)}, 95th percentile {amounts.seconds(found.slow_seconds)}."
    yield histogram("times", "Time per verdict", said, time_bins(verdicts), _short_seconds)
    for title, first, names_of in _GROUPS:
        groups = rates(verdicts, names_of)
        # One group is the whole, which the head of the page has; groups of one are the list below.
        if 1 < len(groups) <= len(verdicts) / 2:
            yield rate_chart(title, first, groups)


def _short_seconds(value: float) -> str:
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.0f} s" if value < 1000 else f"{value / 1000:g} ks"


_GROUPS: tuple[tuple[str, str, NamesOf], ...] = (
    ("Pass rate by target", "target", lambda verdict: filter(None, (verdict.target,))),
    ("Pass rate by submission", "submission", lambda verdict: (verdict.submission,)),
    ("Pass rate by category", "category", lambda verdict: filter(None, (verdict.category,))),
    ("Pass rate by tag", "tag", lambda verdict: verdict.tags),
)
