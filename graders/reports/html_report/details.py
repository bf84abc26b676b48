"""The details that a grader reports besides its score: lists of records as tables, everything else as JSON. Pure.

A grader may repeat text of a candidate, and may write a lot, so everything is escaped and limited.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from gradebox.graders.reports import wording

_ROWS = 60
_COLUMNS = 8
_CELL_MAX = 400
_JSON_MAX = 4000


class DetailTable(NamedTuple):
    """A list of records; `remark` says whether rows are omitted."""

    name: str
    remark: str
    columns: list[str]
    rows: list[list[str]]


class Details(NamedTuple):
    """The details of one check; `text` is empty if all are tables."""

    tables: list[DetailTable]
    text: str


def details_of(found: Mapping[str, Any]) -> Details:
    tables, rest = [], {}
    for name, value in found.items():
        if _is_table(value):
            tables.append(_table(name, value))
        else:
            rest[name] = value
    text = json.dumps(rest, indent=2, ensure_ascii=False, default=str) if rest else ""
    if len(text) > _JSON_MAX:
        text = f"{text[:_JSON_MAX]}\n… {wording.counted(len(text) - _JSON_MAX, 'character')} not shown …"
    return Details(tables, text)


def _is_table(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, dict) and row for row in value)
        and len(dict.fromkeys(name for row in value for name in row)) <= _COLUMNS
    )


def _table(name: str, rows: list[dict[str, Any]]) -> DetailTable:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    remark = f", the first {_ROWS} of {len(rows)}" if len(rows) > _ROWS else ""
    return DetailTable(name, remark, columns, [[_cell(row.get(column)) for column in columns] for row in rows[:_ROWS]])


def _cell(value: object) -> str:
    match value:
        case None:
            text = ""
        case bool():
            text = "yes" if value else "no"
        case float():
            text = f"{value:g}"
        case str() | int():
            text = str(value)
        case _:
            text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _CELL_MAX else f"{text[:_CELL_MAX]} […]"
