"""What a person sees on a terminal while a run goes on."""

from __future__ import annotations

import io
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console
from some_events import EVENTS, GRADED, Clock

from gradebox.graders.cli.live_progress import LiveProgress
from gradebox.graders.cli.logs import configure, log_event, room_for_lines
from gradebox.graders.model.events import CaseGraded, CaseStarted, Event, StepStarted


def terminal(stream: io.StringIO, width: int = 200, height: int = 25) -> Console:
    return Console(
        file=stream, force_terminal=True, width=width, height=height, color_system=None, _environ={"TERM": "xterm"}
    )


def screen(written: str) -> list[str]:
    """Return what a terminal shows after all that was written, as far as it is more than blanks."""
    lines, row, column = [""], 0, 0
    for piece in re.findall(r"\x1b\[\??\d*[a-zA-Z]|[\r\n]|[^\x1b\r\n]+", written):
        if piece == "\r":
            column = 0
        elif piece == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif piece == "\x1b[1A":
            row -= 1
        elif piece == "\x1b[2K":
            lines[row] = ""
        elif piece.startswith("\x1b"):
            assert piece[-1] in "lhm", piece
        else:
            lines[row] = f"{lines[row][:column]:<{column}}{piece}{lines[row][column + len(piece) :]}"
            column += len(piece)
    return [line.rstrip() for line in lines if line.strip()]


def live(*events: Event, width: int = 200, height: int = 25) -> str:
    """Return what is seen after some events."""
    stream = io.StringIO()
    with LiveProgress(3, terminal(stream, width, height), Clock()) as progress:
        for event in events:
            progress.take(event)
        refresh(progress)
        return "\n".join(screen(stream.getvalue()))


def refresh(progress: LiveProgress) -> None:
    assert progress._live is not None
    progress._live.refresh()


def test_a_person_sees_which_step_of_which_case_runs_and_how_far_the_run_is() -> None:
    assert "case work" in live(EVENTS[0])
    assert "creating a sandbox" in live(EVENTS[0])
    assert "login (2/7)" in live(*EVENTS[:2])
    assert "0/3" in live(*EVENTS[:2])
    assert "1/3  1 passed" in live(*EVENTS)
    # What is over is not shown as running.
    assert "login" not in live(EVENTS[0], EVENTS[2])


def test_targets_of_a_case_are_told_apart() -> None:
    found = live(CaseStarted("case", "work", "one"), CaseStarted("case", "work", "two"))
    assert "case one work" in found
    assert "case two work" in found


def test_repeats_are_told_apart_and_end_one_by_one() -> None:
    both = CaseStarted("case", "work"), CaseStarted("case", "work", repeat=2)
    step = StepStarted("case", "work", "login", 1, 1, repeat=2)
    assert re.findall(r"case work.*", live(*both, step)) == [
        "case work          creating a sandbox",
        "case work repeat 2 login (1/1)",
    ]
    assert re.findall(r"case work.*", live(*both, step, CaseGraded(GRADED))) == ["case work repeat 2 login (1/1)"]
    assert "case work" not in live(*both, CaseGraded(GRADED), CaseGraded(replace(GRADED, repeat=2)))


@pytest.mark.parametrize("width", [10, 20, 40, 60, 80])
def test_no_line_is_wider_than_the_terminal_and_none_is_broken(width: int) -> None:
    found = live(CaseStarted("a-case-" * 9, "work"), CaseStarted("b", "\u6f22\u5b57" * 20), EVENTS[2], width=width)
    lines = found.splitlines()
    assert len(lines) == 3
    assert max(map(cell_len, lines)) <= width
    assert [line[:8] for line in lines[:2]] == ["0:00:00 ", "0:00:00 "]
    assert "1/3" in lines[2]


@pytest.mark.parametrize("height", [4, 6, 10, 25])
def test_a_low_terminal_shows_the_counts_and_what_it_has_room_for(height: int) -> None:
    found = live(*(CaseStarted(f"case-{number}", "work") for number in range(50)), height=height).splitlines()
    assert len(found) < height
    assert "0/3" in found[-1]
    assert found[0].startswith("0:00:00 case-0")


@pytest.mark.parametrize(
    "name", ["[bold]x[/]", "\\[bold]x", "\\[/]", "[/nothing]", ":skull:", "[link=http://evil]y[/link]"]
)
def test_markup_in_a_name_is_not_interpreted(name: str) -> None:
    assert f"case {name}" in live(CaseStarted("case", name))
    assert f"{name} (1/1)" in live(StepStarted("case", name, name, 1, 1))


def test_control_characters_of_a_name_do_not_reach_the_terminal() -> None:
    found = live(CaseStarted("case", "\x1b]0;owned\x07\u202e"))
    assert "\\x1b]0;owned\\x07\\u202e" in found
    assert "\x07" not in found


def test_many_that_run_do_not_fill_the_terminal() -> None:
    found = live(*(CaseStarted(f"case-{number}", "work") for number in range(50)))
    assert "case-7" in found
    assert "case-8 " not in found
    assert "and 42 more" in found


def test_what_is_shown_is_gone_while_something_else_is_printed_and_at_the_end() -> None:
    stream = io.StringIO()
    with LiveProgress(1, terminal(stream)) as progress:
        progress.take(EVENTS[0])
        refresh(progress)
        with progress.paused():
            # Whatever is told meanwhile, from whatever thread.
            progress.take(EVENTS[1])
            assert screen(stream.getvalue()) == []
        assert "login" in "".join(screen(stream.getvalue()))
    assert screen(stream.getvalue()) == []
    progress.take(EVENTS[2])
    with progress.paused():
        pass
    # What is told after the end is not shown any more.
    assert screen(stream.getvalue()) == []


@pytest.mark.parametrize("height", [1, 3, 8])
def test_nothing_that_was_printed_is_ever_cleared(height: int) -> None:
    stream = io.StringIO()
    printed = []
    with LiveProgress(40, terminal(stream)) as progress:
        for number in range(40):
            for other in range(number % height + 1):
                progress.take(CaseStarted(f"case-{number}-{other}", "work"))
            refresh(progress)
            with progress.paused():
                printed.append(f"line {number}")
                stream.write(f"line {number}\n")
            assert screen(stream.getvalue())[: len(printed)] == printed
            refresh(progress)
            assert screen(stream.getvalue())[: len(printed)] == printed
    assert screen(stream.getvalue()) == printed


def test_threads_that_print_at_the_same_time_all_do_so_while_nothing_is_shown() -> None:
    stream = io.StringIO()
    with LiveProgress(100, terminal(stream)) as progress:

        def work(worker: int) -> None:
            for number in range(20):
                progress.take(CaseStarted(f"{worker}-{number}", "work"))
                with progress.paused():
                    stream.write(f"line {worker}-{number}\n")

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
        assert progress._live is not None
    assert sorted(screen(stream.getvalue())) == sorted(f"line {w}-{n}" for w in range(4) for n in range(20))


def test_the_log_waits_until_nothing_else_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    configure(verbose=1)
    with LiveProgress(1, terminal(stream)) as progress, room_for_lines(progress.paused):
        for event in EVENTS:
            progress.take(event)
            log_event(event)
            refresh(progress)
    configure()
    assert [line.split()[2:4] for line in screen(stream.getvalue())] == [["case", "started"], ["case", "graded"]]
