"""Lets gradings of cases that measure time run alone; all others run in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from gradebox.sandbox import forks

# How often a waiting grading checks whether it is still wanted.
_LOOK_SECONDS = 0.2


class Exclusive:
    """A lock for the commands of a grader. May be used from several threads, but is not reentrant.

    Many gradings hold it together, or one holds it exclusively. While one waits for exclusive use, no other grading
    starts, so that the waiting one gets its turn.
    """

    def __init__(self) -> None:
        self.forked()
        forks.register(self)

    def forked(self) -> None:
        """Reset the state in a forked process, which has none of the parent's threads."""
        self._changed = Condition()
        self._holding = self._waiting = 0
        self._alone = False

    @property
    def is_held_alone(self) -> bool:
        return self._alone

    @contextmanager
    def held(self, *, alone: bool, unwanted: Callable[[], bool]) -> Iterator[None]:
        """Hold the lock, exclusively if `alone`. Stop waiting, and proceed, once `unwanted` returns true."""
        with self._changed:
            self._waiting += alone
            try:
                while not unwanted() and (self._alone or (self._holding if alone else self._waiting)):
                    self._changed.wait(_LOOK_SECONDS)
            finally:
                self._waiting -= alone
            self._alone |= alone
            self._holding += 1
        try:
            yield
        finally:
            with self._changed:
                self._alone &= not alone
            self.leave()

    def join(self) -> None:
        """Hold the lock once more without waiting. Only for a holder that passes work to another thread."""
        with self._changed:
            self._holding += 1

    def leave(self) -> None:
        """Release the lock after `join`."""
        with self._changed:
            self._holding -= 1
            self._changed.notify_all()
