"""A run as a table for spreadsheets: one line for each verdict (RFC 4180, UTF-8)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from gradebox.graders.reports.escaping import visible
from gradebox.graders.runs.saved_run import SavedRun

COLUMNS = (
    "number", "case", "target", "model", "submission", "sample", "repeat", "verdict", "score", "gated_score", "band",
    "partial_score", "threshold", "missed", "tampering", "reasons", "category", "tags", "wall_seconds", "started",
)  # fmt: skip
# Spreadsheets read a cell that begins with one of these as a formula.
_FORMULA = ("=", "+", "-", "@")


def report(run: SavedRun) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for verdict in run.verdicts.values():
        row = verdict.model_dump(mode="json", include={*COLUMNS})
        row |= {name: verdict.origin.get(name) for name in ("model", "sample")}
        row["tampering"] = [found["kind"] for found in row["tampering"]]
        yield csv_line(row[name] for name in COLUMNS)


def csv_line(cells: Iterable[object]) -> str:
    """Return a line of the table, in which no cell is a formula or acts on a terminal."""
    stream = io.StringIO()
    csv.writer(stream).writerow(map(_cell, cells))
    return stream.getvalue()


def _cell(value: object) -> str | int | float | None:
    if value is None or isinstance(value, int | float):
        return value
    text = visible("; ".join(map(str, value)) if isinstance(value, list) else str(value))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
