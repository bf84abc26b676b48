"""Tables of text: what stands where, and that none is wider than its console."""

from __future__ import annotations

import io
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gradebox.graders.reports.terminal import Cell, Column, ConsoleLine, plain_console, table

COLUMNS = (Column("name", most=20, least=6), Column("score", right=True), Column("why"))
# Some are two cells wide, some none.
TEXTS = st.text(st.sampled_from("ab c  \u4e2d\u6587\u0301-/,."), max_size=40)
ROWS = st.lists(st.tuples(TEXTS, st.sampled_from(["-", "0.500", "1"]), TEXTS), min_size=1, max_size=4)


def console(width: int, encoding: str = "utf-8") -> Console:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    return Console(file=stream, width=width, color_system=None, highlight=False, _environ={})


def shown(rows: list[tuple[str, str, str]], width: int) -> list[str]:
    return [line.plain for line in table(COLUMNS, [list(map(Cell, row)) for row in rows], console(width))]


def by_rich(rows: list[tuple[str, str, str]], width: int) -> list[str]:
    """Return the same table as Rich lays it out."""
    expected = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0))
    expected.add_column("name", no_wrap=True, max_width=20)
    expected.add_column("score", justify="right", no_wrap=True)
    expected.add_column("why", overflow="fold")
    for row in rows:
        expected.add_row(*map(Text, row))
    with (on := console(width)).capture() as captured:
        on.print(expected)
    return captured.get().splitlines()


@given(ROWS, st.integers(60, 120))
def test_where_there_is_room_it_is_as_rich_has_it(rows: list[tuple[str, str, str]], width: int) -> None:
    assert [line.rstrip() for line in shown(rows, width)] == [line.rstrip() for line in by_rich(rows, width)]


@given(ROWS, st.integers(26, 120))
def test_none_is_wider_than_its_console(rows: list[tuple[str, str, str]], width: int) -> None:
    found = shown(rows, width)
    assert max(map(cell_len, found)) <= width
    # The last column loses nothing, however often it is folded.
    assert Counter("".join("".join(why.split()) for _, _, why in rows)) <= Counter("".join(found))


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (44, ["name          score   why", "a-long-name   0.500   it ends with status 1"]),
        (
            30,
            [
                "name        score   why",
                "a-long-n\u2026   0.500   it ends",
                "                    with",
                "                    status 1",
            ],
        ),
    ],
)
def test_the_first_column_is_shortened_before_the_last_has_no_room(width: int, lines: list[str]) -> None:
    found = [line.rstrip() for line in shown([("a-long-name", "0.500", "it ends with status 1")], width)]
    assert [found[0], *found[2:]] == lines


def test_a_number_in_the_last_column_stands_at_its_right() -> None:
    (head, _, row) = table((Column("name"), Column("mean score", right=True)), [[Cell("a"), Cell("1")]], console(80))
    assert (head.plain, row.plain) == ("name   mean score", "a               1")


def test_a_line_that_is_folded_goes_on_further_to_the_right() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    on = Console(file=stream, width=20, color_system=None, highlight=False, _environ={})
    on.print(ConsoleLine(Text("because: it was the end of it")), end="")
    assert stream.getvalue() == "  because: it was\n    the end of it\n"


def test_an_encoding_without_lines_has_hyphens() -> None:
    (_, rule, _) = table(COLUMNS, [[Cell("a"), Cell("1"), Cell("")]], console(80, "ascii"))
    assert set(rule.plain) == {"-"}


@pytest.mark.parametrize(("variable", "bold"), [("FORCE_COLOR", True), ("NO_COLOR", False)])
def test_no_colour_is_no_bold_text_either(monkeypatch: pytest.MonkeyPatch, variable: str, *, bold: bool) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv(variable, "1")
    monkeypatch.setenv("TERM", "xterm")
    terminal = plain_console()
    with terminal.capture() as captured:
        terminal.print(Text("title", "bold"))
    assert ("\x1b[1m" in captured.get()) is bold
