"""Shows on stderr how a run goes on: live on a terminal, a line now and then in a log, or nothing.

Verdicts are not printed here; they go to stdout, whatever is shown of the progress. Whoever prints anything while it is
shown does so inside of `paused`. The live display (`live_progress`) needs rich, and is imported only when it
is shown.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from threading import RLock
from typing import Self

from graders.cli import console
from graders.model.events import CaseGraded, Event
from graders.model.verdict import Status

# In a log, one line in so many seconds; a shorter run needs no such line.
_LINE_SECONDS = 15.0


class Display(StrEnum):
    AUTO = "auto"
    LIVE = "live"
    PLAIN = "plain"
    NONE = "none"


def progress_on(*, count: int, display: Display = Display.AUTO, quiet: bool = False) -> Progress:
    """Return the display of a run on stderr.

    Automatic means live on a terminal that is no log of CI, otherwise plain.
    """
    if quiet or display is Display.NONE:
        return Progress()
    if display is Display.AUTO:
        live = console.on_terminal(sys.stderr) and not os.environ.get("CI")
        display = Display.LIVE if live else Display.PLAIN
    if display is Display.PLAIN:
        return PlainProgress(count)
    from graders.cli.live_progress import LiveProgress

    return LiveProgress(count)


class Progress:
    """Listens to the events of a run, and shows nothing of them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def take(self, event: Event) -> None:
        """Take an event, from any thread."""

    def paused(self) -> AbstractContextManager[None]:
        """Return a context in which nothing is shown, so that something else can be printed, from any thread."""
        return nullcontext()

    def finish(self) -> None:
        """Stop estimating the remaining time: nothing new will be started."""

    def warn(self, sentence: str) -> None:
        """Print a warning, from any thread."""
        with self.paused():
            console.warn(sentence)


class Counts:
    """How many verdicts there are of `count`, and how fast they come. Takes events from several threads."""

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.count = count
        self.finishing = False
        self._statuses: Counter[Status] = Counter()
        self._reused = 0
        self._clock = clock
        self._start = clock()
        self._lock = RLock()

    def add(self, event: CaseGraded) -> None:
        with self._lock:
            self._statuses[event.result.verdict.status] += 1
            self._reused += event.found_before

    @property
    def graded(self) -> int:
        return self._statuses.total()

    @property
    def per_second(self) -> float:
        """How many verdicts a second are found by grading; those of an earlier run say nothing about the rest."""
        return (self.graded - self._reused) / max(self._clock() - self._start, 1e-3)

    @property
    def remaining_seconds(self) -> float | None:
        """How long the rest takes at this speed; None if that is unknown."""
        if self.finishing or self.graded <= self._reused:
            return None
        return (self.count - self.graded) / self.per_second

    def summary(self, width: int | None = None) -> str:
        """Return everything in one line; what there is no room for is left out, the least important first."""
        words = [f"{self.graded}/{self.count}"]
        words += [f"{self._statuses[status]} {title(status)}" for status in Status if self._statuses[status]]
        counts = "  ".join(words)
        rate = self.per_second
        speed = f"  {rate:.{2 if rate < 10 else 3}g}/s" if rate else ""
        left = self.remaining_seconds
        rest = "" if left is None or self.graded >= self.count else f"  about {duration(left)} left"
        for more in (speed + rest, rest):
            if width is None or len(counts) + len(more) <= width:
                return counts + more
        return counts


class PlainProgress(Progress):
    """Prints how far the run is, a line now and then."""

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._counts = Counts(count, clock)
        self._clock = clock
        self._printed = clock()
        self._lock = RLock()

    def take(self, event: Event) -> None:
        if not isinstance(event, CaseGraded):
            return
        self._counts.add(event)
        with self._lock:
            if self._clock() - self._printed < _LINE_SECONDS:
                return
            self._printed = self._clock()
        console.say(self._counts.summary())

    def finish(self) -> None:
        self._counts.finishing = True


def title(status: str) -> str:
    return status.replace("_", " ")


def duration(seconds: float) -> str:
    """Return seconds as people write them: 7 s, 3:07, 2:03:07."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
