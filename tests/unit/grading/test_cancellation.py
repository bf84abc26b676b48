"""Calls of a grader: each can be cancelled alone, and all together."""

from __future__ import annotations

from typing import Any

from gradebox.graders.grading.cancellation import Call, Calls
from gradebox.graders.grading.settings import Settings
from gradebox.sandbox.errors import EngineUnavailable


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
