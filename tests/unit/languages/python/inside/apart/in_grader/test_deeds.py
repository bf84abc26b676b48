"""A test that passes has done what it did with the reference."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.in_grader.deeds import Deeds, has_assertion


def recorded() -> tuple[Deeds, set[str]]:
    checkpoint = Checkpoint()
    checkpoint.begin(None, record=True)
    deeds = Deeds(checkpoint)
    deeds.open("golden.txt")
    deeds.called(checks, None)
    deeds.end("1", passed=True)
    return deeds, (checkpoint.noted or {})["#did"]


def checks(number: int) -> None:
    assert number


def calls(number: int) -> None:
    checks(number)


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
        (True, None, f"the submission has not called {__name__}.checks, which the reference calls in this test"),
    ],
)
def test_what_is_missing_fails_a_test_that_passed(opens: bool, called: Any, why: str) -> None:
    for passed in (True, False):
        deeds = Deeds(Checkpoint())
        deeds.expect(recorded()[1])
        if opens:
            deeds.open("golden.txt")
        deeds.called(called, None)
        assert deeds.end("1", passed=passed) == (why if passed else "")
        assert deeds.end("2", passed=True) == ""


class Fake:
    def write(self, text: str) -> None:
        self.check(text)

    def check(self, text: str) -> None:
        assert text


def test_functions_with_assertions_count_also_if_they_call_another() -> None:
    deeds = Deeds(Checkpoint())
    for each in (checks, calls, Fake().check, plain, len, Fake()):
        deeds.called(each, None)
    assert deeds.done == {f"call {__name__}.{name}" for name in ("checks", "calls", "Fake.check")}


def test_a_coroutine_or_a_generator_counts_when_it_has_ended() -> None:
    async def later(number: int) -> int:
        assert number
        return number

    def each(number: int) -> Any:
        yield number
        assert number

    deeds, name = Deeds(Checkpoint()), test_a_coroutine_or_a_generator_counts_when_it_has_ended.__qualname__
    waiting = deeds.called(later, later(0)), deeds.called(each, each(0))
    with pytest.raises(AssertionError):
        asyncio.run(waiting[0])
    assert next(waiting[1]) == 0
    assert deeds.done == set()
    assert asyncio.run(deeds.called(later, later(5))) == 5
    assert list(deeds.called(each, each(3))) == [3]
    assert deeds.done == {f"call {__name__}.{name}.<locals>.{part}" for part in ("later", "each")}


@pytest.mark.parametrize(
    ("source", "expected"),
    [("assert x", True), ("self.assertEqual(x, 1)", True), ("def f():\n assert x", True), ("x == 1", False)],
)
def test_code_with_an_assertion(source: str, expected: bool) -> None:
    assert has_assertion(compile(source, "", "exec")) is expected
