"""Queries of the index: pages of verdicts and of runs, counts, and numbers for plots.

A page begins after the last row of the previous page (keyset pagination), so the last page is as cheap as the first.
Users' words are parameters of a query, never parts of its text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from gradebox.graders.runs.index.run_index import RunIndex

_WORDS, _WORD_MAX = 8, 200
# The SQL expressions that sort a list, by column name.
SORTS = {
    "#": "v.number",
    "verdict": "CASE v.verdict WHEN 'error' THEN 0 WHEN 'failed' THEN 1 WHEN 'not_judged' THEN 2 ELSE 3 END",
    "case": "v.name",
    "submission": "v.submission",
    "target": "v.target",
    "category": "v.category",
    "repeat": "v.repeat",
    "score": "ifnull(v.score, -1)",
    "time": "v.seconds",
    "started": "v.started",
}


class VerdictFilter(NamedTuple):
    """Selects verdicts; an empty field selects all."""

    run: str = ""
    q: str = ""  # Words, each of which must occur in the names, the tags or the first reason.
    status: str = ""
    target: str = ""
    category: str = ""
    tag: str = ""
    case: str = ""
    submission: str = ""


class VerdictRow(NamedTuple):
    """A verdict as a row of a list, with the field names of `VerdictDocument`; long names are cut."""

    row: int
    run: str
    key: str
    number: int
    verdict: str
    case: str
    submission: str
    target: str
    repeat: int
    category: str
    tags: list[str]
    reasons: list[str]
    score: float | None
    wall_seconds: float
    started: datetime


class VerdictPage(NamedTuple):
    """Some verdicts of a list, and whether there are others before and after them."""

    rows: list[VerdictRow]
    has_before: bool
    has_after: bool


class RunRow(NamedTuple):
    """A run as a row of a list."""

    row: int
    run: str
    started: datetime
    what: str
    gradings: int | None
    problem: str
    counts: Counter[str]
    mean_score: float | None

    @property
    def total(self) -> int:
        return self.counts.total()


class RunPage(NamedTuple):
    """Some runs, the newest first, and whether there are older ones."""

    rows: list[RunRow]
    has_after: bool


def verdict_page(
    index: RunIndex, wanted: VerdictFilter, sort: str = "#", *,
    descending: bool = False, after: int = 0, before: int = 0, most: int = 100,
) -> VerdictPage:  # fmt: skip
    """Return the verdicts after the row `after`, or those before the row `before`. Without either, return the first.

    If that row is gone, because its run was indexed again, the page is empty.
    """
    terms, values = where(wanted)
    value, backwards = SORTS[sort], bool(before)
    if after or before:
        sign = "<" if descending is not backwards else ">"
        terms += f" AND ({value}, v.id) {sign} (SELECT {value}, v.id FROM verdicts v WHERE v.id = ?)"  # noqa: S608 - ours
        values.append(before or after)
    way = "DESC" if descending is not backwards else "ASC"
    query = f"{_SELECT} WHERE {terms} ORDER BY {value} {way}, v.id {way} LIMIT ?"
    rows = [_row(found) for found in index.rows(query, [*values, most + 1])]
    more = len(rows) > most
    rows = rows[:most]
    if backwards:
        return VerdictPage(rows[::-1], more, has_after=True)
    return VerdictPage(rows, bool(after), more)


def find_verdict(index: RunIndex, run: str, key: str) -> tuple[VerdictRow, int, int] | None:
    """Return a verdict of a run, with the offset and the length of its line."""
    try:
        digest = bytes.fromhex(key)
    except ValueError:
        return None
    query = f"SELECT line_offset, line_length, {_ROW} {FROM} WHERE r.name = ? AND v.key = ?"
    for offset, length, *row in index.rows(query, (run, digest)):
        return _row(row), offset, length
    return None


def same_elsewhere(index: RunIndex, key: str, most: int) -> list[VerdictRow]:
    """Return the verdicts of all runs with the same key, the newest first."""
    query = f"{_SELECT} WHERE v.key = ? ORDER BY r.started DESC, r.id DESC LIMIT ?"
    return [_row(found) for found in index.rows(query, (bytes.fromhex(key), most))]


def piece_place(index: RunIndex, run: str, digest: bytes) -> tuple[int, int] | None:
    """Return offset and length of a piece of evidence in the log of a run, None if it is not indexed."""
    query = "SELECT piece_offset, piece_length FROM pieces p JOIN runs r ON r.id = p.run WHERE r.name = ? AND key = ?"
    return next(iter(index.rows(query, (run, digest))), None)


def run_page(index: RunIndex, q: str = "", after: int = 0, most: int = 50) -> RunPage:
    """Return the runs after the row `after`, newest first. Each word of `q` must occur in the name or in `what`."""
    terms, values = _words(q, "lower(r.name || ' ' || r.what)")
    if after:
        terms += " AND (r.started, r.id) < (SELECT started, id FROM runs WHERE id = ?)"
        values.append(after)
    query = f"SELECT {RUN_COLUMNS} FROM runs r WHERE {terms} ORDER BY r.started DESC, r.id DESC LIMIT ?"  # noqa: S608 - ours
    rows = list(_runs(index, index.rows(query, [*values, most + 1])))
    return RunPage(rows[:most], len(rows) > most)


def find_row(index: RunIndex, run: str) -> RunRow | None:
    """Return the run with this name, None if there is none."""
    return next(_runs(index, index.rows(f"SELECT {RUN_COLUMNS} FROM runs r WHERE r.name = ?", (run,))), None)  # noqa: S608 - ours


def neighbours(
    index: RunIndex, wanted: VerdictFilter, sort: str, row: int, *, descending: bool
) -> list[VerdictRow | None]:
    """Return the verdicts before and after a row of a list, each None if there is none."""
    before = verdict_page(index, wanted, sort, descending=descending, before=row, most=1).rows
    after = verdict_page(index, wanted, sort, descending=descending, after=row, most=1).rows
    return [next(iter(before), None), next(iter(after), None)]


def count(index: RunIndex, wanted: VerdictFilter) -> int:
    terms, values = where(wanted)
    return int(index.rows(f"SELECT count(*) {FROM} WHERE {terms}", values)[0][0])


def earlier_run(index: RunIndex, row: int) -> str:
    """Return the name of the run that began before another; empty if there is none."""
    query = """SELECT name FROM runs WHERE (started, id) < (SELECT started, id FROM runs WHERE id = ?)
        ORDER BY started DESC, id DESC LIMIT 1"""
    return next((str(name) for (name,) in index.rows(query, (row,))), "")


_ROW = (
    "v.id, r.name, v.key, v.number, v.verdict, v.name, v.submission, v.target, v.repeat, v.category, v.tags, v.reason, "
    "v.score, v.seconds, v.started"
)
FROM = "FROM verdicts v JOIN runs r ON r.id = v.run"
_SELECT = f"SELECT {_ROW} {FROM}"
RUN_COLUMNS = "r.id, r.name, r.started, r.what, r.gradings, ifnull(nullif(r.record_problem, ''), r.results_problem)"


def where(wanted: VerdictFilter) -> tuple[str, list[Any]]:
    """Return the SQL condition that selects these verdicts, and its parameters."""
    terms, values = _words(wanted.q, "v.searched")
    for value, term in (
        (wanted.run, "v.run = (SELECT id FROM runs WHERE name = ?)"),
        (wanted.status, "v.verdict = ?"),
        (wanted.target, "v.target = ?"),
        (wanted.category, "v.category = ?"),
        (wanted.tag, "EXISTS (SELECT 1 FROM json_each(v.tags) t WHERE t.value = ?)"),
        (wanted.case, "v.name = ?"),
        (wanted.submission, "v.submission = ?"),
    ):
        if value:
            terms, values = f"{terms} AND {term}", [*values, value]
    return terms, values


def _words(q: str, searched: str) -> tuple[str, list[Any]]:
    words = [word[:_WORD_MAX] for word in q.lower().split()[:_WORDS]]
    return " AND ".join(["1", *(f"instr({searched}, ?)" for _ in words)]), [*words]


def _row(found: Sequence[Any]) -> VerdictRow:
    row, run, key, number, verdict, case, submission, target, repeat, category, tags, reason, score, seconds, at = found
    return VerdictRow(
        row, run, key.hex(), number, verdict, case, submission, target, repeat, category, json.loads(tags),
        [reason] if reason else [], score, seconds, datetime.fromtimestamp(at, UTC),
    )  # fmt: skip


def _runs(index: RunIndex, found: Iterable[Sequence[Any]]) -> Iterator[RunRow]:
    rows = list(found)
    marks = ", ".join("?" * len(rows))
    query = (
        f"SELECT run, verdict, count(*), total(score), count(score) FROM verdicts WHERE run IN ({marks}) GROUP BY 1, 2"  # noqa: S608 - ours
    )
    counts: dict[int, Counter[str]] = {row[0]: Counter() for row in rows}
    scores: dict[int, tuple[float, int]] = {row[0]: (0.0, 0) for row in rows}
    for run, verdict, number, total, scored in index.rows(query, list(counts)):
        counts[run][verdict] = number
        scores[run] = scores[run][0] + total, scores[run][1] + scored
    for row in rows:
        total, scored = scores[row[0]]
        yield run_row(row, counts[row[0]], total / scored if scored else None)


def run_row(row: Sequence[Any], counts: Counter[str], mean: float | None) -> RunRow:
    number, name, started, what, gradings, problem = row
    return RunRow(number, name, datetime.fromtimestamp(started, UTC), what, gradings, problem, counts, mean)
