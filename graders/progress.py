"""Tells a person on stderr how a run goes on: live on a terminal, a line now and then in a log, or nothing.

Verdicts are not told here; they go to stdout, whatever is shown of the progress.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum
from threading import RLock
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from graders.events import CaseGraded, CaseStarted, Event, StepStarted
from graders.reports.text import STYLES, visible
from graders.verdict import Status

_SHOWN = 8
_REFRESHES_PER_SECOND = 4
_BAR_COLUMNS = 24
# In a log, so often and no more often; a run that is over by then needs no such line.
_LINE_SECONDS = 15.0


class Display(StrEnum):
    """How progress is shown."""

    AUTO = "auto"
    LIVE = "live"
    PLAIN = "plain"
    NONE = "none"


class Progress(Protocol):
    """A listener of a run."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def take(self, event: Event) -> None:
        """Take an event, from any thread."""

    def pause(self) -> None:
        """Clear what is shown before something else is printed; the next event draws it again."""


def progress_on(console: Console, *, count: int, display: Display = Display.AUTO, quiet: bool = False) -> Progress:
    """Return the listener for a console.

    Args:
        console: Where to tell.
        count: How many verdicts there will be.
        display: How; by itself live on a terminal that is no log of CI, else plain.
        quiet: Whether to tell nothing.
    """
    if quiet or display is Display.NONE:
        return Silent()
    if display is Display.AUTO:
        # Colours may be forced upon a pipe (FORCE_COLOR), which makes it no terminal.
        terminal = console.file.isatty() and not console.is_dumb_terminal and not os.environ.get("CI")
        display = Display.LIVE if terminal else Display.PLAIN
    return LiveProgress(console, count) if display is Display.LIVE else PlainProgress(console, count)


class Tally:
    """What is known of a run so far. May be told from several threads.

    Args:
        count: How many verdicts there will be.
        clock: Seconds that only go forward.
    """

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.count = count
        self.statuses: Counter[Status] = Counter()
        # By case, target and submission, which repeats share; a dict keeps the order in which they began.
        self._running: dict[tuple[str, str, str], tuple[float, str]] = {}
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
                case CaseGraded():
                    self.statuses[event.graded.verdict.status] += 1
                    self._running.pop((event.graded.case, event.graded.target or "", event.graded.submission), None)

    @property
    def graded(self) -> int:
        """How many verdicts there are."""
        return self.statuses.total()

    @property
    def per_second(self) -> float:
        """How many verdicts a second there were so far."""
        return self.graded / max(self._clock() - self._begun, 1e-3)

    @property
    def remaining_seconds(self) -> float | None:
        """How long it takes if it goes on as it went; None before the first verdict."""
        return (self.count - self.graded) / self.per_second if self.graded else None

    def running(self) -> Iterator[tuple[str, str, float]]:
        """Yield what runs: its name, what is done for it, and for how many seconds it has been running."""
        with self._lock:
            listed = list(self._running.items())
        for key, (begun, step) in listed:
            yield " ".join(filter(None, key)), step, self._clock() - begun


def _key(event: CaseStarted | StepStarted) -> tuple[str, str, str]:
    return event.case, event.target or "", event.submission


class Silent:
    """Tells nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        pass

    def take(self, event: Event) -> None:
        pass

    def pause(self) -> None:
        pass


class PlainProgress(Silent):
    """Tells how far it is, a line now and then.

    Args:
        console: Where to tell.
        count: How many verdicts there will be.
        clock: Seconds that only go forward.
    """

    def __init__(self, console: Console, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._tally = Tally(count, clock)
        self._clock = clock
        self._told = clock()
        self._lock = RLock()

    def take(self, event: Event) -> None:
        self._tally.take(event)
        with self._lock:
            if not isinstance(event, CaseGraded) or self._clock() - self._told < _LINE_SECONDS:
                return
            self._told = self._clock()
        self._console.print(_summary(self._tally), soft_wrap=True)


class LiveProgress:
    """Shows a bar, counts and what runs, below everything that is printed.

    Args:
        console: Where to show it.
        count: How many verdicts there will be.
        clock: Seconds that only go forward.
    """

    def __init__(self, console: Console, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._tally = Tally(count, clock)
        self._lock = RLock()
        self._over = True
        self._live = Live(
            console=console,
            get_renderable=self._shown,
            refresh_per_second=_REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        with self._lock:
            self._over = False
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._lock:
            self._over = True
            self._live.stop()

    def take(self, event: Event) -> None:
        self._tally.take(event)
        with self._lock:
            if not self._over and not self._live.is_started:
                self._live.start()

    def pause(self) -> None:
        with self._lock:
            self._live.stop()

    def _shown(self) -> RenderableType:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, justify="right")
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, overflow="ellipsis")
        running = list(self._tally.running())
        for name, step, seconds in running[:_SHOWN]:
            table.add_row(Text(_duration(seconds), "dim"), Text(visible(name)), Text(visible(step), "dim"))
        if len(running) > _SHOWN:
            table.add_row("", Text(f"and {len(running) - _SHOWN} more", "dim"))
        line = Table.grid(padding=(0, 2, 0, 0))
        bar = ProgressBar(total=max(1, self._tally.count), completed=self._tally.graded, width=_BAR_COLUMNS)
        line.add_row(bar, _summary(self._tally))
        return Group(table, line)


def _summary(tally: Tally) -> Text:
    """Return how far a run is, in one line."""
    text = Text(f"{tally.graded}/{tally.count}")
    for status, style in STYLES.items():
        if tally.statuses[status]:
            text.append("  ").append(f"{tally.statuses[status]} {str(status).replace('_', ' ')}", style)
    if tally.graded:
        text.append(f"  {tally.per_second:.2g}/s", "dim")
    left = tally.remaining_seconds
    if left is not None and tally.graded < tally.count:
        text.append(f"  about {_duration(left)} left", "dim")
    return text


def _duration(seconds: float) -> str:
    """Return seconds as people say them: 7 s, 3:07, 2:03:07."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
