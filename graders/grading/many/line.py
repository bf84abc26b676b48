"""The queue of gradings: they start in order, and the pace decides how many run at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Condition
from typing import TypeVar

from gradebox.graders.grading.many.pace import Pace
from gradebox.sandbox.limits import MIB

T = TypeVar("T")
R = TypeVar("R")

# For each job, how many results may wait for an earlier, slower grading.
_AHEAD = 4
# How many bytes tasks may hold beyond the running gradings; an unpacked archive holds up to 256 MiB.
_AHEAD_BYTES = 256 * MIB


class Line:
    """A queue of gradings. May be used from several threads."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._changed = Condition()
        self._joined = self._begun = self._running = 0

    @property
    def waiting(self) -> int:
        """The number of gradings that have not started."""
        return self._joined - self._begun

    def graded(
        self,
        tasks: Iterable[T],
        grade: Callable[[T], R | None],
        *,
        finishing: Callable[[], bool],
        cancel: Callable[[], None],
        size: Callable[[T], int] = lambda _: 0,
    ) -> Iterator[R]:
        """Yield the results of `grade` in the order of the tasks, up to the first None.

        Tasks are taken from the iterable only a little ahead of the results, and no more after `finishing` returns
        true. `size` returns how many bytes of memory a task holds: if it is much, fewer are taken ahead. If the caller
        stops iterating, `cancel` is called, and running gradings are waited for.
        """

        def one(number: int, task: T) -> R | None:
            with self._turn(number):
                return grade(task)

        upcoming = iter(tasks)
        started: deque[Future[R | None]] = deque()
        held: deque[int] = deque()
        pool = ThreadPoolExecutor(max_workers=self._pace.most, thread_name_prefix="grade")
        try:
            while True:
                while self._takes_more(held) and not finishing():
                    try:
                        task = next(upcoming)
                    except StopIteration:
                        break
                    self._joined += 1
                    held.append(size(task))
                    started.append(pool.submit(one, self._joined - 1, task))
                result = started.popleft().result() if started else None
                if held:
                    held.popleft()
                if result is None:
                    # Tasks start in order, so no later task has started.
                    return
                yield result
        except (KeyboardInterrupt, GeneratorExit):
            cancel()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _takes_more(self, held: deque[int]) -> bool:
        """Return whether another task may be taken beside those that hold so many bytes each."""
        jobs = self._pace.jobs
        return len(held) < jobs or (len(held) < _AHEAD * jobs and sum(held) <= _AHEAD_BYTES)

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
