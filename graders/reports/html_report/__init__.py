"""A run as one page: a file that needs no network, no server and no script, and that nobody graded can write into.

    head        which run, what was asked, counts, plots
    list        every verdict; scripts filter, search and sort it
    cases       each verdict with its checks, commands, outputs and changes

Verdicts lie in `noscript` elements: without scripts they are part of the page, and with scripts they are text until one
of them is opened, so that thousands of them cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from graders.model.verdict_document import VerdictDocument
from graders.reports.html_report.case_article import BRIEF_BELOW, article
from graders.reports.html_report.listing import listing
from graders.reports.html_report.markup import (
    Html,
    element,
    joined,
    span,
)
from graders.reports.html_report.page import head
from graders.reports.html_report.rerun import Commands
from graders.reports.html_report.summary import summary
from graders.reports.html_report.vocabulary import anchor, moment
from graders.runs.reading import SavedRun

# Characters of outputs and diffs in the whole page; of one verdict at most; what is passed gets so much less of it.
PAGE_MAX = 8 * 1024 * 1024
_CASE_MAX = 96 * 1024
_TROUBLED_SHARE = 10


def report(run: SavedRun) -> Iterator[str]:
    """Yield the page in pieces."""
    repeated = any(key.repeat > 1 for key in run.verdicts)
    verdicts = [_light(verdict, checks=repeated) for verdict in run.verdicts.values()]
    yield head(f"{run.id} - gradebox")
    yield Html("<body>")
    yield _banner(run, min((verdict.started for verdict in verdicts), default=None))
    yield Html('<main id="main" tabindex="-1"><div id="overview">')
    rooms = _rooms(verdicts)
    yield summary(run, verdicts)
    yield from listing(verdicts, brief=min(rooms, default=_CASE_MAX) < BRIEF_BELOW)
    yield Html('</div><div id="view" hidden></div><div id="cases">\n')
    commands = Commands(run.directory, run.asked)
    for verdict, room in zip(run.verdicts.values(), rooms, strict=True):
        content = article(run, verdict, commands, room)
        yield element("div", element("noscript", content), id=anchor(verdict))
        yield "\n"
    yield Html("</div></main></body></html>\n")


def _light(verdict: VerdictDocument, *, checks: bool) -> VerdictDocument:
    """Return a verdict without what only its own part of the page shows: a run may have very many.

    Args:
        verdict: All of it.
        checks: Whether the scores of its checks are wanted, which are compared with those of other repeats.
    """
    light = [check.model_copy(update={"details": {}, "steps": []}) for check in verdict.checks] if checks else []
    return verdict.model_copy(update={"checks": light, "setup": []})


def _rooms(verdicts: Sequence[VerdictDocument]) -> list[int]:
    """Return how many characters of outputs and diff each verdict may show."""
    weights = [1 if verdict.verdict == "passed" else _TROUBLED_SHARE for verdict in verdicts]
    whole = sum(weights)
    return [min(_CASE_MAX, PAGE_MAX * weight // whole) for weight in weights]


def _banner(run: SavedRun, started: datetime | None) -> Html:
    return joined(
        element("a", "Skip to the content", href="#main", class_="skip"),
        element(
            "header",
            element("p", "gradebox", class_="brand"),
            element("h1", "Run ", span("name", run.id)),
            moment(started) if started else None,
            element("button", "Dark", type="button", id="theme", hidden=True),
            class_="banner",
        ),
    )
