"""Handles SIGINT, SIGTERM, SIGHUP and the time limit of a run.

Before grading begins there is nothing to clean up, and a signal ends the process at once (`cli.main`). During grading,
the first SIGINT lets running gradings finish and the second kills them. SIGTERM and the time limit kill them at once.
SIGHUP (a closed terminal) does the same unless it is ignored (nohup). One more signal ends the process at once.
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
    """Runs gradings, which another thread can end."""

    def finish(self) -> None:
        """Finish running gradings, and start nothing new."""

    def stop(self) -> None:
        """Kill running gradings, and start nothing new."""


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
    """Let signals and the time limit `max_wall_seconds` end the gradings of a grader in an orderly way.

    `warn` takes a sentence that says what happens, from another thread.
    """
    interruption = Interruption()

    def begin(number: int, _frame: FrameType | None) -> None:
        if interruption.state is RunState.STOPPED:
            raise KeyboardInterrupt from None
        first = interruption.state is RunState.RUNNING
        interruption.state = RunState.FINISHING if first and number == signal.SIGINT else RunState.STOPPED
        # Use a thread, since the main thread may hold a lock that `finish` and `stop` need.
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
    """Call a function in another thread after some seconds, unless the context has ended."""
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
    """Let signals raise `Interrupted`, for commands that must clean up but have no gradings to finish."""

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        raise Interrupted

    with _handled_by(interrupt):
        yield


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Install a handler for the signals that request this process to end."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    numbers = (signal.SIGINT, signal.SIGTERM) if ignored else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
