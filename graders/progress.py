"""Tells a person on stderr what a run is doing: one live line on a terminal, nothing elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status
from rich.text import Text

from graders.events import CaseGraded, CaseStarted, Event, StepStarted
from graders.reports.text import visible


class Progress:
    """A listener of a run.

    Args:
        console: Where to tell.
        count: How many verdicts there will be.
        quiet: Whether to tell nothing.
    """

    def __init__(self, console: Console, *, count: int, quiet: bool) -> None:
        self._count = count
        self._graded = 0
        self._status: Status | None = None if quiet or not console.is_terminal else console.status("starting")

    def __enter__(self) -> Self:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def take(self, event: Event) -> None:
        """Take an event, from any thread."""
        match event:
            case CaseStarted():
                self._tell(f"{visible(event.case)} {visible(event.submission)}: making a sandbox")
            case StepStarted():
                where = f"{event.number}/{event.count}"
                self._tell(f"{visible(event.case)} {visible(event.submission)}: {visible(event.step)} ({where})")
            case CaseGraded():
                self._graded += 1

    def pause(self) -> None:
        """Clear the line before something else is printed; the next event draws it again."""
        if self._status is not None:
            self._status.stop()

    def _tell(self, text: str) -> None:
        if self._status is not None:
            self._status.update(Text.assemble((f"[{self._graded}/{self._count}]", "dim"), f" {text}"))
            self._status.start()
