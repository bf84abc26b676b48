"""Values that are equal to anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest.mock import ANY

import pytest

from gradebox.graders.languages.python.inside.equal_to_anything import equal_to_anything


class Forged:
    """Equal to anything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Alike(type):
    """Classes that are equal to any class, such as `str`."""

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return hash(str)


class ForgedOfAlike(Forged, metaclass=Alike):
    """Equal to anything, and its class as well."""


class HonestOfAlike(metaclass=Alike):
    """Equal to itself."""


@dataclass
class Record:
    """Equal to another one with the same value."""

    value: object


def looking(*, wrote: bool = False, said: str = "") -> Callable[..., Any]:
    trust, always_equal = equal_to_anything(lambda _kind: "work.py")
    trust(lambda _code: wrote, lambda word: word in said)
    return always_equal


@pytest.mark.parametrize("value", [Forged(), [1, Forged()], {"a": (Forged(),)}, Record(Forged())])
def test_what_is_equal_to_anything_is_found_at_any_depth(value: object) -> None:
    assert looking()(value, 3) == "an object of the class Forged is equal to anything"
    assert looking()(3, value) == "an object of the class Forged is equal to anything"


def test_a_class_that_is_equal_to_others_is_not_taken_for_one_of_them() -> None:
    always_equal = looking()
    assert always_equal(HonestOfAlike(), "a") == ""
    assert always_equal([ForgedOfAlike()], "a") == "an object of the class ForgedOfAlike is equal to anything"


@pytest.mark.parametrize("value", [1, "a", None, [1, 2], {"a": 1}, Record(1), object(), float("nan")])
def test_ordinary_values_are_left_alone(value: object) -> None:
    assert looking()(value, value) == ""


def test_what_the_judge_wrote_or_speaks_of_may_be_equal_to_anything() -> None:
    assert looking(wrote=True)(Forged(), 3) == ""
    trust, always_equal = equal_to_anything(lambda _kind: "")
    trust(lambda _code: False, lambda word: word in "from unittest.mock import ANY")
    assert always_equal(ANY, 3) == ""


def test_what_is_looked_up_by_its_hash_is_found_only_on_the_left() -> None:
    assert looking()(1, {Forged()}, inside=True) == ""
    assert looking()(Forged(), {1}, inside=True) != ""
