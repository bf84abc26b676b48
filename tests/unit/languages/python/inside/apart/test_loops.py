"""What is awaited of the other side runs beside what runs here, and ends when it is cancelled."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.loops import OF_LOOPS, Loops


class _Side:
    """One of two sides in one process, each of which asks the other one's loops."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.loops = Loops(self)
        self.asked: list[str] = []
        self.other: Any = None

    def ask(self, what: str, *request: Any) -> Any:
        self.asked.append(what)
        return OF_LOOPS[what](self.other.loops, *request)


@pytest.fixture
def sides() -> Any:
    one, two = _Side(), _Side()
    one.other, two.other = two, one
    yield one, two
    one.loops.close()
    two.loops.close()


class _There:
    """Awaits something of the other side."""

    def __init__(self, side: _Side, awaitable: Any) -> None:
        self.side, self.awaitable = side, awaitable

    def __await__(self) -> Any:
        return self.side.loops.run(self.awaitable)


def test_what_both_sides_await_runs_together(sides: Any) -> None:
    ours, theirs = sides
    seen: list[str] = []

    async def here(ready: asyncio.Event) -> str:
        await ready.wait()
        seen.append("here")
        return "found"

    async def there(ready: asyncio.Event) -> str:
        return await _There(theirs, here(ready))

    async def main() -> str:
        ready = asyncio.Event()
        task = asyncio.ensure_future(_as_coroutine(_There(ours, there(ready))))
        await asyncio.sleep(0.01)
        assert seen == []
        ready.set()
        return await task

    assert asyncio.run(main()) == "found"


async def _as_coroutine(awaitable: Any) -> Any:
    return await awaitable


def test_cancelling_waits_for_what_is_done_then(sides: Any) -> None:
    ours, _ = sides
    seen: list[str] = []

    async def there() -> None:
        try:
            await asyncio.sleep(5)
        finally:
            await asyncio.sleep(0)
            seen.append("closed")

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(asyncio.wait_for(_as_coroutine(_There(ours, there())), 0.02))
    assert seen == ["closed"]


def test_an_error_comes_back_as_it_is(sides: Any) -> None:
    error = ValueError("x")

    async def there() -> None:
        raise error

    with pytest.raises(ValueError, match="x") as caught:
        asyncio.run(_as_coroutine(_There(sides[0], there())))
    assert caught.value is error


def test_the_inner_loop_goes_on_while_the_outer_one_waits_and_ends_with_it(sides: Any) -> None:
    ours, theirs = sides
    seen: list[str] = []

    async def ticks() -> None:
        try:
            while True:
                seen.append("tick")
                await asyncio.sleep(0.001)
        finally:
            seen.append("end")

    async def main() -> None:
        theirs.loops.enter(ours.loops.place())
        ours.loops.after()
        while seen.count("tick") < 3:  # noqa: ASYNC110 - the other loop has no event of this one
            await asyncio.sleep(0.001)
        assert "end" not in seen

    theirs.loops.enter(1)
    task = theirs.loops.inside(lambda: asyncio.create_task(ticks()))
    assert task.get_loop() is theirs.loops.inner
    asyncio.run(main())
    theirs.loops.enter(ours.loops.place())
    assert (seen[-1], ours.loops.place()) == ("end", -1)


def test_nothing_is_asked_any_more_when_nothing_goes_on(sides: Any) -> None:
    ours, _ = sides

    async def main() -> None:
        ours.loops.after()
        await asyncio.sleep(0.05)

    asyncio.run(main())
    assert ours.asked == ["turn"]


def test_all_fail_when_the_other_side_does(sides: Any) -> None:
    ours, _ = sides

    async def there() -> None:
        ours.other = None
        await asyncio.sleep(5)

    with pytest.raises(AttributeError):
        asyncio.run(_as_coroutine(_There(ours, there())))
    ours.other = sides[1]


def test_a_result_is_given_once_and_when_it_is_there(sides: Any) -> None:
    _, theirs = sides

    async def there() -> int:
        return 3

    number = theirs.loops.begin(there())
    with pytest.raises(RuntimeError, match="has not ended"):
        theirs.loops.result(number)
    theirs.loops.go_on((), 0.0)
    assert theirs.loops.result(number) == 3
    with pytest.raises(KeyError):
        theirs.loops.result(number)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1, 1e9])
def test_the_other_side_does_not_choose_how_long_a_turn_lasts(sides: Any, seconds: float) -> None:
    async def waits() -> None:
        await asyncio.sleep(60)

    loops = sides[1].loops
    loops.begin(waits())
    assert loops.go_on((), seconds) == ((), True)
