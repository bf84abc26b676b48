"""Classes made by `gradebox.sandbox.records.dataclass` behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from gradebox.sandbox import records

MAKERS = {"standard": dataclasses.dataclass, "ours": records.dataclass}


@records.dataclass(frozen=True, slots=True)
class Pickled:
    """At the top of a module, where pickle finds it."""

    a: int
    b: tuple[int, ...] = ()


def frozen_class(maker: Callable[..., Any]) -> Any:
    @maker(frozen=True, slots=True)
    class Point:
        x: int
        label: str = "here"
        parts: list[int] = dataclasses.field(default_factory=list)
        hidden: int = dataclasses.field(default=0, repr=False)
        note: str = dataclasses.field(default="", compare=False)

        def shifted(self) -> Any:
            return dataclasses.replace(self, x=self.x + 1)

    return Point


def plain_class(maker: Callable[..., Any]) -> Any:
    @maker(slots=True)
    class Counted:
        a: int
        b: list[int] = dataclasses.field(default_factory=list)
        sum: int = dataclasses.field(init=False)
        seen: list[int] = dataclasses.field(default_factory=list, init=False)
        name: str = dataclasses.field(default="n", init=False)

        def __post_init__(self) -> None:
            self.sum = self.a + len(self.b)

    return Counted


def error_of(action: Callable[[], object]) -> tuple[type[BaseException], str]:
    with pytest.raises(Exception) as raised:  # noqa: PT011 - whatever the standard library raises
        action()
    return raised.type, str(raised.value)


def observed_frozen(maker: Callable[..., Any]) -> list[Any]:
    point = frozen_class(maker)
    one, same, other = point(1), point(1, "here", []), point(2, label="there", parts=[1], hidden=3)
    tupled = point(1, parts=())
    return [
        repr(one),
        repr(other),
        one == same,
        one != other,
        one == dataclasses.replace(one, note="other"),
        one == (1, "here", [], 0),
        hash(tupled) == hash(point(1, parts=())),
        hash(tupled) == hash((1, "here", (), 0)),
        error_of(lambda: hash(one)),
        error_of(lambda: setattr(one, "x", 2)),
        error_of(lambda: delattr(one, "x")),
        error_of(point)[0],
        one.parts is point(1).parts,
        repr(one.shifted()),
        dataclasses.asdict(other),
        [field.name for field in dataclasses.fields(point)],
        point.__match_args__,
        point.__slots__,
        hasattr(one, "__dict__"),
        list(inspect.signature(point).parameters),
        copy.copy(other) == other,
        copy.deepcopy(other) == other,
    ]


def observed_plain(maker: Callable[..., Any]) -> list[Any]:
    counted = plain_class(maker)
    one = counted(1, [5])
    before = repr(one)
    one.a = 7
    assert error_of(lambda: counted(1, [], 3))[0] is TypeError
    return [
        before,
        repr(one),
        one == counted(1, [5]),
        error_of(lambda: hash(one)),
        error_of(lambda: setattr(one, "z", 1)),
    ]


@pytest.mark.parametrize("observed", [observed_frozen, observed_plain])
def test_a_class_behaves_as_one_of_the_standard_library(observed: Callable[..., list[Any]]) -> None:
    assert observed(MAKERS["ours"]) == observed(MAKERS["standard"])


def test_a_method_that_the_class_defines_is_kept() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Named:
        name: str

        def __repr__(self) -> str:
            return f"<{self.name}>"

    assert repr(Named("a")) == "<a>"
    assert Named("a") == Named("a")
    assert hash(Named("a")) == hash(("a",))


def test_a_frozen_object_survives_pickle() -> None:
    assert pickle.loads(pickle.dumps(Pickled(1, (2,)))) == Pickled(1, (2,))
