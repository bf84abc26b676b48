"""How sandboxes of a run are opened, stopped and removed, against the scripted engine; calls are cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fake_engine import FakeEngine
from grading_bench import Patient

from gradebox.graders.grading.open_sandboxes import AWAY_SECONDS, INTERRUPTED, Call, Calls, open_sandbox
from gradebox.graders.grading.settings import Outage, Settings
from gradebox.graders.model.events import EngineRetried, Event
from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.errors import EngineRefused, EngineUnavailable, SandboxLost
from gradebox.sandbox.types import SandboxSpec

SPEC = SandboxSpec("image")


def settings(heard: Callable[[Event], None] = lambda _: None) -> Settings:
    return Settings(image_of=lambda _: "image", stop=Patient(), emit=heard)


def test_a_sandbox_is_known_while_it_is_open_and_removed_then() -> None:
    engine, asked = FakeEngine(), settings()
    with open_sandbox(engine, SPEC, asked) as sandbox:
        assert list(asked.live.values()) == [sandbox]
    assert (asked.live, engine.open_containers) == ({}, ())


def test_a_run_that_was_stopped_while_a_sandbox_was_opened_does_not_use_it() -> None:
    """If what is open is killed a moment before another sandbox is, nobody would kill that one."""
    asked = settings()

    class Stopped(FakeEngine):
        def start(self, container: str) -> None:
            asked.stop.set()
            assert asked.live == {}
            super().start(container)

    engine = Stopped()
    with pytest.raises(SandboxLost, match=INTERRUPTED), open_sandbox(engine, SPEC, asked):
        pytest.fail("the sandbox was used")
    assert (asked.live, engine.open_containers) == ({}, ())


@pytest.mark.parametrize("refusal", [EngineUnavailable("It is away."), EngineRefused("It will not.", status=500)])
def test_an_engine_is_asked_again_and_that_is_told(refusal: Exception) -> None:
    heard: list[Event] = []
    engine = FakeEngine(refuse=[refusal])
    with open_sandbox(engine, SPEC, settings(heard.append)):
        pass
    (event,) = heard
    assert isinstance(event, EngineRetried)
    assert str(refusal) in event.reason


class Away(FakeEngine):
    """An engine that does not answer."""

    def image(self, reference: str) -> ImageInfo:
        raise EngineUnavailable("It is away.")


def test_an_engine_that_is_away_for_long_is_given_up() -> None:
    heard: list[Event] = []
    with pytest.raises(EngineUnavailable), open_sandbox(Away(), SPEC, settings(heard.append)):
        pytest.fail("there is no sandbox")
    assert len(heard) == len(AWAY_SECONDS)


def test_nobody_waits_anew_for_an_engine_that_is_gone() -> None:
    heard: list[Event] = []
    asked = replace(settings(heard.append), outage=Outage(time.monotonic() - 3600.0))
    with pytest.raises(EngineUnavailable), open_sandbox(Away(), SPEC, asked):
        pytest.fail("there is no sandbox")
    assert heard == []
    # Once it has answered, the next outage is a new one.
    with open_sandbox(FakeEngine(), SPEC, asked):
        pass
    with pytest.raises(EngineUnavailable), open_sandbox(Away(), SPEC, asked):
        pytest.fail("there is no sandbox")
    assert len(heard) == len(AWAY_SECONDS)


class Opened:
    """Stands for an open sandbox."""

    def __init__(self, error: Exception | None = None) -> None:
        self.killed = 0
        self.error = error

    def kill(self) -> None:
        self.killed += 1
        if self.error:
            raise self.error


def call_with(*sandboxes: Any) -> Call:
    call = Call()
    call.live.update(enumerate(sandboxes))
    return call


def test_cancelling_kills_every_sandbox_of_the_call_even_if_one_cannot_be_reached() -> None:
    away, there = Opened(EngineUnavailable("It is away.")), Opened()
    call = call_with(away, there)
    call.cancel()
    assert (away.killed, there.killed, call.stop.is_set()) == (1, 1, True)


def test_a_grading_of_a_call_shares_its_flag_and_its_sandboxes() -> None:
    call = Call()
    settings = call.applied_to(Settings(image_of=lambda _: "image"))
    assert settings.stop is call.stop
    assert settings.live is call.live
    assert settings.case_errors is call.case_errors


def test_all_open_calls_are_cancelled_and_no_other() -> None:
    calls, first, closed = Calls(), call_with(Opened()), call_with(Opened())
    with calls.open(closed):
        pass
    with calls.open(first):
        calls.cancel()
    assert (first.stop.is_set(), closed.stop.is_set(), calls.stopped) == (True, False, True)


def test_a_call_that_is_opened_too_late_is_cancelled_at_once() -> None:
    calls, late = Calls(), Call()
    calls.cancel()
    with calls.open(late):
        assert late.stop.is_set()
