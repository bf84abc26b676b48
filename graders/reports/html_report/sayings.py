"""What a grader said beside its score: lists of records as tables, everything else as JSON. Pure.

A grader may repeat what a candidate wrote, and may say a lot; everything is text, and all of it is capped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from graders.reports import wording as amounts
from graders.reports.html_report.markup import (
    Html,
    block,
    element,
    lines,
    scrolling,
)

_ROWS = 60
_COLUMNS = 8
_CELL_MAX = 400
_JSON_MAX = 4000


def sayings(said: Mapping[str, Any]) -> Iterator[Html]:
    """Yield what a grader said."""
    rest = {}
    for name, value in said.items():
        if _is_table(value):
            yield _table(name, value)
        else:
            rest[name] = value
    if rest:
        written = json.dumps(rest, indent=2, ensure_ascii=False, default=str)
        if len(written) > _JSON_MAX:
            written = f"{written[:_JSON_MAX]}\n… {amounts.counted(len(written) - _JSON_MAX, 'character')} not shown …"
        yield block("said", "what the grader said", lines(written, mark=True))


def _is_table(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, dict) and row for row in value)
        and len(dict.fromkeys(name for row in value for name in row)) <= _COLUMNS
    )


def _table(name: str, rows: list[dict[str, Any]]) -> Html:
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = element("tr", *(element("th", one.replace("_", " "), scope="col") for one in names))
    body = [element("tr", *(element("td", _cell(row.get(one))) for one in names)) for row in rows[:_ROWS]]
    more = len(rows) - _ROWS
    table = element(
        "table",
        element("caption", name.replace("_", " "), f", the first {_ROWS} of {len(rows)}" if more > 0 else None),
        element("thead", head),
        element("tbody", *body),
    )
    return scrolling(name, table)


def _cell(value: object) -> Html:
    match value:
        case None:
            written = ""
        case bool():
            written = "yes" if value else "no"
        case float():
            written = f"{value:g}"
        case str() | int():
            written = str(value)
        case _:
            written = json.dumps(value, ensure_ascii=False, default=str)
    return lines(written if len(written) <= _CELL_MAX else f"{written[:_CELL_MAX]} […]", mark=True)
