"""Words and marks that all parts of the page share: statuses, links to verdicts, what a status looks like. Pure."""

from __future__ import annotations

from datetime import datetime

from graders.model.verdict_document import VerdictDocument
from graders.reports.html_report.markup import Html, element, span
from graders.runs.store import evidence_directory

_WORDS = {"passed": "passed", "failed": "failed", "error": "error", "not_judged": "not judged"}


def word(status: str) -> str:
    """Return a status as people read it."""
    return _WORDS[status]


def badge(status: str) -> Html:
    """Return a status; the style sheet adds its colour, and a mark, so that none is told by its colour alone."""
    return span(f"badge {status}", word(status))


def dot(*, passed: bool) -> Html:
    """Return the mark of a command; its word is there for whoever cannot see the mark."""
    status = "passed" if passed else "failed"
    return span(f"dot {status}", word(status))


def moment(when: datetime) -> Html:
    """Return a time, to the second and with its zone."""
    return element("time", f"{when:%Y-%m-%d %H:%M:%S %Z}", datetime=when.isoformat(timespec="seconds"))


def anchor(verdict: VerdictDocument) -> str:
    """Return the permalink of a verdict without its `#`: ASCII, without blanks, the same whenever it is reported."""
    place = evidence_directory(verdict.case, verdict.submission, verdict.target, verdict.repeat)
    return "case=" + "/".join(place.parts[1:]).replace(" ", "+")
