"""What is known of a run while it goes on: how many verdicts there are, how fast they come, and what runs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from threading import RLock
from typing import NamedTuple

from graders.model.events import (
    CaseGraded,
    CaseStarted,
    Event,
    StepStarted,
)
from graders.model.verdict import Status


class _Key(NamedTuple):
    """Which grading it is; repeats of the same one run beside each other."""

    case: str
    target: str
    submission: str
    repeat: int

    @property
    def name(self) -> str:
        repeat = f"repeat {self.repeat}" if self.repeat > 1 else ""
        return " ".join(filter(None, (self.case, self.target, self.submission, repeat)))


class Running(NamedTuple):
    """One grading that goes on: its name, what is done for it, and for how long it has been going on."""

    name: str
    step: str
    seconds: float


class Tally:
    """What is known of a run so far. May be told from several threads.

    Args:
        count: How many verdicts there will be.
        clock: Seconds that only go forward.

    Attributes:
        statuses: How many verdicts there are of each kind.
        finishing: Whether nothing new begins.
    """

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.count = count
        self.statuses: Counter[Status] = Counter()
        self.finishing = False
        # A dict keeps the order in which they began.
        self._running: dict[_Key, tuple[float, str]] = {}
        self._found_before = 0
        self._clock = clock
        self._begun = clock()
        self._lock = RLock()

    def take(self, event: Event) -> None:
        """Take an event into account."""
        with self._lock:
            match event:
                case CaseStarted():
                    self._running.setdefault(_key(event), (self._clock(), "making a sandbox"))
                case StepStarted():
                    begun, _ = self._running.get(_key(event), (self._clock(), ""))
                    self._running[_key(event)] = begun, f"{event.step} ({event.number}/{event.count})"
                case CaseGraded(graded, found_before):
                    self.statuses[graded.verdict.status] += 1
                    self._found_before += found_before
                    key = _Key(graded.case, graded.target or "", graded.submission, graded.repeat)
                    self._running.pop(key, None)

    @property
    def graded(self) -> int:
        """How many verdicts there are."""
        return self.statuses.total()

    @property
    def per_second(self) -> float:
        """How many verdicts a second were found; those that had been found before say nothing about the rest."""
        return (self.graded - self._found_before) / max(self._clock() - self._begun, 1e-3)

    @property
    def remaining_seconds(self) -> float | None:
        """How long it takes if it goes on as it went; None where nobody knows, or where it does not."""
        if self.finishing or self.graded <= self._found_before:
            return None
        return (self.count - self.graded) / self.per_second

    def running(self) -> Iterator[Running]:
        """Yield what runs, in the order in which it began."""
        with self._lock:
            listed = list(self._running.items())
        for key, (begun, step) in listed:
            yield Running(key.name, step, self._clock() - begun)


def _key(event: CaseStarted | StepStarted) -> _Key:
    return _Key(event.case, event.target or "", event.submission, event.repeat)
