"""What is logged on stderr, for people and for programs."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator

import pytest
from some_events import EVENTS, GRADED

from gradebox.graders.cli.logs import LogFormat, configure, log_event
from gradebox.graders.model.events import CaseGraded, CaseStarted, EngineRetried, Event, JobsLimited, StepStarted


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
    configure()


@pytest.mark.parametrize(("verbose", "count"), [(0, 0), (1, 2), (2, 3), (5, 3)])
def test_more_is_logged_the_more_often_it_is_asked_for(logged: Callable[..., str], verbose: int, count: int) -> None:
    assert logged(*EVENTS, verbose=verbose).count("\n") == count


def test_an_engine_that_has_to_be_asked_again_is_told_to_everybody(logged: Callable[..., str]) -> None:
    assert "No answer." in logged(EngineRetried("No answer.", 2.0), verbose=0)


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
        (
            EngineRetried("No answer.", 2.0),
            "warning the engine gets the request again  reason=No answer.  in_seconds=2.0",
        ),
        (JobsLimited("Few.", 2), "warning fewer gradings run at a time  reason=Few.  jobs=2"),
        (EVENTS[0], "info    case started  case=case  submission=work"),
        (
            StepStarted("case", "a b", "a: b", 1, 2, "gpt", 3),
            "debug   command started  case=case  submission=a b  target=gpt  repeat=3  step='a: b'  number=1  count=2",
        ),
        (EVENTS[2], "info    case graded  case=case  submission=work  verdict=passed  score=1.0  wall_seconds=0.0"),
        (
            CaseGraded(GRADED, found_before=True),
            (
                "info    verdict taken from an earlier run  case=case  submission=work  verdict=passed  score=1.0"
                "  wall_seconds=0.0"
            ),
        ),
    ],
)
def test_people_read_what_is_known_and_no_more(logged: Callable[..., str], event: Event, said: str) -> None:
    assert logged(event, verbose=2).rstrip("\n").split(" ", 1)[1] == said
