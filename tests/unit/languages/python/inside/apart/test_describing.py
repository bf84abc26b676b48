"""What is said of classes, functions and exceptions: names, and nothing that runs."""

from __future__ import annotations

import collections
import dataclasses
import functools
import unittest
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.describing import (
    describe,
    equality,
    function_about,
    is_description,
    is_failure,
    is_library,
    known_name,
    own_name,
    own_text,
    traceback_text,
)


@dataclasses.dataclass
class _Fields:
    x: int = 1


class _Own:  # noqa: PLW1641 - its description says so
    """Compares by itself."""

    def __eq__(self, other: object) -> bool:
        return True

    def method(self) -> None:
        """Do nothing."""

    def __len__(self) -> int:
        return 1


class _Said(ValueError):
    def __str__(self) -> str:
        return "in its own way"


_NAMED = collections.namedtuple("_NAMED", "a b")  # noqa: PYI024


@pytest.mark.parametrize(
    ("kind", "how"), [(object, ""), (_Fields, "fields"), (_Own, "own"), (type("L", (list,), {}), "data"), (_Said, "")]
)
def test_what_compares_two_objects(kind: type, how: str) -> None:
    assert equality(kind) == how


def test_a_class_is_described_by_names_alone() -> None:
    about = describe(_Own)
    assert is_description(about)
    told = {name: about[name] for name in ("name", "methods", "operators", "unhashable", "equal", "data")}
    assert told == {
        "name": "_Own", "methods": ["method"], "operators": ["eq", "len"], "unhashable": True, "equal": "own",
        "data": "",
    }  # fmt: skip
    assert describe(_NAMED)["fields"] == ["a", "b"]


@pytest.mark.parametrize("change", [{"doc": 1}, {"methods": None}, {"methods": [1]}, {"name": 5}])
def test_another_description_is_none(change: dict[str, Any]) -> None:
    assert not is_description({**describe(_Own), **change})


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (len, ("builtins", "len")), (str.join, ("builtins", "str.join")), (_Own.method, (__name__, "_Own.method")),
        (functools.wraps(len)(lambda: 1), ("builtins", "len")), (5, ("", "")), (object(), ("", "")),
    ],
    ids=["builtin", "method of one", "function", "wraps one", "number", "object"],
)  # fmt: skip
def test_who_says_it_is_somebody_is_asked_without_running_anything(value: Any, name: tuple[str, str]) -> None:
    assert own_name(value) == name


@pytest.mark.parametrize(("kind", "name"), [(int, "int"), (KeyError, "KeyError"), (_Own, ""), (unittest.TestCase, "")])
def test_a_known_name_is_one_that_the_table_has(kind: type, name: str) -> None:
    assert known_name(kind) == name
    impostor = type(kind.__name__, (), {"__module__": kind.__module__, "__qualname__": kind.__qualname__})
    assert known_name(impostor) == ""


def test_parameters_of_a_function_are_told() -> None:
    def function(a: int, /, b: int = 1, *rest: int, c: int, d: int = 2, **more: int) -> None:
        """Do nothing."""

    about = function_about(functools.wraps(function)(lambda *_: None))
    told = [["a", 0, False], ["b", 1, True], ["rest", 2, False], ["c", 3, False], ["d", 3, True], ["more", 4, False]]
    assert sorted(about["parameters"], key=lambda each: each[1]) == told
    assert function_about(len) == {}


@pytest.mark.parametrize(
    ("error", "is_one"), [(AssertionError(), True), (unittest.SkipTest(), True), (ValueError(), False), (None, False)]
)
def test_what_says_how_a_test_ends_is_a_failure(error: Any, is_one: bool) -> None:
    assert is_failure(error) == is_one


def test_only_a_text_that_a_class_makes_itself_comes_along() -> None:
    assert own_text(_Said()) == "in its own way"
    assert own_text(ValueError("plain")) == ""
    assert own_text(AssertionError("expected 42")) == ""


def test_a_traceback_has_the_frames_of_the_submission() -> None:
    with pytest.raises(ValueError, match="wrong") as raised:
        raise ValueError("wrong")
    assert traceback_text(raised.value).endswith("in test_a_traceback_has_the_frames_of_the_submission")


@pytest.mark.parametrize(
    ("name", "is_one"), [("sys", True), ("pathlib", True), (__name__, False), ("not_loaded", False)], ids=str
)
def test_which_modules_both_processes_have(name: str, is_one: bool) -> None:
    assert is_library(name) == is_one
