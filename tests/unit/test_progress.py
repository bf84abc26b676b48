"""What a person sees of a run while it goes on."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from graders.events import CaseGraded, CaseStarted, StepStarted
from graders.progress import Progress
from graders.result import Graded
from graders.verdict import decide

GRADED = Graded("0123", "case", "work", decide([], threshold=0.8), datetime(2026, 1, 31, tzinfo=UTC))
EVENTS = (CaseStarted("case", "work"), StepStarted("case", "work", "login", 2, 7), CaseGraded(GRADED))


def told(*events: object, terminal: bool = True, quiet: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, width=200, color_system=None, _environ={"TERM": "xterm"})
    with Progress(console, count=3, quiet=quiet) as progress:
        for event in events:
            progress.take(event)  # type: ignore[arg-type]
    return stream.getvalue()


@pytest.mark.parametrize(("terminal", "quiet"), [(False, False), (True, True), (False, True)])
def test_nothing_is_told_where_nobody_looks(*, terminal: bool, quiet: bool) -> None:
    assert told(*EVENTS, terminal=terminal, quiet=quiet) == ""


def test_a_person_sees_which_step_of_which_case_runs() -> None:
    assert "[0/3] case work: making a sandbox" in told(EVENTS[0])
    assert "[0/3] case work: login (2/7)" in told(*EVENTS[:2])
    assert "[1/3] case work: login (2/7)" in told(*EVENTS, EVENTS[1])


@pytest.mark.parametrize(
    "name", ["[bold]x[/]", "\\[bold]x", "\\[/]", "[/nothing]", ":skull:", "[link=http://evil]y[/link]"]
)
def test_markup_in_a_name_is_not_interpreted(name: str) -> None:
    assert f"case {name}: making a sandbox" in told(CaseStarted("case", name))
    assert f"case {name}: {name} (1/1)" in told(StepStarted("case", name, name, 1, 1))


def test_control_characters_of_a_name_do_not_reach_the_terminal() -> None:
    found = told(CaseStarted("case", "\x1b]0;owned\x07\u202e"))
    assert "\\x1b]0;owned\\x07\\u202e" in found
    assert "\x07" not in found


def test_the_line_is_gone_while_something_else_is_printed_and_at_the_end() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=80, color_system=None, _environ={"TERM": "xterm"})
    with Progress(console, count=1, quiet=False) as progress:
        progress.take(EVENTS[0])
        progress.pause()
        shown = stream.getvalue()
        assert shown.endswith(("\x1b[2K", "\x1b[?25h\r\x1b[1A\x1b[2K"))
        progress.take(EVENTS[1])
    again = stream.getvalue()[len(shown) :]
    assert "login" in again
    assert again.endswith("\x1b[2K")
