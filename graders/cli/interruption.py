"""What SIGINT, SIGTERM and SIGHUP do: once to finish, twice to stop, and never to be lost.

Before anything runs there is nothing to clean up, and a signal ends the process at once (`cli.entry`). While cases
are graded, the first SIGINT lets what runs come to its end, the second one kills it, and SIGTERM kills it at once, as
does a terminal that is closed (SIGHUP), unless somebody took care that it does not (nohup). One more gives up in the
middle.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from graders.errors import Interrupted

if TYPE_CHECKING:
    from graders.grading.grader import Grader


class Stage(IntEnum):
    """How far a run has been asked to end."""

    RUNNING = 0
    # Nothing new is begun.
    FINISHING = 1
    # What ran was killed, and has no verdict.
    STOPPED = 2


class Interruption:
    """How far a run has been asked to end, for whoever goes through its results."""

    def __init__(self) -> None:
        self.stage = Stage.RUNNING

    @property
    def asked(self) -> bool:
        """Whether the run was asked to end before its end."""
        return self.stage is not Stage.RUNNING


@contextmanager
def interruptible(grader: Grader, tell: Callable[[str], None] = lambda _: None) -> Iterator[Interruption]:
    """Let signals end the gradings of a grader in good order.

    Args:
        grader: What runs.
        tell: Is told what was asked for, in a sentence, from another thread.
    """
    interruption = Interruption()

    def begin(number: int, _frame: FrameType | None) -> None:
        if interruption.stage is Stage.STOPPED:
            raise KeyboardInterrupt from None
        first = interruption.stage is Stage.RUNNING
        interruption.stage = Stage.FINISHING if first and number == signal.SIGINT else Stage.STOPPED
        # Not in the handler itself: the main thread may hold a lock that these need.
        threading.Thread(target=end, args=(interruption.stage,), name="interruption", daemon=True).start()

    def end(stage: Stage) -> None:
        if stage is Stage.FINISHING:
            tell("Finishing what runs. Interrupt again to stop it now.")
            grader.finish()
        else:
            tell("Stopping.")
            grader.stop()

    before = {number: signal.signal(number, begin) for number in _heeded()}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def raising() -> Iterator[None]:
    """Let signals raise `Interrupted`, for commands that have something to clean up and nothing to finish."""

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        raise Interrupted

    before = {number: signal.signal(number, interrupt) for number in _heeded()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _heeded() -> Iterator[signal.Signals]:
    """Yield the signals that ask this process to end."""
    yield from (signal.SIGINT, signal.SIGTERM)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        yield signal.SIGHUP
