"""What the candidate may request of lent objects, what it names, and what the grader makes of it."""

from __future__ import annotations

import linecache
import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from apart_bench import pair

from gradebox.graders.languages.python.inside.apart.wire import Malformed


class _Passed:
    shown = 1
    _hidden = 2

    def __init__(self) -> None:
        self.own = 3


def _asked(value: Any, *request: Any) -> Any:
    """Return what comes of a request of an object that was lent."""
    _, grader = pair()
    number = grader.given(value, grader.kind_of(value), ())
    grader.checkpoint.subject([request[0], ["o", number], *request[1:]], grader.ours)
    return grader.perform(request[0], value, *request[1:])


def test_a_warning_is_shown_without_reading_the_file_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "hidden.py").write_text("expected = 42\n")
    _, grader = pair()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        grader.perform("note", "warning", UserWarning("shown"), str(tmp_path / "hidden.py"), 1)
    shown = warnings.formatwarning(seen[0].message, seen[0].category, seen[0].filename, seen[0].lineno)
    assert shown == "<submission>:1: UserWarning: shown\n"
    assert str(tmp_path / "hidden.py") not in linecache.cache


def test_public_attributes_of_lent_objects_are_given() -> None:
    assert _asked(_Passed(), "get", "shown") == 1
    assert _asked(_Passed(), "get", "own") == 3
    assert _asked(_Passed(), "has", "other") is False
    assert _asked(_Passed(), "keys") == ["own"]
    assert _asked(lambda x: x + 1, "call", (2,), ()) == 3


@pytest.mark.parametrize("name", ["_hidden", "__class__", "__dict__", "__init__"])
def test_no_others_are(name: str) -> None:
    with pytest.raises(AttributeError, match="no usable attribute"):
        _asked(_Passed(), "get", name)


def test_functions_have_no_attributes_to_give() -> None:
    for name in ("__globals__", "__code__", "x"):
        with pytest.raises(AttributeError, match=f"'get {name}' is not allowed"):
            _asked(lambda: 1, "get", name)


@pytest.mark.parametrize("request_", [("get", "pop"), ("call", (), ()), ("keys",), ("await",)])
def test_what_a_kind_of_object_has_not_is_an_error_and_ends_nothing(request_: Any) -> None:
    with pytest.raises((AttributeError, TypeError), match="is not allowed"):
        _asked(iter([1]), *request_)


@pytest.mark.parametrize(
    ("value", "name"), [(os.path.join, "posixpath.join"), (os, "os"), (len, "builtins.len"), (_asked, "")]
)
def test_only_what_both_processes_have_goes_by_its_name(value: Any, name: str) -> None:
    assert pair()[1].name_of(value) == name


def test_an_exception_that_is_not_loaded_here_is_an_ordinary_one() -> None:
    grader = pair()[1]
    assert grader.resolve("ValueError") is ValueError
    with pytest.raises(Malformed, match="name of a type"):
        grader.resolve("os.system")
