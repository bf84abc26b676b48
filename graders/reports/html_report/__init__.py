"""A run as one page: a file that needs no network, server or script, and into which candidates cannot inject markup.

    head        the run, the request, counts, plots
    list        every verdict; scripts filter, search and sort it
    cases       each verdict with its checks, commands, outputs and changes

Verdicts are in `noscript` elements: without scripts they are part of the page, and with scripts each stays text until
it is opened, so that thousands cost nothing. The page is made from `templates`, verdict by verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.reports.html_report.article import BRIEF_BELOW, article
from gradebox.graders.reports.html_report.class_figures import class_figures
from gradebox.graders.reports.html_report.overview import choices, overview
from gradebox.graders.reports.html_report.page import render
from gradebox.graders.reports.html_report.rerun import CommandLines
from gradebox.graders.runs.saved_run import SavedRun

# The most characters of outputs and diffs in the page and of one verdict; a verdict that passed gets a tenth.
PAGE_MAX = 8 * 1024 * 1024
_CASE_MAX = 96 * 1024
_NOT_PASSED_SHARE = 10


def report(run: SavedRun) -> Iterator[str]:
    # Only the submissions of a class, which come from a folder, have hand-ins.
    is_class = bool(run.requested.get("hand_ins"))
    repeated = any(key.repeat > 1 for key in run.verdicts)
    verdicts = [_light(verdict, checks=repeated) for verdict in run.verdicts.values()]
    budgets = _budgets(verdicts)
    lines = CommandLines(run.directory, run.requested)
    yield from render(
        run_id=run.id,
        verdicts=verdicts,
        brief=min(budgets, default=_CASE_MAX) < BRIEF_BELOW,
        overview=overview(run.requested, verdicts, class_figures(run.verdicts.values()) if is_class else None),
        choices=choices(verdicts),
        articles=(
            article(run, verdict, lines, characters)
            for verdict, characters in zip(run.verdicts.values(), budgets, strict=True)
        ),
    )


def _light(verdict: VerdictDocument, *, checks: bool) -> VerdictDocument:
    """Return a verdict without the data that only its article shows, since a run may have very many verdicts.

    Its `checks` are needed only to compare scores with other repeats.
    """
    light = [check.model_copy(update={"details": {}, "steps": []}) for check in verdict.checks] if checks else []
    return verdict.model_copy(update={"checks": light, "setup": []})


def _budgets(verdicts: Sequence[VerdictDocument]) -> list[int]:
    """Return how many characters of outputs and diff each verdict may show."""
    weights = [1 if verdict.verdict == "passed" else _NOT_PASSED_SHARE for verdict in verdicts]
    whole = sum(weights)
    return [min(_CASE_MAX, PAGE_MAX * weight // whole) for weight in weights]
