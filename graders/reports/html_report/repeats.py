"""Repeats of the same grading: which do not agree, and in which checks. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graders.model.verdict_document import VerdictDocument
from graders.reports import wording as amounts
from graders.reports.html_report.figures import STATUSES
from graders.reports.html_report.markup import (
    NOTHING,
    Html,
    element,
    joined,
    scrolling,
    span,
)
from graders.reports.html_report.vocabulary import anchor, word

_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Repeats:
    """The verdicts of one submission that was graded more than once.

    Attributes:
        first: One of them.
        counts: How many there are of each status.
        differing: Names of the checks that did not come to the same each time.
    """

    first: VerdictDocument
    counts: Counter[str]
    differing: tuple[str, ...]

    @property
    def agree(self) -> bool:
        """Whether all came to the same."""
        return len(self.counts) == 1 and not self.differing


def repeated(verdicts: Iterable[VerdictDocument]) -> list[Repeats]:
    """Return the submissions that were graded more than once, in their order."""
    groups: dict[tuple[str, str | None, str], list[VerdictDocument]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.case, verdict.target, verdict.submission), []).append(verdict)
    return [_of(group) for group in groups.values() if len(group) > 1]


def _of(group: Sequence[VerdictDocument]) -> Repeats:
    seen: dict[str, set[tuple[str, float | None]]] = {}
    for verdict in group:
        for check in verdict.checks:
            seen.setdefault(check.name, set()).add((check.verdict, check.score))
    differing = tuple(name for name, results in seen.items() if len(results) > 1)
    return Repeats(group[0], Counter(verdict.verdict for verdict in group), differing)


def disagreements(groups: Sequence[Repeats]) -> Html:
    """Return a table of the submissions whose repeats do not agree; nothing where all do."""
    found = [group for group in groups if not group.agree]
    if not found:
        return NOTHING
    columns = ["case", "submission", *(["target"] if any(group.first.target for group in found) else [])]
    head = element("tr", *(element("th", name, scope="col") for name in (*columns, "verdicts", "checks that differ")))
    rows = [_row(group, with_target="target" in columns) for group in found[:_SHOWN]]
    return element(
        "section",
        element("h2", "Repeats that do not agree", id="flaky"),
        scrolling(
            "repeats that do not agree",
            element("table", element("thead", head), element("tbody", *rows), class_="flaky"),
        ),
        element("p", f"… and {amounts.number(len(found) - _SHOWN)} more.", class_="note")
        if len(found) > _SHOWN
        else NOTHING,
        aria_labelledby="flaky",
    )


def _row(group: Repeats, *, with_target: bool) -> Html:
    first = group.first
    counts = (
        span(f"badge {status}", f"{amounts.number(group.counts[status])} {word(status)}")
        for status in STATUSES
        if group.counts[status]
    )
    return element(
        "tr",
        element("td", element("a", first.case, href=f"#{anchor(first)}")),
        element("td", first.submission),
        element("td", first.target or "") if with_target else NOTHING,
        element("td", joined(*(joined(count, " ") for count in counts))),
        element("td", ", ".join(group.differing)),
    )
