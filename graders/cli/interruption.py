"""What SIGINT, SIGTERM, SIGHUP and a limit of time do: once to finish, twice to stop, and never to be lost.

Before anything runs there is nothing to clean up, and a signal ends the process at once (`cli.main`). While cases
are graded, the first SIGINT lets running gradings finish and the second one kills them. SIGTERM kills them at once, and
so do a closed terminal (SIGHUP), unless it is ignored (nohup), and the end of the run's time. One more signal ends the
process in the middle.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType
from typing import NoReturn, Protocol

from gradebox.graders.errors import Interrupted


class Ended(Protocol):
    """Runs gradings that can be ended from another thread."""

    def finish(self) -> None:
        """Start nothing new."""

    def stop(self) -> None:
        """Kill what runs, and start nothing new."""


class RunState(IntEnum):
    RUNNING = 0
    # Nothing new is started.
    FINISHING = 1
    # Running gradings were killed, and have no verdict.
    STOPPED = 2


class Interruption:
    """How far a run has been interrupted."""

    def __init__(self) -> None:
        self.state = RunState.RUNNING

    @property
    def requested(self) -> bool:
        return self.state is not RunState.RUNNING


@contextmanager
def interruptible(
    grader: Ended, warn: Callable[[str], None] = lambda _: None, max_wall_seconds: float | None = None
) -> Iterator[Interruption]:
    """Let signals, and the end of `max_wall_seconds`, end the gradings of a grader in good order.

    `warn` takes what happens now, from another thread.
    """
    interruption = Interruption()

    def begin(number: int, _frame: FrameType | None) -> None:
        if interruption.state is RunState.STOPPED:
            raise KeyboardInterrupt from None
        first = interruption.state is RunState.RUNNING
        interruption.state = RunState.FINISHING if first and number == signal.SIGINT else RunState.STOPPED
        # Not in the handler itself: the main thread may hold a lock that these need.
        threading.Thread(target=end, args=(interruption.state,), name="interruption", daemon=True).start()

    def end(state: RunState) -> None:
        if state is RunState.FINISHING:
            warn("Finishing running gradings. Interrupt again to stop them now.")
            grader.finish()
        else:
            warn("Stopping.")
            grader.stop()

    def expire(seconds: float) -> None:
        if interruption.state is not RunState.STOPPED:
            interruption.state = RunState.STOPPED
            warn(f"Stopping: the run has used up its {seconds:g} s (--max-wall).")
            grader.stop()

    with _handled_by(begin), _timer(max_wall_seconds, expire):
        yield interruption


@contextmanager
def _timer(seconds: float | None, expire: Callable[[float], None]) -> Iterator[None]:
    """Call a function in a thread of its own after so many seconds, unless the context has ended."""
    timer = threading.Timer(seconds or 0, expire, [seconds])
    timer.daemon = True
    if seconds is not None:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def raising() -> Iterator[None]:
    """Let signals raise `Interrupted`, for commands that have something to clean up and nothing to finish."""

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        raise Interrupted

    with _handled_by(interrupt):
        yield


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let the signals that ask this process to end call a handler."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    numbers = (signal.SIGINT, signal.SIGTERM) if ignored else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
