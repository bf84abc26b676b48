"""Awaits objects of the other side: they run there, in an asyncio loop that takes turns with the loop here.

The running loop is the outer one: the tests' loop or, during a call, the submission's. Whenever it is idle, it lets the
inner loop of the other side run for a while, as long as that has work. So awaitables of both sides run concurrently,
as do tasks that a submission started in its loop.
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
    """Return how long a loop will be idle, at most `_PAUSE_SECONDS`."""
    if getattr(loop, "_ready", True) or loop._stopping:
        return 0.0
    seconds = loop._scheduled[0].when() - loop.time() if loop._scheduled else _PAUSE_SECONDS
    return max(0.0, min(seconds, _PAUSE_SECONDS))


class Loops:
    """The loops of one side.

    Attributes:
        inner: The loop that runs during turns which the other side grants.
        outer: The last outer loop from which a request was made; `outers` counts them.
        is_inside: Whether the other side makes requests from inside its loop.
        tasks: Tasks that run here for the other side, by number, each with the data passed to `begin`.
        ended: The numbers of ended tasks, negative if cancelled, that are not yet reported to the other side.
        awaited: Objects of the other side that are awaited here, by number: a future and the object.
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
        """Forget all tasks, because a new process knows none of them."""
        self.tasks: dict[int, tuple[Any, Any]] = {}
        self.ended: list[int] = []

    # For the other side

    def begin(self, awaitable: Any, about: Any = ()) -> int:
        """Start an awaitable concurrently with the other side, and return its number."""

        async def wait() -> Any:
            return await awaitable

        # No number tells how much was awaited before.
        taken = {*self.tasks, *map(abs, self.ended)}
        number = next(number for number in range(1, len(taken) + 2) if number not in taken)
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
        """Cancel a task; return whether it was still running."""
        return bool(self.tasks[number][0].cancel())

    def result(self, number: int) -> Any:
        task = self.tasks[number][0]
        if not task.done():
            raise RuntimeError("what is awaited has not ended")
        del self.tasks[number]
        return task.result()

    def forget_ended(self) -> list[tuple[Any, Any]]:
        """Return and forget the ended tasks whose results nobody requested."""
        ended = {number: each for number, each in self.tasks.items() if each[0].done()}
        self.tasks = {number: each for number, each in self.tasks.items() if number not in ended}
        return [*ended.values()]

    def go_on(self, ended: Any, seconds: Any) -> tuple[Any, bool]:
        """Run the inner loop until a task ends, or for a while; return the ended tasks, and whether others run on."""
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
        """Call a function, inside the inner loop if the other side's request comes from inside its loop."""
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
        """Record from which loop the other side makes requests (`place`). Each of its loops has its own inner loop."""
        if place < 0 or self.number < place:
            self.close()
        self.number, self.is_inside = max(self.number, place), place > 0

    def close(self) -> None:
        """End the inner loop as `asyncio.run` does: cancel the tasks that still run in it."""
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
        """Return the place of a request: the number of its loop, 0 outside the loop, -1 if there is no loop."""
        loop = _running()
        if loop is None or loop is self.inner:
            return -1 if self.outer is None or self.outer.is_closed() else 0
        if loop is not self.outer:
            self.outer, self.outers = loop, self.outers + 1
        return self.outers

    def run(self, thing: Any) -> Iterator[Any]:
        """Await an object of the other side; this can be cancelled."""
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
                # GeneratorExit may come in the middle of a message, so cancel later.
                if self.awaited.pop(number, None) and not loop.is_closed():
                    loop.call_soon(self.peer.ask, "cancel", thing, number)
                raise

    def _alone(self, number: int, thing: Any) -> Iterator[None]:
        """Wait for an object of the other side without a loop."""
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
        """Give the other side turns after a call to it, in which tasks may have begun."""
        if not self.is_turning:
            self.close()
            self.keep_turning()

    def keep_turning(self, loop: Any = None) -> None:
        """Let the other side's loop run, now or soon."""
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
        """Make everything fail that is awaited from the other side."""
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
"""The handlers of requests to the event loops of a side."""
