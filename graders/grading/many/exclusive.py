"""Which gradings run beside others: all, but for those of cases that measure time and therefore run alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from gradebox.sandbox import forks

# How soon one that waits notices that nobody wants it any more.
_LOOK_SECONDS = 0.2


class Exclusive:
    """A lock of the commands of a grader. May be used from several threads; what holds it must not ask for it again.

    Many hold it together, or one holds it exclusively. While one waits for that, no other begins, so that it gets its
    turn.
    """

    def __init__(self) -> None:
        self.forked()
        forks.register(self)

    def forked(self) -> None:
        """Start afresh in a forked process, whose parent's threads are gone."""
        self._changed = Condition()
        self._holding = self._waiting = 0
        self._alone = False

    @property
    def is_held_alone(self) -> bool:
        return self._alone

    @contextmanager
    def held(self, *, alone: bool, unwanted: Callable[[], bool]) -> Iterator[None]:
        """Hold the lock, exclusively if `alone`. If nobody wants it any more, it is given without waiting."""
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
        """Hold the lock without waiting, for a holder of it: for work that it leaves to another thread."""
        with self._changed:
            self._holding += 1

    def leave(self) -> None:
        """End what `join` began."""
        with self._changed:
            self._holding -= 1
            self._changed.notify_all()
