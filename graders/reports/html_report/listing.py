"""The list of verdicts: a table with a row for each, which links to the whole of it. Pure.

With scripts it is filtered, searched and sorted, and holds no more rows at a time than a screen needs; without, it is
plain tables with links. There are several of them in a large run, so that a browser lays out no more than is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from graders.model.verdict_document import VerdictDocument
from graders.reports import wording as amounts
from graders.reports.html_report.figures import STATUSES
from graders.reports.html_report.markup import (
    NOTHING,
    Child,
    Html,
    element,
    joined,
    lines,
    span,
    text,
)
from graders.reports.html_report.vocabulary import anchor, badge, word

# Of one table; the script shows as many at a time.
_ROWS = 200
_WHY_MAX = 140
_CHOICES = 200
_BRIEF = joined(
    "There are so many verdicts that of what went well only the numbers are here; ",
    element("code", "grade show"),
    " prints all of it, as every verdict says.",
)


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    cell: Callable[[VerdictDocument], Child]
    class_: str | None = None
    # Where no verdict has it, there is no column.
    has: Callable[[VerdictDocument], object] = lambda _: True


_COLUMNS = (
    _Column("#", lambda verdict: amounts.number(verdict.number), "num number"),
    _Column("verdict", lambda verdict: badge(verdict.verdict), "status"),
    _Column("case", lambda verdict: element("a", verdict.case, href=f"#{anchor(verdict)}"), "case"),
    _Column("submission", lambda verdict: verdict.submission, "submission"),
    _Column("target", lambda verdict: verdict.target or "", "target", lambda verdict: verdict.target),
    _Column("repeat", lambda verdict: str(verdict.repeat), "num repeat", lambda verdict: verdict.repeat > 1),
    _Column("category", lambda verdict: verdict.category, "category", lambda verdict: verdict.category),
    _Column(
        "tags",
        lambda verdict: joined(*(span("tag", tag) for tag in verdict.tags)),
        "tags",
        lambda verdict: verdict.tags,
    ),
    _Column("score", lambda verdict: amounts.score(verdict.score), "num score"),
    _Column("time", lambda verdict: amounts.seconds(verdict.wall_seconds), "num time"),
    _Column("why", lambda verdict: lines(why(verdict)), "why", lambda verdict: verdict.reasons),
)


def why(verdict: VerdictDocument) -> str:
    """Return the first reason of a verdict, short; the others are a click away."""
    if not verdict.reasons:
        return ""
    reason = verdict.reasons[0].partition("\n")[0]
    return reason if len(reason) <= _WHY_MAX else f"{reason[:_WHY_MAX]}…"


def listing(verdicts: Sequence[VerdictDocument], *, brief: bool = False) -> Iterator[Html]:
    """Yield the list in pieces.

    Args:
        verdicts: All of them.
        brief: Whether some are told in brief, which is said.
    """
    if not verdicts:
        yield element("p", "The run has no verdict: it was ended before the first one, or that is still to come.")
        return
    columns = [column for column in _COLUMNS if any(map(column.has, verdicts))]
    yield Html('<section id="list" aria-labelledby="verdicts">')
    yield element("h2", "Verdicts", id="verdicts", tabindex=-1)
    yield _controls(verdicts)
    for first in range(0, len(verdicts), _ROWS):
        yield from _table(verdicts[first : first + _ROWS], columns, first)
    yield element("p", element("button", "Show more", type="button", id="more", hidden=True), class_="more")
    if brief:
        yield element("p", _BRIEF, class_="note brief")
    yield Html("</section>")


def _table(verdicts: Sequence[VerdictDocument], columns: Sequence[_Column], first: int) -> Iterator[Html]:
    said = f"Verdicts {amounts.number(first + 1)} to {amounts.number(first + len(verdicts))}" if first else "Verdicts"
    later = " later" if first else ""
    yield Html(f'<div class="scroll{later}" tabindex="0" role="group" aria-label="{text(said)}"><table class="list">')
    yield element("caption", said, class_=None if first else "vh")
    yield element(
        "thead",
        element("tr", *(element("th", column.name, scope="col", class_=column.class_) for column in columns)),
    )
    yield Html("<tbody>")
    for verdict in verdicts:
        yield element("tr", *(element("td", column.cell(verdict), class_=column.class_) for column in columns))
        yield Html("\n")
    yield Html("</tbody></table></div>")


def _controls(verdicts: Sequence[VerdictDocument]) -> Html:
    """Return the filters; they are hidden where there is no script to make them work."""
    statuses = [status for status in STATUSES if any(verdict.verdict == status for verdict in verdicts)]
    return element(
        "form",
        element(
            "div",
            element("label", "Search", for_="search"),
            element(
                "input",
                id="search",
                type="search",
                name="q",
                placeholder="case, submission, reason …",
                autocomplete="off",
                spellcheck="false",
            ),
        ),
        _choice("status", "Verdict", [(status, word(status)) for status in statuses]),
        _choice("target", "Target", [(name, name) for name in _names(verdict.target for verdict in verdicts)]),
        _choice("category", "Category", [(name, name) for name in _names(verdict.category for verdict in verdicts)]),
        _choice("tag", "Tag", [(name, name) for name in _names(tag for verdict in verdicts for tag in verdict.tags)]),
        element("button", "Reset", type="reset", id="reset"),
        element("output", id="shown", for_="search"),
        id="filters",
        role="search",
        aria_label="verdicts",
    )


def _names(found: Iterator[str | None]) -> list[str]:
    return sorted({name for name in found if name})[:_CHOICES]


def _choice(name: str, label: str, options: Sequence[tuple[str, str]]) -> Html:
    if not options:
        return NOTHING
    return element(
        "div",
        element("label", label, for_=name),
        element(
            "select",
            element("option", "all", value=""),
            *(element("option", written, value=value) for value, written in options),
            id=name,
            name=name,
        ),
    )
