"""A run as a table for spreadsheets: a line for each verdict (RFC 4180, UTF-8)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from graders.documents.printable import visible
from graders.runs.reading import SavedRun

COLUMNS = (
    "number", "case", "target", "submission", "repeat", "verdict", "score", "gated_score", "band", "threshold",
    "missed", "tampering", "reasons", "category", "tags", "wall_seconds", "started",
)  # fmt: skip
# What a spreadsheet takes for a formula where a cell begins with it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def report(run: SavedRun) -> Iterator[str]:
    """Yield the header and the lines."""
    yield _line(COLUMNS)
    for verdict in run.verdicts.values():
        row = verdict.model_dump(mode="json")
        row["tampering"] = [found.kind for found in verdict.tampering]
        yield _line([row[name] for name in COLUMNS])


def _line(cells: object) -> str:
    stream = io.StringIO()
    assert isinstance(cells, list | tuple)
    csv.writer(stream).writerow(map(_cell, cells))
    return stream.getvalue()


def _cell(value: object) -> str | int | float | None:
    if value is None or isinstance(value, int | float):
        return value
    text = visible("; ".join(map(str, value)) if isinstance(value, list) else str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text
