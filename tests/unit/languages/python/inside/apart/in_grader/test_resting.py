"""The grader's process keeps a lent object no longer than the submission or the tests hold it."""

from __future__ import annotations

from gradebox.graders.languages.python.inside.apart.in_grader.grader import Grader


class _Thing:
    pass


def test_an_object_that_nobody_holds_is_released() -> None:
    side, thing = Grader(), _Thing()
    number = side.given(thing, "object", ())
    side.rest(number)
    assert number not in side.ours
    assert side.known_object(number) is thing
    side.rest(number)
    del thing
    assert (side.ours, side.resting, side.released) == ({}, {}, {number: None})


def test_an_object_that_is_given_again_has_its_number() -> None:
    side, thing = Grader(), _Thing()
    number = side.given(thing, "object", ())
    side.rest(number)
    assert side.given(thing, "object", ()) == number
    assert side.ours[number][0] is thing


def test_what_has_no_weak_references_is_released_at_once() -> None:
    side = Grader()
    number = side.given((1).__add__, "function", ())
    side.rest(number)
    side.rest(99)
    assert side.released == {number: None}
