"""The leaderboard's counters of a run by model: a table in Markdown, the best model first."""

from __future__ import annotations

from collections.abc import Iterator

from gradebox.graders.reports.markdown_report import code
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.plugins.julia_leaderboard.counters import ModelTotals, by_model, counters_of

_COLUMNS = ("score", "answers", "errors", "parsed", "executed", "unit tests", "examples", "full score", "zero score")


def report(run: SavedRun) -> Iterator[str]:
    models = by_model(filter(None, map(counters_of, run.verdicts.values())))
    yield f"## Leaderboard of run {code(run.id)}\n\n"
    if not models:
        yield "This run has no answers to a definition.toml.\n"
        return
    yield f"| model | {' | '.join(_COLUMNS)} |\n|---|{'---:|' * len(_COLUMNS)}\n"
    yield from map(_row, models)


def _row(model: ModelTotals) -> str:
    cells = (
        code(model.model),
        "" if model.mean is None else f"{model.mean:.1f}",
        model.answers,
        model.errors,
        model.parsed,
        model.executed,
        f"{model.unit_tests_passed}/{model.unit_tests_count}",
        f"{model.examples_executed}/{model.examples_count}",
        model.full,
        model.zero,
    )
    return f"| {' | '.join(map(str, cells))} |\n"
