"""What one side awaits of the other: it runs there, in a loop of asyncio that goes on in turns with the one here.

The loop that runs is the outer one: the tests', or in a call the one that the submission runs. Each time that it has
nothing to do itself, it has the inner loop of the other side go on for a while, as long as anything is going on there.
So awaitables of both sides run beside each other, and so does what a submission has begun in its loop.
"""

from __future__ import annotations

import _thread
import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

_PAUSE_SECONDS, _MOST_STEPS = 0.01, 10


def _running() -> Any:
    asyncio = sys.modules.get("asyncio.events")
    return asyncio and asyncio._get_running_loop()


def _idle_seconds(loop: Any) -> float:
    """Return how long a loop has nothing to do, at most a pause."""
    if getattr(loop, "_ready", True) or loop._stopping:
        return 0.0
    seconds = loop._scheduled[0].when() - loop.time() if loop._scheduled else _PAUSE_SECONDS
    return max(0.0, min(seconds, _PAUSE_SECONDS))


class Loops:
    """The loops of one side.

    Attributes:
        inner: The loop that runs in turns of the other side.
        outer: The last one of the tests that something was asked in; `outers` counts them.
        is_inside: Whether the other side asks from inside its loop.
        tasks: What runs here for the other side, by number, with what belongs to it.
        ended: The numbers of those that have ended, negative if they were cancelled, until the other side is told.
        awaited: What is awaited here of the other side: a future of each, and its subject.
    """

    def __init__(self, peer: Any) -> None:
        self.peer, self.is_turning, self.is_inside = peer, False, False
        self.inner: Any = None
        self.outer: Any = None
        self.turning: Any = None
        self.news: Any = None
        self.last = self.outers = self.number = 0
        self.awaited: dict[int, tuple[Any, Any]] = {}
        self.forget()

    def forget(self) -> None:
        """Begin with a process that knows nothing yet."""
        self.tasks: dict[int, tuple[Any, Any]] = {}
        self.ended: list[int] = []

    # For the other side

    def begin(self, awaitable: Any, about: Any = ()) -> int:
        """Run an awaitable beside what the other side does."""

        async def wait() -> Any:
            return await awaitable

        self.last += 1
        number = self.last
        loop = (self.is_turning and _running()) or self.inner_loop()
        task = loop.create_task(wait())
        self.tasks[number] = task, about
        task.add_done_callback(lambda _: self._end(number, task))
        return number

    def _end(self, number: int, task: Any) -> None:
        self.ended.append(-number if task.cancelled() else number)
        self._tell()

    def _tell(self) -> None:
        if self.news is not None and not self.news.done():
            self.news.set_result(None)

    def cancel(self, number: int) -> bool:
        """Cancel what was begun; return whether it had not ended."""
        return bool(self.tasks[number][0].cancel())

    def result(self, number: int) -> Any:
        task = self.tasks[number][0]
        if not task.done():
            raise RuntimeError("what is awaited has not ended")
        del self.tasks[number]
        return task.result()

    def forget_ended(self) -> list[tuple[Any, Any]]:
        """Return and forget what has ended, and whose result nobody asked for."""
        ended = {number: each for number, each in self.tasks.items() if each[0].done()}
        self.tasks = {number: each for number, each in self.tasks.items() if number not in ended}
        return [*ended.values()]

    def go_on(self, ended: Any, seconds: Any) -> tuple[Any, bool]:
        """Run the inner loop until there is news, or for a while; return what has ended, and whether more goes on."""
        self._hear(ended)
        if self.inner is None:
            return (), False
        is_waiting = self._is_busy() and not self.ended
        self._run(self._steps(max(0.0, min(seconds, _PAUSE_SECONDS)) if is_waiting else 0.0))
        return self._told(), self._is_busy()

    def _run(self, coroutine: Any) -> None:
        import asyncio

        outer = asyncio._get_running_loop()
        asyncio._set_running_loop(None)
        try:
            self.inner.run_until_complete(coroutine)
        finally:
            asyncio._set_running_loop(outer)

    async def _steps(self, seconds: float) -> None:
        import asyncio

        self.news = self.inner.create_future()
        if seconds:
            await asyncio.wait({self.news}, timeout=seconds)
        for _ in range(_MOST_STEPS):
            if not self.news.done():
                await asyncio.sleep(0)

    def _is_busy(self) -> bool:
        import asyncio

        ready, timers = getattr(self.inner, "_ready", ()), getattr(self.inner, "_scheduled", ())
        return bool(asyncio.all_tasks(self.inner) or ready) or not all(each.cancelled() for each in timers)

    def inner_loop(self) -> Any:
        import asyncio

        if self.inner is None:
            self.inner = asyncio.new_event_loop()
        return self.inner

    def inside(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function as from inside the inner loop, if the other side asks from inside one."""
        asyncio = sys.modules.get("asyncio.events")
        if not self.is_inside or asyncio is None or "asyncio.runners" not in sys.modules or _running() is not None:
            return function(*args)
        loop = self.inner_loop()
        asyncio._set_running_loop(loop)
        loop._thread_id = _thread.get_ident()
        try:
            return function(*args)
        finally:
            loop._thread_id = None
            asyncio._set_running_loop(None)

    def enter(self, place: int) -> None:
        """Take note of where the other side asks from, which `place` says. Each of its loops has an inner one."""
        if place < 0 or self.number < place:
            self.close()
        self.number, self.is_inside = max(self.number, place), place > 0

    def close(self) -> None:
        """End the inner loop, as `asyncio.run` does: what still runs in it is cancelled."""
        if self.inner is None or self.inner.is_running():
            return
        try:
            self._run(self._all_ended())
        finally:
            self.inner.close()
            self.inner = self.news = None

    async def _all_ended(self) -> None:
        import asyncio

        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.inner.shutdown_asyncgens()

    # For this side

    def place(self) -> int:
        """Return from where the other side is asked: the number of a loop, 0 outside of it, -1 if there is none."""
        loop = _running()
        if loop is None or loop is self.inner:
            return -1 if self.outer is None or self.outer.is_closed() else 0
        if loop is not self.outer:
            self.outer, self.outers = loop, self.outers + 1
        return self.outers

    def run(self, thing: Any) -> Iterator[Any]:
        """Await something of the other side, which can be cancelled."""
        loop, cancelled = _running(), None
        number = self.peer.ask("await", thing)
        if loop is None:
            yield from self._alone(number, thing)
            return self.peer.ask("result", thing, number)
        import asyncio

        while True:
            future = loop.create_future()
            self.awaited[number] = future, thing
            self.keep_turning(loop)
            try:
                if (yield from future) or cancelled is None:
                    return self.peer.ask("result", thing, number)
                raise cancelled
            except asyncio.CancelledError as error:
                if error is cancelled or number not in self.awaited or not self.peer.ask("cancel", thing, number):
                    raise
                cancelled = error
            except GeneratorExit:
                # It may come in the middle of a message.
                if self.awaited.pop(number, None) and not loop.is_closed():
                    loop.call_soon(self.peer.ask, "cancel", thing, number)
                raise

    def _alone(self, number: int, thing: Any) -> Iterator[None]:
        """Wait for something of the other side without a loop."""
        while True:
            ended, _ = self._have_turn(thing, 0.0 if self.inner else _PAUSE_SECONDS)
            if number in map(abs, ended):
                return
            if self.inner is not None:
                self._run(self._steps(_PAUSE_SECONDS))
            yield

    def _have_turn(self, subject: Any, seconds: float) -> Any:
        self.is_turning = True
        try:
            ended, has_more = self.peer.ask("turn", subject, self._told(), seconds)
            self._hear(ended)
        finally:
            self.is_turning = False
        return ended, has_more

    def after(self) -> None:
        """Go on after a call of the other side, in which something may have begun."""
        if not self.is_turning:
            self.close()
            self.keep_turning()

    def keep_turning(self, loop: Any = None) -> None:
        """Have the other side's loop go on, now or soon."""
        loop = loop or _running()
        if loop is not None and loop is self.inner:
            self._tell()
        elif loop is not None and loop is not self.turning:
            self.turning = loop
            loop.call_soon(self._turn, loop)

    def _turn(self, loop: Any) -> None:
        if not self.peer.lock.acquire(blocking=False):
            # Another thread's call has not ended.
            loop.call_later(_PAUSE_SECONDS, self._turn, loop)
            return
        subjects = [*(thing for _, thing in self.awaited.values()), None]
        try:
            _, has_more = self._have_turn(subjects[0], _idle_seconds(loop))
        except BaseException as error:
            self.fail(error)
            return
        finally:
            self.turning = None
            self.peer.lock.release()
        if has_more or self.awaited:
            self.keep_turning(loop)

    def _told(self) -> tuple[int, ...]:
        ended, self.ended = tuple(self.ended), []
        return ended

    def _hear(self, ended: Any) -> None:
        for number in ended:
            future = self.awaited.pop(abs(number), (None,))[0]
            if future is not None and not future.done() and not future.get_loop().is_closed():
                future.set_result(number > 0)

    def fail(self, error: BaseException) -> None:
        """Have all fail that is awaited of the other side."""
        awaited, self.awaited = self.awaited, {}
        for future, _ in awaited.values():
            with contextlib.suppress(Exception):
                future.set_exception(error)


OF_LOOPS: Any = {
    "await": Loops.begin,
    "turn": lambda loops, _, ended, seconds: loops.go_on(ended, seconds),
    "result": lambda loops, _, number: loops.result(number),
    "cancel": lambda loops, thing, number: loops.cancel(number) if number else thing.close(),
}
"""What is requested of a side's loops."""
