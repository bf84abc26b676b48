"""A table in a terminal or a log: columns side by side, the last one folded where it has no room.

Rich has tables for any purpose, and lays each out several times over; a run has ten thousand. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

_GAP = 3
# The last column has this before another one is shortened.
_LAST_LEAST = 10
_ELLIPSIS = "\u2026"


class Column(NamedTuple):
    """What a column is like.

    Attributes:
        right: Whether its cells end below each other, instead of beginning so.
        most: How wide it may be; what is longer is cut.
        least: How narrow it may become where there is no room; None where it may not.
    """

    title: str
    right: bool = False
    most: int | None = None
    least: int | None = None


class Cell(NamedTuple):
    """One line of text, and its style."""

    text: str
    style: str = ""


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], console: Console) -> Iterator[Text]:
    """Yield the lines of a table that is no wider than a console.

    Args:
        columns: The last one is folded.
        rows: As many cells each as there are columns.
        console: Where it is shown.
    """
    widths = _widths(columns, rows, console.width)
    head = [Cell(column.title, "bold") for column in columns]
    yield from _lines(head, columns, widths, console)
    yield Text(("-" if console.options.ascii_only else "\u2500") * (sum(widths) + _GAP * (len(widths) - 1)))
    for row in rows:
        yield from _lines(row, columns, widths, console)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int) -> list[int]:
    widths = []
    for index, column in enumerate(columns):
        natural = max(cell_len(column.title), *(cell_len(row[index].text) for row in rows), 0)
        widths.append(natural if column.most is None else min(natural, column.most))
    excess = sum(widths) + _GAP * (len(widths) - 1) - width
    last = len(widths) - 1
    narrowed = [(last, _LAST_LEAST)]
    narrowed += [(index, column.least) for index, column in enumerate(columns) if column.least is not None]
    # A character of some scripts takes two columns.
    for index, least in (*narrowed, (last, 2)):
        taken = min(max(excess, 0), max(widths[index] - least, 0))
        widths[index] -= taken
        excess -= taken
    return widths


def _lines(row: Sequence[Cell], columns: Sequence[Column], widths: Sequence[int], console: Console) -> Iterator[Text]:
    line = Text()
    for cell, column, width in zip(row[:-1], columns, widths, strict=False):
        text = _cut(cell.text, width)
        blank = " " * (width - cell_len(text))
        line.append(blank if column.right else "").append(text, cell.style).append("" if column.right else blank)
        line.append(" " * _GAP)
    folded = _folded(row[-1], widths[-1], console)
    yield line.append(folded[0])
    for rest in folded[1:]:
        yield Text(" " * (sum(widths[:-1]) + _GAP * (len(widths) - 1))).append(rest)


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + _ELLIPSIS


def _folded(cell: Cell, width: int, console: Console) -> list[Text]:
    text = Text(cell.text, cell.style)
    return [text] if cell_len(cell.text) <= width else list(text.wrap(console, width, overflow="fold"))
