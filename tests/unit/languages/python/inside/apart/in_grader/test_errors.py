"""No exception of the submission ends a loop of the tests, and none hides that an assertion failed."""

from __future__ import annotations

import unittest
from typing import Any

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.in_grader.errors import Errors
from gradebox.graders.languages.python.inside.apart.links import LINKS

PATH = (("m", ".f()"),)


def _grader(words: list[str] | None = None) -> Errors:
    grader: Any = pair()[1]
    grader.checkpoint.begin(None if words is None else {"m.f()": words}, False)
    return grader  # type: ignore[no-any-return]


class _Own(BaseException):
    pass


@pytest.mark.parametrize(
    ("error", "words", "passes"),
    [
        (ValueError(), None, True),
        (StopIteration(), None, False),
        (StopAsyncIteration(), [], False),
        (StopIteration(), ["raise StopIteration"], True),
        # The end of items that a test's own `__getitem__` gives.
        (IndexError(), None, True),
        (IndexError(), [], True),
        # Without a reference, the thread that runs the tests ends by these.
        (SystemExit(), None, True),
        (SystemExit(), [], False),
        (SystemExit(), ["raise SystemExit"], True),
        (GeneratorExit(), None, False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_what_would_end_a_loop_or_a_thread_is_another_error(
    error: BaseException, words: list[str] | None, passes: bool
) -> None:
    found = _grader(words).passed(error, PATH, ("call", None))
    assert (found is error) == passes
    if not passes:
        assert (type(found), found.__cause__) == (RuntimeError, error)


def test_an_iterator_may_end() -> None:
    error = StopIteration()
    thing = sent(iter(()))
    assert _grader([]).passed(error, PATH, ("operator", thing, "next")) is error


@pytest.mark.parametrize(
    ("error", "kind"), [(ValueError("x"), ValueError), (AssertionError("x"), AssertionError), (_Own(), _Own)]
)
def test_errors_of_the_tests_are_raised_there(error: BaseException, kind: type) -> None:
    assert type(_grader().raising(error, PATH)) is kind


@pytest.mark.parametrize(
    ("error", "seen", "known"),
    [
        (AssertionError("5 is not 42"), {"is_served": True}, False),
        (ExceptionGroup("42", [AssertionError("42")]), {"is_served": True}, False),
        (ValueError("42"), {"is_served": True}, True),
        # The test itself gets it, and fails by it.
        (AssertionError("5 is not 42"), {}, True),
        (AssertionError("5 is not 42"), {"is_served": True, "is_raised": True}, True),
    ],
)
def test_no_function_of_the_tests_can_tell_the_text_of_a_failure(
    error: Exception, seen: dict[str, bool], known: bool
) -> None:
    grader = _grader()
    number = Writer(grader).put(error)[1]
    reader = Reader(grader)
    for name, value in seen.items():
        setattr(reader, name, value)
    found = reader.get(["o", number])
    assert (found is error, "42" in str(found)) == (known, known)


def test_how_a_test_ends_is_not_for_the_submission_to_learn() -> None:
    grader = _grader()
    told = grader.raising(unittest.SkipTest("expected 42"), PATH)
    assert (type(told), "42" in str(told)) == (AssertionError, False)
    with pytest.raises(KeyboardInterrupt):
        grader.raising(KeyboardInterrupt(), PATH)


def test_a_failure_that_the_submission_has_caught_is_found_once() -> None:
    grader, failed = _grader(), AssertionError("expected 42")
    grader.raising(failed, PATH)
    grader.raising(ValueError(), PATH)
    assert grader.failure() is failed
    assert grader.failure() is None


def test_an_assertion_has_no_text_where_the_submission_gets_it() -> None:
    tree = Writer(_grader()).put(AssertionError("expected 42"))
    assert "42" not in str(tree)
    assert "42" in str(Writer(_grader()).put(ValueError("expected 42")))


def test_the_class_of_failed_assertions_is_another_one_for_the_submission() -> None:
    """Where the reference does not give the class itself, tests that catch it get one of the submission's alone."""
    grader, told = _grader(), _grader(["error AssertionError"])
    found = Reader(grader, PATH).get(["k", "AssertionError"])
    assert issubclass(found, AssertionError)
    assert type(Reader(grader).get(["e", -1, ["k", "AssertionError"], ["t", "x"], {}])) is found
    assert found is not AssertionError
    assert Reader(told, PATH).get(["k", "AssertionError"]) is AssertionError


@pytest.mark.parametrize("is_rewording", [True, False])
def test_while_texts_are_replaced_an_error_has_no_cause_and_its_objects_are_known(is_rewording: bool) -> None:
    grader = _grader()
    grader.checkpoint.rewording = int(is_rewording)
    for name in ("cause", "context"):
        number = -4 if name == "cause" else -8
        caused = ["e", number + 1, ["k", "KeyError"], ["t", ["l", number, "", 7]], {}]
        tree = ["e", number + 2, ["k", "ValueError"], ["t", "x"], {name: caused}]
        error, items = Reader(grader).get(["t", tree, ["#", number]])
        assert items == [7]
        assert (getattr(error, f"__{name}__") is None, error.__suppress_context__) == (
            is_rewording, name == "cause" and not is_rewording
        )  # fmt: skip


def test_the_end_of_its_process_fails_the_test_whatever_catches_it() -> None:
    grader, ended = _grader(), ValueError()
    grader.keep_end(ended, ("module", "m"))
    grader.keep_end(ended, ("module", "m"))
    assert grader.failures == [(ended, (("",),))]


@pytest.mark.parametrize(
    ("handled", "words", "request_", "found"),
    [
        (AssertionError("5"), [], ("method", None, "close"), True),
        (AssertionError("5"), None, ("method", None, "close"), True),
        # The reference's does the same.
        (AssertionError("5"), ["catch AssertionError"], ("method", None, "close"), False),
        (ValueError("5"), [], ("method", None, "close"), False),
    ],
)
def test_an_error_of_the_submission_takes_the_place_of_no_failure(
    handled: Exception, words: list[str] | None, request_: Any, found: bool
) -> None:
    grader = _grader(words)
    try:
        raise handled
    except (AssertionError, ValueError):
        grader.passed(KeyError("closed"), PATH, request_)
    assert grader.failure() is (handled if found else None)


def test_the_end_of_an_iterator_takes_the_place_of_no_failure() -> None:
    grader = _grader([])
    try:
        raise AssertionError
    except AssertionError:
        grader.passed(StopIteration(), PATH, ("operator", sent(iter(())), "next"))
    assert grader.failure() is None


def test_an_awaitable_remembers_the_failure_during_which_it_was_requested() -> None:
    grader, awaitable = _grader([]), sent(iter(()))
    LINKS[id(awaitable)].hidden = failed = AssertionError("5")
    grader.passed(KeyError("closed"), PATH, ("result", awaitable, 1))
    assert grader.failure() is failed
