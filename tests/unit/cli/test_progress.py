"""What a person sees of a run while it goes on: on a terminal, in a log, and with nobody looking."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import structlog
from rich.cells import cell_len
from rich.console import Console

from graders.cli.logs import (
    LogFormat,
    configure,
    log_event,
    room_for_lines,
)
from graders.cli.progress import (
    Display,
    LiveProgress,
    PlainProgress,
    Silent,
    _summary,
    progress_on,
)
from graders.cli.tally import Tally
from graders.model.events import (
    AskedAgain,
    CaseGraded,
    CaseStarted,
    Event,
    StepStarted,
)
from graders.model.result import Result
from graders.model.verdict import Status, Verdict

PASSED = Verdict(Status.PASSED, 1.0, 1.0, None, 0.8, ())
GRADED = Result("0123", "case", "work", PASSED, datetime(2026, 1, 31, tzinfo=UTC))
EVENTS: tuple[Event, ...] = (
    CaseStarted("case", "work"),
    StepStarted("case", "work", "login", 2, 7),
    CaseGraded(GRADED),
)


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


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


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("display", "quiet", "stream", "environ", "kind"),
    [
        (Display.AUTO, False, Terminal(), {}, LiveProgress),
        (Display.AUTO, False, Terminal(), {"CI": "true"}, PlainProgress),
        (Display.AUTO, False, Terminal(), {"TERM": "dumb"}, PlainProgress),
        (Display.AUTO, False, io.StringIO(), {}, PlainProgress),
        (Display.AUTO, False, io.StringIO(), {"FORCE_COLOR": "1"}, PlainProgress),
        (Display.AUTO, True, Terminal(), {}, Silent),
        (Display.NONE, False, Terminal(), {}, Silent),
        (Display.LIVE, False, io.StringIO(), {}, LiveProgress),
        (Display.PLAIN, False, Terminal(), {}, PlainProgress),
    ],
)
def test_who_looks_decides_how_it_is_shown(
    monkeypatch: pytest.MonkeyPatch,
    display: Display,
    stream: io.StringIO,
    environ: dict[str, str],
    kind: type,
    *,
    quiet: bool,
) -> None:
    for name in ("CI", "TERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert type(progress_on(Console(file=stream), count=3, display=display, quiet=quiet)) is kind


def live(*events: Event, width: int = 200, height: int = 25) -> str:
    """Return what is seen after some events."""
    stream = io.StringIO()
    with LiveProgress(terminal(stream, width, height), 3, Clock()) as progress:
        for event in events:
            progress.take(event)
        refresh(progress)
        return "\n".join(screen(stream.getvalue()))


def refresh(progress: LiveProgress) -> None:
    assert progress._live is not None
    progress._live.refresh()


def test_a_person_sees_which_step_of_which_case_runs_and_how_far_the_run_is() -> None:
    assert "case work" in live(EVENTS[0])
    assert "making a sandbox" in live(EVENTS[0])
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
        "case work           making a sandbox",
        "case work repeat 2  login (1/1)",
    ]
    assert re.findall(r"case work.*", live(*both, step, CaseGraded(GRADED))) == ["case work repeat 2  login (1/1)"]
    assert "case work" not in live(*both, CaseGraded(GRADED), CaseGraded(replace(GRADED, repeat=2)))


@pytest.mark.parametrize("width", [10, 20, 40, 60, 80])
def test_no_line_is_wider_than_the_terminal_and_none_is_broken(width: int) -> None:
    found = live(CaseStarted("a-case-" * 9, "work"), CaseStarted("b", "\u6f22\u5b57" * 20), EVENTS[2], width=width)
    lines = found.splitlines()
    assert len(lines) == 3
    assert max(map(cell_len, lines)) <= width
    assert [line[:4] for line in lines[:2]] == ["0 s ", "0 s "]
    assert "1/3" in lines[2]


def test_what_matters_least_gives_way_first() -> None:
    clock = Clock()
    tally = Tally(9, clock)
    clock.now += 10
    tally.take(EVENTS[2])
    widths = {width: _summary(tally, width).plain for width in (40, 36, 28, 10)}
    assert widths == {
        40: "1/9  1 passed  0.1/s  about 1:20 left",
        36: "1/9  1 passed  about 1:20 left",
        28: "1/9  1 passed",
        10: "1/9  1 passed",
    }


@pytest.mark.parametrize("height", [4, 6, 10, 25])
def test_a_low_terminal_shows_the_counts_and_what_it_has_room_for(height: int) -> None:
    found = live(*(CaseStarted(f"case-{number}", "work") for number in range(50)), height=height).splitlines()
    assert len(found) < height
    assert "0/3" in found[-1]
    assert found[0].startswith("0 s  case-0")


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
    with LiveProgress(terminal(stream), 1) as progress:
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
    with LiveProgress(terminal(stream), 40) as progress:
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
    with LiveProgress(terminal(stream), 100) as progress:

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
    with LiveProgress(terminal(stream), 1) as progress, room_for_lines(progress.paused):
        for event in EVENTS:
            progress.take(event)
            log_event(event)
            refresh(progress)
    structlog.reset_defaults()
    assert [line.split()[2:4] for line in screen(stream.getvalue())] == [["case", "started"], ["case", "graded"]]


def test_a_log_gets_a_line_now_and_then_and_none_of_a_short_run() -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainProgress(Console(file=stream, width=200), 10, clock) as progress:
        progress.take(EVENTS[2])
        assert stream.getvalue() == ""
        clock.now += 20
        progress.take(EVENTS[2])
        progress.take(EVENTS[2])
    assert stream.getvalue() == "2/10  2 passed  0.1/s  about 1:20 left\n"


def test_the_rate_and_the_rest_are_those_of_the_run_so_far() -> None:
    clock = Clock()
    tally = Tally(4, clock)
    assert tally.remaining_seconds is None
    clock.now += 2
    tally.take(EVENTS[2])
    assert (tally.per_second, tally.remaining_seconds) == (0.5, 6.0)
    # Nothing new begins, so nobody waits for the rest.
    tally.finishing = True
    assert tally.remaining_seconds is None


def test_verdicts_that_had_been_found_before_say_nothing_about_the_rest() -> None:
    clock = Clock()
    tally = Tally(10, clock)
    for _ in range(7):
        tally.take(CaseGraded(GRADED, found_before=True))
    clock.now += 2
    assert (tally.graded, tally.per_second, tally.remaining_seconds) == (7, 0.0, None)
    tally.take(EVENTS[2])
    assert (tally.graded, tally.per_second, tally.remaining_seconds) == (8, 0.5, 4.0)


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Log events, and return what was written."""

    def call(*events: Event, verbose: int, form: LogFormat = LogFormat.TEXT) -> str:
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        configure(verbose=verbose, form=form)
        for event in events:
            log_event(event)
        return stream.getvalue()

    yield call
    structlog.reset_defaults()


