"""A point in time by which something must end, on a monotonic clock that tests can replace."""

from __future__ import annotations

import time
from collections.abc import Callable

from gradebox.sandbox.records import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time by which something must end.

    Attributes:
        at: Seconds on the monotonic clock.
        clock: Returns the time of that clock, in seconds.
    """

    at: float
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Deadline:
        """Return the deadline that is `seconds` from now."""
        return cls(clock() + seconds, clock)

    def remaining_seconds(self) -> float:
        """Return the seconds left, never less than zero."""
        return max(0.0, self.at - self.clock())

    @property
    def passed(self) -> bool:
        return self.clock() >= self.at
