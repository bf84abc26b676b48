"""Prints lines and tables on a terminal, or into a pipe or a file.

On a terminal, lines are folded or cut to its width. In a pipe only tables have a width, and no line ends in blanks.
Tables are laid out here and not by Rich, because a run may have ten thousand and Rich lays out each several times.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from gradebox.sandbox.records import dataclass

PIPE_COLUMNS = 120
# A width greater than that of any line.
_UNFOLDED = 100_000
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_END = re.compile(rf"(?: |{_COLOUR.pattern})*$")
_GAP = 3
# The last column of a table shrinks below this width only after all other columns have their smallest widths.
_LAST_LEAST = 10
# The extra indentation of the second and later lines of a folded line.
_HANGING = 2
_ELLIPSIS = "\u2026"


def plain_console(*, stderr: bool = False, soft_wrap: bool = False) -> Console:
    """Return a console that highlights nothing. With NO_COLOR, it does not use bold text either."""
    colours: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    return Console(stderr=stderr, soft_wrap=soft_wrap, highlight=False, color_system=colours)


def output(*, whole_lines: bool = False, stderr: bool = False) -> Console:
    """Return stdout or stderr, with the width of the terminal, of COLUMNS, or of PIPE_COLUMNS.

    With `whole_lines`, a file or a pipe gets every line in one piece.
    """
    console = plain_console(stderr=stderr)
    if whole_lines and not console.is_terminal:
        console.width = _UNFOLDED
    elif not _on_terminal(console) and "COLUMNS" not in os.environ:
        console.width = PIPE_COLUMNS
    return console


def print_trimmed(console: Console, renderable: RenderableType) -> None:
    """Print a renderable. Without a terminal, do not fold lines, and strip blanks at their ends."""
    if _on_terminal(console):
        console.print(renderable)
        return
    with console.capture() as captured:
        console.print(renderable, soft_wrap=True)
    lines = captured.get().split("\n")[:-1]
    trimmed = (_END.sub(lambda end: "".join(_COLOUR.findall(end[0])), line) for line in lines)
    console.out("\n".join(trimmed), highlight=False)


def print_lines(console: Console, lines: Iterator[ConsoleLine | Text]) -> None:
    """Print lines like `print_trimmed`."""
    if _on_terminal(console) or console.color_system is not None:
        print_trimmed(console, Group(*lines))
    else:
        # This prints the same in a tenth of the time: a run may have ten thousand verdicts.
        plain = (line.unfolded() if isinstance(line, ConsoleLine) else line for line in lines)
        console.out("\n".join(line.plain.rstrip(" ") for line in plain), highlight=False)


def _on_terminal(console: Console) -> bool:
    # Not `console.is_terminal`: with FORCE_COLOR that is true for a pipe, which has no width.
    return console.file.isatty()


@dataclass(frozen=True, slots=True)
class ConsoleLine:
    """A line that stays one line in a pipe. On a terminal it is cut, or folded with an indentation."""

    text: Text
    indent: int = 2
    cut: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        line = self.unfolded()
        if not _on_terminal(console):
            yield line
        elif self.cut:
            line.no_wrap, line.overflow = True, "ellipsis"
            yield line
        else:
            lines = self.text.wrap(console, max(options.max_width - self.indent - _HANGING, 1))
            for number, folded in enumerate(lines):
                folded.rstrip()
                yield Text(" " * (self.indent + (_HANGING if number else 0))).append(folded)

    def unfolded(self) -> Text:
        return Text(" " * self.indent).append(self.text)


class Column(NamedTuple):
    """One column of a table, cut to the width `most`. If space is short, only columns with `least` shrink."""

    title: str
    right: bool = False
    most: int | None = None
    least: int | None = None


class Cell(NamedTuple):
    text: str
    style: str = ""


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], console: Console) -> Iterator[Text]:
    """Yield the lines of a table that fits the width of a console. The last column is folded."""
    widths = _widths(columns, rows, console.width)
    yield from _lines([Cell(column.title, "bold") for column in columns], columns, widths, console)
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
    # The last column keeps two columns, since a character of some scripts needs them.
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
    if columns[-1].right:
        folded = [Text(" " * (widths[-1] - one.cell_len)).append(one) for one in folded]
    yield line.append(folded[0])
    for rest in folded[1:]:
        yield Text(" " * (sum(widths[:-1]) + _GAP * (len(widths) - 1))).append(rest)


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + _ELLIPSIS


def _folded(cell: Cell, width: int, console: Console) -> list[Text]:
    text = Text(cell.text, cell.style)
    return [text] if cell_len(cell.text) <= width else list(text.wrap(console, width, overflow="fold"))
