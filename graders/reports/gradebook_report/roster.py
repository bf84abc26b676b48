"""The roster of a class: which of its students have submitted nothing, and which submitters are not on it."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from pathlib import Path
from unicodedata import normalize

from gradebox.graders.errors import UsageRefused

NAME_COLUMNS = ("student", "name")
"""Accepted titles of the column with the names."""
NO_SUBMISSION = "no submission"
NOT_LISTED = "not in the roster"
_NAMED = 10


def read_roster(file: Path) -> tuple[str, ...]:
    """Return the names of students in a CSV file: its column `student` or `name`, or its only column.

    Raises UsageRefused if the file cannot be read, has no such column, no names, or a name twice.
    """
    try:
        rows = [row for row in csv.reader(file.read_text("utf-8-sig").splitlines()) if any(map(str.strip, row))]
    except (OSError, ValueError, csv.Error) as error:
        raise UsageRefused(f"{file} cannot be read: {error}.") from error
    titles = [cell.strip().lower() for cell in rows[0]] if rows else []
    place = next((titles.index(title) for title in NAME_COLUMNS if title in titles), None)
    if place is None and any(len(row) > 1 for row in rows):
        raise UsageRefused(f"{file} has no column of students.", remedy="Call the column `student` or `name`.")
    cells = (row[place or 0] for row in rows[place is not None :] if len(row) > (place or 0))
    names = [name for cell in cells if (name := normalize("NFC", cell.strip()))]
    if not names:
        raise UsageRefused(f"{file} names no student.")
    twice = next((name for name in names if names.count(name) > 1), None) if len({*names}) < len(names) else None
    if twice is not None:
        raise UsageRefused(f"{file} names {twice} twice.", remedy="Make the names differ, as the submissions do.")
    return tuple(names)


def remarks(file: Path | None, students: Collection[str]) -> Iterator[str]:
    """Yield sentences about students who submitted nothing, and submitters not in the roster.

    Raises UsageRefused like `read_roster`.
    """
    roster = () if file is None else read_roster(file)
    if missing := [name for name in roster if name not in students]:
        yield f"No submission of {_listed(missing)}."
    if roster and (strangers := sorted({*students} - {*roster})):
        yield f"Not in {file}: {_listed(strangers)}."


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
