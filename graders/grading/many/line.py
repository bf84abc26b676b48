"""The line in which gradings wait for their turn: they begin in their order, and as many run as the pace says."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Condition
from typing import TypeVar

from gradebox.graders.grading.many.pace import Pace

T = TypeVar("T")
R = TypeVar("R")

# How many results may wait for a slower one before them, for each job.
_AHEAD = 4


class Line:
    """May be used from several threads."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._changed = Condition()
        self._joined = self._begun = self._running = 0

    @property
    def waiting(self) -> int:
        """How many have joined and not begun."""
        return self._joined - self._begun

    def graded(
        self,
        tasks: Iterable[T],
        grade: Callable[[T], R | None],
        *,
        finishing: Callable[[], bool],
        cancel: Callable[[], None],
    ) -> Iterator[R]:
        """Yield what `grade` returns, in the order of the tasks, up to the first None.

        Tasks are taken from the iterable only a little ahead of the results. Once `finishing` returns true, none is
        taken. If nobody waits for the results any more, `cancel` is called, and what runs is waited for.
        """

        def one(number: int, task: T) -> R | None:
            with self._turn(number):
                return grade(task)

        upcoming = iter(tasks)
        started: deque[Future[R | None]] = deque()
        pool = ThreadPoolExecutor(max_workers=self._pace.most, thread_name_prefix="grade")
        try:
            while True:
                while len(started) < _AHEAD * self._pace.jobs and not finishing():
                    try:
                        task = next(upcoming)
                    except StopIteration:
                        break
                    self._joined += 1
                    started.append(pool.submit(one, self._joined - 1, task))
                result = started.popleft().result() if started else None
                if result is None:
                    # Tasks begin in order, so none that has begun comes after one that has not.
                    return
                yield result
        except (KeyboardInterrupt, GeneratorExit):
            cancel()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    @contextmanager
    def _turn(self, number: int) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: self._begun == number and self._running < self._pace.jobs)
            self._begun += 1
            self._running += 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()
