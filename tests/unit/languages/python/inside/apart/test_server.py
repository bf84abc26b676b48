"""What the candidate's side gives, and what it refuses to its submission."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from apart_bench import pair

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer


class _Awaited:
    def __await__(self) -> Any:
        yield


class _Lent:
    def method(self) -> int:
        return 1


class _Number:
    def __float__(self) -> float:
        return 1.5


@pytest.mark.parametrize(
    ("value", "kind"),
    [(len, "function"), (_Lent().method, "function"), (iter(()), "iterator"), (_Awaited(), "awaitable"),
     (_Lent(), "object")],
    ids=["builtin", "method", "iterator", "awaitable", "object"],
)  # fmt: skip
def test_as_what_it_is_given(value: Any, kind: str) -> None:
    assert pair()[0].kind_of(value) == kind


@pytest.mark.parametrize("name", ["int", "NoneType", "collections.OrderedDict", "posixpath.join", "json"])
def test_a_name_of_the_tests_is_found_in_the_library(name: str) -> None:
    assert pair()[0].resolve(name).__name__ == name.rpartition(".")[2]


def test_a_function_of_the_tests_is_called_back() -> None:
    candidate, grader = pair()

    def function(a: int, b: int = 2) -> int:
        """Add them."""
        return a + b

    callback = Reader(candidate).get(Writer(grader).put(function))
    asked: list[Any] = []
    candidate.ask = lambda *request: asked.append(request)  # type: ignore[method-assign]
    callback(1, b=3)
    assert asked == [("call", callback, (1,), ("b", 3))]
    assert (callback.__name__, callback.__doc__) == ("function", "Add them.")


@pytest.mark.parametrize(
    ("wanted", "word"), [(("deepcopy", None), "copies"), (("set", None, "x", 1), ""), (("call", None), "threads")],
    ids=["copy", "set", "between two calls"],
)  # fmt: skip
def test_a_submission_may_not_request_everything(wanted: tuple[Any, ...], word: str) -> None:
    candidate: Any = pair()[0]
    candidate.refused, candidate.is_idle = "", True
    with pytest.raises((TypeError, RuntimeError), match="isolation: apart"):
        candidate.ask(*wanted)
    assert candidate.refused == word


def test_a_submission_derives_no_class_from_one_of_the_tests() -> None:
    candidate, grader = pair()
    kind = Reader(candidate).get(Writer(grader).put(_Lent))
    with pytest.raises(TypeError, match="cannot derive"):
        type(kind)("Derived", (kind,), {})
    assert candidate.refused == "classes"


def test_data_that_can_take_the_place_of_an_object_comes_along() -> None:
    candidate = pair()[0]
    assert candidate.told_of(Writer(candidate), _Number(), 1) == {"data": 1.5}
    assert candidate.told_of(Writer(candidate), _Lent, 1) == {"place": [__name__, "_Lent"]}


def test_a_function_of_a_mapping_that_makes_the_same_each_time_is_its_value() -> None:
    candidate, count = pair()[0], itertools.count()

    def changing() -> int:
        return next(count)

    assert candidate.told_factory(lambda: 5) == (5,)
    assert candidate.told_factory(changing) is changing
