"""Data classes of our decorator behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar

import pytest

from sandbox.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Ours:
    """Some fields."""

    kind: ClassVar[str] = "kind"
    one: int
    two: str = "2"
    three: list[int] = field(default_factory=list, compare=False)
    four: float = field(default=4.0, repr=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """Some fields."""

    kind: ClassVar[str] = "kind"
    one: int
    two: str = "2"
    three: list[int] = field(default_factory=list, compare=False)
    four: float = field(default=4.0, repr=False)


@dataclass(slots=True)
class Counter:
    count: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Named:
    name: str


@dataclass(frozen=True, slots=True)
class Empty:
    pass


@dataclass(frozen=True, slots=True)
class Number:
    value: float

    def __hash__(self) -> int:
        return 7


@pytest.mark.parametrize(
    ("positional", "named"), [((1,), {}), ((1, "x", [3], 5.0), {}), ((), {"one": 1, "three": [2]}), ((2,), {"four": 0})]
)
def test_instances_are_made_shown_and_hashed_as_by_the_standard_library(
    positional: tuple[Any, ...], named: dict[str, Any]
) -> None:
    ours, theirs = Ours(*positional, **named), Theirs(*positional, **named)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert hash(ours) == hash(theirs)
    assert ours == Ours(*positional, **named) != theirs
    assert dataclasses.replace(ours, two="y").two == "y"
    assert Ours.__match_args__ == Theirs.__match_args__
    assert str(inspect.signature(Ours)).split("three")[0] == str(inspect.signature(Theirs)).split("three")[0]


def test_a_field_that_is_not_compared_does_not_count() -> None:
    assert Ours(1, three=[1]) == Ours(1, three=[2])
    assert Ours(1) != Ours(2)


def test_a_default_factory_is_called_for_each_instance() -> None:
    assert Ours(1).three is not Ours(1).three


@pytest.mark.parametrize("name", ["one", "unknown"])
def test_a_frozen_instance_cannot_be_changed(name: str) -> None:
    instance = Ours(1)
    with pytest.raises(FrozenInstanceError):
        setattr(instance, name, 2)
    with pytest.raises(FrozenInstanceError):
        delattr(instance, name)
    assert instance.one == 1
    assert not hasattr(instance, "__dict__")


@pytest.mark.parametrize("instance", [Ours(1, three=[3]), Empty(), Number(1.5)])
def test_an_instance_can_be_copied_and_pickled(instance: object) -> None:
    assert copy.copy(instance) == instance
    assert copy.deepcopy(instance) == instance
    assert pickle.loads(pickle.dumps(instance)) == instance


def test_an_instance_that_is_not_frozen_can_be_changed_and_has_no_hash() -> None:
    counter = Counter()
    counter.count += 1
    assert counter == Counter(1)
    assert Counter.__hash__ is None
    assert Counter.__doc__


def test_without_eq_an_instance_equals_only_itself() -> None:
    named = Named("x")
    assert named == named  # noqa: PLR0124 - that is the question
    assert named != Named("x")
    assert len({named, Named("x")}) == 2


def test_methods_of_the_class_are_kept_and_an_object_equals_itself() -> None:
    nan = float("nan")
    assert hash(Number(1)) == 7
    assert Number(nan) == Number(nan)


@pytest.mark.parametrize("arguments", [(), (1, "2", [], 4.0, 5)])
def test_a_wrong_call_names_the_class(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match=r"Ours\.__init__"):
        Ours(*arguments)


def test_a_class_without_slots_is_refused() -> None:
    with pytest.raises(AssertionError):
        dataclass(frozen=True, slots=False)
