"""Points in time, with a clock that the test turns."""

from __future__ import annotations

import time

import pytest

from gradebox.sandbox.deadline import Deadline


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("later", "remaining", "passed"), [(0.0, 5.0, False), (4.0, 1.0, False), (5.0, 0.0, True), (6.0, 0.0, True)]
)
def test_what_remains_is_never_less_than_nothing(later: float, remaining: float, *, passed: bool) -> None:
    clock = Clock()
    deadline = Deadline.after(5.0, clock)
    clock.now += later
    assert (deadline.remaining_seconds(), deadline.passed) == (remaining, passed)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_a_deadline_without_time_is_over_at_once(seconds: float) -> None:
    assert Deadline.after(seconds, Clock()).passed


def test_the_clock_is_one_that_nobody_can_set() -> None:
    assert Deadline.after(1.0).clock is time.monotonic