@pytest.mark.parametrize(("verbose", "count"), [(0, 0), (1, 2), (2, 3), (5, 3)])
def test_more_is_logged_the_more_often_it_is_asked_for(logged: Callable[..., str], verbose: int, count: int) -> None:
    assert logged(*EVENTS, verbose=verbose).count("\n") == count


def test_an_engine_that_has_to_be_asked_again_is_told_to_everybody(logged: Callable[..., str]) -> None:
    assert "No answer." in logged(AskedAgain("No answer.", 2.0), verbose=0)


@pytest.mark.parametrize("form", LogFormat)
def test_no_name_forges_a_line_of_the_log(logged: Callable[..., str], form: LogFormat) -> None:
    name = 'x\n{"event": "forged"}\x1b[31m\u202e  level=error'
    (line,) = logged(CaseStarted("case", name), verbose=1, form=form).splitlines()
    assert "\x1b" not in line
    assert "\u202e" not in line
    if form is LogFormat.JSON:
        found = json.loads(line)
        assert (found["event"], found["level"], found["case"]) == ("case started", "info", "case")
        assert (found["submission"], found["target"], found["repeat"]) == (name, None, 1)
    else:
        assert "  case started  case=case  submission='x" in line.replace("info  ", "")


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (AskedAgain("No answer.", 2.0), "warning the engine is asked again  reason=No answer.  in_seconds=2.0"),
        (EVENTS[0], "info    case started  case=case  submission=work"),
        (
            StepStarted("case", "a b", "a: b", 1, 2, "gpt", 3),
            "debug   command started  case=case  submission=a b  target=gpt  repeat=3  step='a: b'  number=1  count=2",
        ),
        (
            EVENTS[2],
            "info    case graded  case=case  submission=work  verdict=passed  score=1.0  wall_seconds=0.0",
        ),
        (
            CaseGraded(GRADED, found_before=True),
            "info    verdict found before  case=case  submission=work  verdict=passed  score=1.0  wall_seconds=0.0",
        ),
    ],
)
def test_people_read_what_is_known_and_no_more(logged: Callable[..., str], event: Event, said: str) -> None:
    assert logged(event, verbose=2).rstrip("\n").split(" ", 1)[1] == said
