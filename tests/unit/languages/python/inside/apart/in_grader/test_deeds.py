"""A test that passes has done what it did with the reference."""

from __future__ import annotations

import asyncio
import functools
import sys
import types
from typing import Any
from unittest import mock

import pytest

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.in_grader.deeds import Deeds, Watched, has_assertion


def recorded() -> tuple[Deeds, set[str]]:
    checkpoint = Checkpoint()
    checkpoint.begin(None, record=True)
    deeds = Deeds(checkpoint)
    deeds.open("golden.txt")
    deeds.watch(checks, 1)
    deeds.end("1", passed=True)
    return deeds, (checkpoint.noted or {})["#did"]


def checks(number: int) -> None:
    assert number


def plain(number: int) -> int:
    return number


def test_deeds_are_recorded_for_each_part_of_a_test() -> None:
    deeds, words = recorded()
    assert words == {"1 open golden.txt", f"1 call {__name__}.checks"}
    deeds.end("2", passed=True)
    assert len(words) == 2


@pytest.mark.parametrize(
    ("opens", "called", "why"),
    [
        (True, checks, ""),
        (False, checks, "this test has not opened golden.txt, which it opens with the reference"),
        (True, plain, f"the submission has not called {__name__}.checks, which the reference calls in this test"),
    ],
)
def test_what_is_missing_fails_a_test_that_passed(opens: bool, called: Any, why: str) -> None:
    for passed in (True, False):
        deeds = Deeds(Checkpoint())
        deeds.expect(recorded()[1])
        if opens:
            deeds.open("golden.txt")
        deeds.watch(called, 1)
        assert deeds.end("1", passed=passed) == (why if passed else "")
        assert deeds.end("2", passed=True) == ""


class Fake:
    def __call__(self, number: int) -> None:
        checks(number)

    def __setitem__(self, key: int, number: int) -> None:
        assert number

    def verify(self, number: int) -> None:
        self.assert_equal(number, 1)

    def assert_equal(self, one: int, other: int) -> None:
        assert one == other


def watching() -> Deeds:
    deeds = Deeds(Checkpoint())
    deeds.is_watching = True
    return deeds


def nested(number: int) -> None:
    def verify() -> None:
        assert number

    functools.partial(verify)()


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (checks, ["checks"]),
        (functools.partial(checks), ["checks"]),
        (functools.lru_cache(checks), ["checks"]),
        (mock.Mock(side_effect=checks), ["checks"]),
        (Fake(), ["checks"]),
        (functools.partial(Fake().__setitem__, 0), ["Fake.__setitem__"]),
        (lambda number: Fake().verify(number), ["Fake.assert_equal", "Fake.verify"]),
        (nested, ["nested.<locals>.verify"]),
        (plain, []),
        (len, []),
    ],
)
def test_functions_with_assertions_count_however_they_are_called(function: Any, names: list[str]) -> None:
    deeds = watching()
    deeds.watch(function, *([[1]] if function is len else [1]))
    # Before 3.11, code does not know the class or function around it.
    told = names if sys.version_info >= (3, 11) else [name.rpartition(".")[2] for name in names]
    assert {name for name in deeds.done if __name__ in name} == {f"call {__name__}.{name}" for name in told}


def test_a_function_that_raises_does_not_count() -> None:
    deeds = watching()
    with pytest.raises(AssertionError):
        deeds.watch(checks, 0)
    assert deeds.done == set()


def test_nothing_is_watched_without_need_or_beside_a_profiler() -> None:
    seen: list[str] = []
    idle, deeds = Deeds(Checkpoint()), watching()
    idle.watch(checks, 1)
    sys.setprofile(lambda frame, event, value: seen.append(frame.f_code.co_name))
    try:
        deeds.watch(checks, 1)
    finally:
        sys.setprofile(None)
    assert idle.done == deeds.done == set()
    assert "checks" in seen


def test_watching_ends_with_the_events_of_a_part() -> None:
    def busy(number: int) -> None:
        for _ in range(number):
            plain(number)
        checks(number)

    deeds = watching()
    deeds.left = 50
    deeds.watch(busy, 5)
    assert deeds.done == {f"call {__name__}.checks"}
    deeds.end("1", passed=True)
    assert deeds.left > 100_000
    deeds.left = 50
    deeds.watch(busy, 500)
    deeds.watch(checks, 1)
    assert deeds.done == set()
    assert sys.getprofile() is None


def test_what_runs_in_between_is_not_watched() -> None:
    deeds = watching()
    deeds.watch(lambda: deeds.pause(checks, 1) or plain(1))
    assert deeds.done == set()
    deeds.watch(lambda: deeds.pause(deeds.watch, checks, 1))
    assert deeds.done == {f"call {__name__}.checks"}
    assert deeds.pause(plain, 3) == 3


def test_a_coroutine_or_a_generator_counts_when_it_has_ended() -> None:
    async def helper(number: int) -> None:
        await asyncio.sleep(0)
        assert number

    async def later(number: int) -> int:
        await helper(number)
        assert number
        return number

    @types.coroutine
    def stepped(number: int) -> Any:
        yield from asyncio.sleep(0).__await__()
        assert number

    async def wait(thing: Any) -> Any:
        return await thing

    def each(number: int) -> Any:
        yield number
        assert number

    deeds = watching()
    with pytest.raises(AssertionError):
        asyncio.run(wait(Watched(deeds, later(0))))
    begun = each(3)
    assert deeds.watch(next, begun) == 3
    assert deeds.done == set()
    assert asyncio.run(wait(Watched(deeds, later(5)))) == 5
    assert deeds.watch(list, begun) == []
    asyncio.run(wait(Watched(deeds, wait(stepped(1)))))
    assert {name.rpartition(".")[2] for name in deeds.done} == {"helper", "later", "each", "stepped"}


def test_what_is_watched_can_be_cancelled() -> None:
    async def main() -> None:
        async def long() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                ended.append(True)

        async def wait() -> None:
            await Watched(watching(), long())

        task = asyncio.ensure_future(wait())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    ended: list[bool] = []
    asyncio.run(main())
    assert ended == [True]


@pytest.mark.parametrize(
    ("source", "expected"),
    [("assert x", True), ("self.assertEqual(x, 1)", True), ("pytest.fail(x)", True), ("self.failures += x", False)],
)
def test_code_with_an_assertion(source: str, expected: bool) -> None:
    assert has_assertion(compile(source, "", "exec")) is expected
