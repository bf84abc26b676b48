"""What a person sees of a run while it goes on: on a terminal, in a log, and with nobody looking."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
import structlog
from rich.console import Console

from graders.events import CaseGraded, CaseStarted, Event, StepStarted
from graders.logs import LogFormat, configure, log_event
from graders.progress import Display, LiveProgress, PlainProgress, Silent, Tally, progress_on
from graders.result import Graded
from graders.verdict import Status, Verdict

PASSED = Verdict(Status.PASSED, 1.0, 1.0, None, 0.8, ())
GRADED = Graded("0123", "case", "work", PASSED, datetime(2026, 1, 31, tzinfo=UTC))
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


def terminal(stream: io.StringIO) -> Console:
    return Console(file=stream, force_terminal=True, width=200, color_system=None, _environ={"TERM": "xterm"})


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


def live(*events: Event, clock: Clock | None = None) -> str:
    stream = io.StringIO()
    progress = LiveProgress(terminal(stream), 3, clock or Clock())
    with progress:
        for event in events:
            progress.take(event)
        progress._live.refresh()
    return stream.getvalue()


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
    progress = LiveProgress(terminal(stream), 1)
    with progress:
        progress.take(EVENTS[0])
        progress.pause()
        shown = stream.getvalue()
        assert shown.endswith("\x1b[1A\x1b[2K")
        progress.take(EVENTS[1])
        progress._live.refresh()
    again = stream.getvalue()[len(shown) :]
    assert "login" in again
    assert again.endswith("\x1b[2K")
    progress.take(EVENTS[2])
    # What is told after the end is not shown any more.
    assert stream.getvalue() == shown + again


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


@pytest.mark.parametrize("form", LogFormat)
def test_no_name_forges_a_line_of_the_log(logged: Callable[..., str], form: LogFormat) -> None:
    (line,) = logged(CaseStarted("case", 'x\n{"event": "forged"}\x1b[31m\u202e'), verbose=1, form=form).splitlines()
    assert "\x1b" not in line
    assert "\u202e" not in line
    if form is LogFormat.JSON:
        found = json.loads(line)
        assert (found["event"], found["level"], found["case"]) == ("case started", "info", "case")
