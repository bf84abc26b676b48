"""The checks of a verdict as a table, and what shows that a submission bent its judge. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graders.model.verdict_document import (
    CheckDocument,
    TamperingDocument,
    VerdictDocument,
)
from graders.reports import wording as amounts
from graders.reports.html_report.markup import (
    NOTHING,
    Html,
    block,
    element,
    joined,
    lines,
    scrolling,
    span,
)
from graders.reports.html_report.sayings import sayings
from graders.reports.html_report.vocabulary import badge

_COLUMNS = ("check", "verdict", "score", "wanted", "weight", "why")
_REASON_MAX = 1200
_FINDINGS = 30


def check_table(verdict: VerdictDocument) -> Html:
    """Return the rubric of a verdict."""
    if not verdict.checks:
        return element("p", "No check was reached.", class_="note")
    head = element("tr", *(element("th", name, scope="col", class_=_class(name)) for name in _COLUMNS))
    rows = [row for check in verdict.checks for row in _rows(check)]
    return scrolling("checks", element("table", element("thead", head), element("tbody", *rows), class_="checks"))


def _rows(check: CheckDocument) -> Iterator[Html]:
    wanted = joined(f"≥ {check.min_score:g}", " ", span("gate", "required")) if check.required else NOTHING
    yield element(
        "tr",
        element("th", check.name, " ", element("small", check.type), scope="row"),
        element("td", badge(check.verdict)),
        element("td", amounts.score(check.score), class_="num"),
        element("td", wanted, class_="wanted"),
        element("td", f"{check.weight:g}", class_="num weight"),
        element("td", _why(check), class_="why"),
    )
    said = list(sayings(check.details))
    if said:
        opened = element("details", element("summary", "what its grader said"), *said)
        yield element("tr", element("td", opened, colspan=len(_COLUMNS)), class_="more")


def _why(check: CheckDocument) -> Html:
    reason = lines(check.reason[:_REASON_MAX])
    return joined(
        # What was seen stands above the table, for all checks together.
        span("badge failed", "tampering") if check.tampering else NOTHING,
        " " if check.tampering else NOTHING,
        joined("not (", reason, ")") if check.negate and check.reason else reason,
    )


def findings(found: Sequence[TamperingDocument]) -> Html:
    """Return findings of tampering with what shows them."""
    return element(
        "ul",
        *(
            element(
                "li",
                element("strong", one.kind.value.replace("-", " ")),
                f" in {one.check}: " if one.check else ": ",
                lines(one.what[:_REASON_MAX]),
                block("said", "evidence", lines(one.evidence, mark=True)) if one.evidence else NOTHING,
            )
            for one in found[:_FINDINGS]
        ),
        class_="findings",
    )


def _class(column: str) -> str | None:
    return "num" if column in ("score", "weight") else None
