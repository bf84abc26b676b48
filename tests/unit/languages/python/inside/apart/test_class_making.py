"""A stand-in for a class can do what the original can, and no more."""

from __future__ import annotations

import collections
import types
from typing import Any

from apart_bench import sent


class _Sized:
    """A class with a length."""

    def __len__(self) -> int:
        return 1

    def method(self) -> int:
        return 2


class _Error(LookupError):
    pass


def test_methods_and_operators_are_those_of_the_original() -> None:
    made: Any = sent(_Sized)
    assert (made.__name__, made.__doc__) == ("_Sized", "A class with a length.")
    assert hasattr(made, "__len__")
    assert isinstance(vars(made)["method"], types.FunctionType)
    assert not any("__contains__" in vars(each) for each in made.__mro__)


def test_exceptions_keep_their_bases() -> None:
    assert issubclass(sent(_Error), LookupError)


def test_a_named_tuple_is_data() -> None:
    found = sent(collections.namedtuple("P", "x y")(1, 2))  # noqa: PYI024
    assert (found.x, found.y, tuple(found)) == (1, 2, (1, 2))
