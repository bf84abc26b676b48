"""The live display of a run, below all other output: running gradings, a bar and counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Column, Table
from rich.text import Text

from gradebox.graders.cli import console
from gradebox.graders.cli.progress import Counts, GradingKey, Progress, title
from gradebox.graders.model.events import CaseGraded, CaseStarted, Event, StepStarted
from gradebox.graders.reports.escaping import visible
from gradebox.graders.reports.terminal import plain_console

_RUNNING_MAX = 8
_REFRESHES_PER_SECOND = 4
_BAR_COLUMNS = 24


class _Field(ProgressColumn):
    """Shows a field of a task as plain text on one line, cut if it is too long."""

    def __init__(self, name: str, style: str = "") -> None:
        super().__init__()
        self._name = name
        self._style = style

    def render(self, task: Task) -> Text:
        return Text(task.fields[self._name], self._style, no_wrap=True, overflow="ellipsis")


class LiveProgress(Progress):
    """Shows running gradings, a bar and counts below all other output: on `terminal`, by default stderr."""

    def __init__(
        self, count: int, terminal: Console | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._terminal = terminal or plain_console(stderr=True)
        self._counts = Counts(count, clock)
        # These two are never started: they hold the data, and the display in `_show` draws them.
        self._running = Bars(
            TimeElapsedColumn(Column(no_wrap=True, min_width=7)),
            _Field("name"),
            _Field("step", "dim"),
            console=self._terminal,
            get_time=clock,
        )
        self._total = Bars(BarColumn(_BAR_COLUMNS), console=self._terminal, get_time=clock)
        self._total_task = self._total.add_task("", total=max(1, count))
        self._tasks: dict[GradingKey, TaskID] = {}
        # Guards the tasks, the pauses and the display; never held while other code prints.
        self._lock = RLock()
        self._over = True
        self._pauses = 0
        self._live: Live | None = None

    def __enter__(self) -> Self:
        with self._lock:
            self._over = False
            self._show()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._over = True
            self._hide()

    def take(self, event: Event) -> None:
        self.say_image(event)
        with self._lock:
            match event:
                case CaseStarted():
                    self._update(GradingKey.of(event), "creating a sandbox")
                case StepStarted():
                    self._update(GradingKey.of(event), f"{visible(event.step)} ({event.number}/{event.total})")
                case CaseGraded(graded):
                    self._counts.add(event, cheat=self.cheats)
                    self._total.update(self._total_task, completed=self._counts.graded)
                    task = self._tasks.pop(GradingKey.of(graded), None)
                    if task is not None:
                        self._running.remove_task(task)

    def _update(self, key: GradingKey, step: str) -> None:
        if key not in self._tasks:
            self._tasks[key] = self._running.add_task("", total=None, name=visible(str(key)), step=step)
        self._running.update(self._tasks[key], step=step)

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

    def finish(self) -> None:
        self._counts.finishing = True

    def _show(self) -> None:
        if self._over or self._pauses:
            return
        # Make a new one each time: a restarted one would clear as many lines as it had before.
        self._live = Live(
            console=self._terminal,
            get_renderable=self._drawn,
            refresh_per_second=_REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        # Draw at once: if verdicts come fast, there is no time for a later drawing between them.
        self._live.start(refresh=True)

    def _hide(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _drawn(self) -> RenderableType:
        width, height = self._terminal.size
        # Lines that have scrolled off the terminal cannot be cleared.
        most = max(1, min(_RUNNING_MAX, height - 3))
        running = self._running.tasks
        lines: list[RenderableType] = [self._running.make_tasks_table(running[:most])] if running else []
        if len(running) > most:
            lines.append(Text(f"and {len(running) - most} more", "dim"))
        summary = Text(self._counts.summary(width), no_wrap=True, overflow="ellipsis")
        for status, colour in console.STATUS_COLOURS.items():
            summary.highlight_regex(rf"\d+ {title(status)}", colour)
        if summary.cell_len + _BAR_COLUMNS + 2 > width:
            return Group(*lines, summary)
        row = Table.grid(padding=(0, 2, 0, 0))
        row.add_row(self._total.make_tasks_table(self._total.tasks), summary)
        return Group(*lines, row)
