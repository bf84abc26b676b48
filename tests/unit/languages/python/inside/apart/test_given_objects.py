"""Trees of what one side gives: names, and never the object."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer


class _Base:
    pass


class _Thing(_Base, ValueError):
    def method(self) -> None:
        """Do nothing."""


def function(a: int) -> int:
    """Return it."""
    return a


def _put(value: Any) -> Any:
    return Writer(pair()[0]).put(value)


def test_an_object_is_its_number_its_kind_and_its_class() -> None:
    tag, number, kind, of, about = _put(_Base())
    assert (tag, number, kind, about) == ("x", -1, "object", {"data": ["t"]} if "data" in about else {})
    assert (of[0], of[2], of[3]["name"], of[3]["place"]) == ("c", [], "_Base", [__name__, "_Base"])


def test_a_function_comes_with_its_parameters() -> None:
    _, _, kind, _, about = _put(function)
    assert (kind, about["name"], about["parameters"]) == ("function", "function", [["a", 1, False]])
    assert about["place"] == [__name__, "function"]


def test_a_class_names_its_bases_that_are_exceptions_or_its_sides() -> None:
    _, _, bases, _ = _put(_Thing)
    assert [base[0] for base in bases] == ["c", "k"]


@pytest.mark.parametrize(("value", "tree"), [(int, ["k", "int"]), (KeyError, ["k", "KeyError"])])
def test_what_both_have_is_a_name(value: Any, tree: Any) -> None:
    assert _put(value) == tree


def test_a_traceback_is_none() -> None:
    try:
        raise ValueError
    except ValueError:
        assert _put(sys.exc_info()[2]) is None


def test_what_came_from_the_other_side_goes_back_as_itself() -> None:
    sides, thing = pair(), _Base()
    stand_in = sent(thing, sides)
    assert Reader(sides[0]).get(Writer(sides[1]).put(stand_in)) is thing


def test_a_method_needs_an_object() -> None:
    sides = pair()
    kind = sent(_Thing, sides)
    with pytest.raises(ValueError, match="without an object"):
        Writer(sides[1]).put(vars(kind)["method"])


def test_what_an_exception_holds_and_cannot_be_sent_is_left_out() -> None:
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]
    candidate, grader = pair()
    found = Reader(grader).get(Writer(candidate).put(ValueError(deep)))
    assert (type(found), found.args) == (ValueError, ())
