"""Words and marks that all parts of the page share: statuses, links to verdicts, what a status looks like. Pure."""

from __future__ import annotations

from datetime import datetime

from graders.reports.html.markup import Html, element, joined, span
from graders.result import VerdictDocument
from graders.runs.store import evidence_directory

# A mark beside each word, so that no status is told by its colour alone.
_MARKS = {"passed": "✓", "failed": "✗", "error": "!", "not_judged": "-"}
_WORDS = {"passed": "passed", "failed": "failed", "error": "error", "not_judged": "not judged"}


def word(status: str) -> str:
    """Return a status as people read it."""
    return _WORDS[status]


def badge(status: str) -> Html:
    """Return a status with its mark and colour."""
    return span(f"badge {status}", joined(element("b", _MARKS[status], aria_hidden="true"), " ", word(status)))


def dot(*, passed: bool) -> Html:
    """Return the mark of a command."""
    status = "passed" if passed else "failed"
    return span(f"dot {status}", joined(element("b", _MARKS[status], aria_hidden="true"), span("vh", word(status))))


def moment(when: datetime) -> Html:
    """Return a time, to the second and with its zone."""
    return element("time", f"{when:%Y-%m-%d %H:%M:%S %Z}", datetime=when.isoformat())


def anchor(verdict: VerdictDocument) -> str:
    """Return the permalink of a verdict without its `#`: ASCII, without blanks, the same whenever it is reported."""
    place = evidence_directory(verdict.case, verdict.submission, verdict.target, verdict.repeat)
    return "case=" + "/".join(place.parts[1:]).replace(" ", "+")
