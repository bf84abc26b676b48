"""Tells a person on stderr how a run goes on: live on a terminal, a line now and then in a log, or nothing.

Verdicts are not told here; they go to stdout, whatever is shown of the progress. Whoever prints anything while it is
shown does so inside of `paused`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import StrEnum
from threading import RLock
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from graders.cli.tally import Running, Tally
from graders.model.events import CaseGraded, Event
from graders.reports.escaping import visible
from graders.reports.text_report import STYLES

_SHOWN = 8
_REFRESHES_PER_SECOND = 4
_BAR_COLUMNS = 24
# A shorter bar shows nothing.
_BAR_LEAST = 6
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

    def paused(self) -> AbstractContextManager[None]:
        """Return a context in which nothing is shown, so that something else can be printed, from any thread."""

    def finishing(self) -> None:
        """Note that nothing new begins, so that nobody is told how long all of it would take."""


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

    def paused(self) -> AbstractContextManager[None]:
        return nullcontext()

    def finishing(self) -> None:
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

    def finishing(self) -> None:
        self._tally.finishing = True


class LiveProgress:
    """Shows a bar, counts and what runs, below everything that is printed.

    Args:
        console: Where to show it.
        count: How many verdicts there will be.
        clock: Seconds that only go forward.
    """

    def __init__(self, console: Console, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._tally = Tally(count, clock)
        # Guards what follows and the display with it; never held while somebody else prints.
        self._lock = RLock()
        self._over = True
        self._pauses = 0
        self._live: Live | None = None

    def __enter__(self) -> Self:
        with self._lock:
            self._over = False
            self._show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._lock:
            self._over = True
            self._hide()

    def take(self, event: Event) -> None:
        self._tally.take(event)

    @contextmanager
    def paused(self) -> Iterator[None]:
        with self._lock:
            self._pauses += 1
            self._hide()
        try:
            yield
        finally:
            with self._lock:
                self._pauses -= 1
                self._show()

    def finishing(self) -> None:
        self._tally.finishing = True

    def _show(self) -> None:
        if self._over or self._pauses:
            return
        # A new one each time: one that was stopped still wants to clear as many lines as it had, which are others now.
        self._live = Live(
            console=self._console,
            get_renderable=self._shown,
            refresh_per_second=_REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        # Drawn at once: where verdicts come fast, nothing would be seen between them.
        self._live.start(refresh=True)

    def _hide(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _shown(self) -> RenderableType:
        width, height = self._console.size
        # What is higher than the terminal cannot be cleared any more.
        most = max(1, min(_SHOWN, height - 3))
        running = list(self._tally.running())
        lines: list[RenderableType] = _running_lines(running[:most], width)
        if len(running) > most:
            lines.append(Text(f"and {len(running) - most} more", "dim"))
        text = _summary(self._tally, width)
        room = min(_BAR_COLUMNS, width - text.cell_len - 2)
        if room < _BAR_LEAST:
            return Group(*lines, text)
        row = Table.grid(padding=(0, 2, 0, 0))
        row.add_row(ProgressBar(total=max(1, self._tally.count), completed=self._tally.graded, width=room), text)
        return Group(*lines, row)


def _running_lines(running: list[Running], width: int) -> list[RenderableType]:
    """Return a line for each grading that goes on; none is broken, whatever their names are."""
    times = [_duration(one.seconds) for one in running]
    longest = max(map(len, times), default=0)
    names = [Text(visible(one.name)) for one in running]
    columns = min(max((name.cell_len for name in names), default=0), max(16, 2 * width // 3))
    lines: list[RenderableType] = []
    for one, took, name in zip(running, times, names, strict=True):
        name.truncate(columns, overflow="ellipsis", pad=True)
        line = Text(no_wrap=True, overflow="ellipsis").append(f"{took:>{longest}}  ", "dim")
        lines.append(line.append(name).append(f"  {visible(one.step)}", "dim"))
    return lines


def _summary(tally: Tally, width: int | None = None) -> Text:
    """Return how far a run is, in one line; what there is no room for is left out, the least important first."""
    counts = Text(f"{tally.graded}/{tally.count}", no_wrap=True, overflow="ellipsis")
    for status, style in STYLES.items():
        if tally.statuses[status]:
            counts.append("  ").append(f"{tally.statuses[status]} {str(status).replace('_', ' ')}", style)
    often = tally.per_second
    rate = f"  {often:.{2 if often < 10 else 3}g}/s" if often else ""
    left = tally.remaining_seconds
    rest = "" if left is None or tally.graded >= tally.count else f"  about {_duration(left)} left"
    for more in (rate + rest, rest):
        if width is None or counts.cell_len + len(more) <= width:
            return counts.append(more, "dim")
    return counts


def _duration(seconds: float) -> str:
    """Return seconds as people say them: 7 s, 3:07, 2:03:07."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
