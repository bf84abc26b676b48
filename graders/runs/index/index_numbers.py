"""Numbers about verdicts from the index: data for the plots of a run, values for filters, and trends over runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from gradebox.graders.runs.index.index_queries import FROM, RUN_COLUMNS, RunRow, VerdictFilter, run_row, where
from gradebox.graders.runs.index.run_index import RunIndex

_KINDS = ("passed", "failed", "error", "not_judged")


class MeasuredVerdict(NamedTuple):
    """The fields of a verdict that figures and plots need, with the names of `VerdictDocument`."""

    verdict: Any
    score: float | None
    wall_seconds: float
    started: datetime
    target: str
    model: str
    submission: str
    category: str
    tags: list[str]
    tampering: bool
    reused: bool


def measured_verdicts(index: RunIndex, run: str) -> Iterator[MeasuredVerdict]:
    """Yield the verdicts of a run, in no order."""
    query = """SELECT verdict, score, seconds, started, target, model, submission, category, tags, tampered, reused
        FROM verdicts WHERE run = (SELECT id FROM runs WHERE name = ?)"""
    tags_of: dict[str, list[str]] = {}
    for row in index.rows(query, (run,)):
        verdict, score, seconds, started, target, model, submission, category, tags, tampered, reused = row
        if tags not in tags_of:
            tags_of[tags] = json.loads(tags)
        at = datetime.fromtimestamp(started, UTC)
        yield MeasuredVerdict(
            verdict,
            score,
            seconds,
            at,
            target,
            model,
            submission,
            category,
            tags_of[tags],
            bool(tampered),
            bool(reused),
        )


def choices(index: RunIndex, run: str, most: int) -> dict[str, list[str]]:
    """Return, by kind, the values that can filter the verdicts of a run, or of all runs if `run` is empty."""
    found: dict[str, list[str]] = {}
    where_run = "WHERE run = (SELECT id FROM runs WHERE name = ?)" if run else ""
    query = f"SELECT DISTINCT kind, value FROM choices {where_run} ORDER BY kind, value"  # noqa: S608 - ours
    for kind, value in index.rows(query, (run,) if run else ()):
        values = found.setdefault(kind, [])
        if len(values) < most:
            values.append(value)
    return found


def trend(index: RunIndex, wanted: VerdictFilter, most: int) -> list[RunRow]:
    """Return the newest runs with matching verdicts, oldest first; their counts include only these verdicts."""
    terms, values = where(wanted)
    sums = ", ".join(f"sum(v.verdict = '{kind}')" for kind in _KINDS)
    query = f"""SELECT {RUN_COLUMNS}, {sums}, avg(v.score) {FROM} WHERE {terms} GROUP BY r.id
        ORDER BY r.started DESC, r.id DESC LIMIT ?"""
    rows = index.rows(query, [*values, most])
    return [run_row(row[:6], Counter(dict(zip(_KINDS, row[6:10], strict=True))), row[10]) for row in reversed(rows)]
