"""What comes of a call is one line: data, an error, or why it is neither."""

from __future__ import annotations

import array
import collections
import datetime as dt
import enum
import functools
import types
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

from gradebox.graders.languages.python.inside.apart.wire import decoded
from gradebox.graders.languages.python.inside.call_runner import DataWriter, came_of


@dataclass
class _Point:
    x: int = 1
    y: int = 2


class _Slots:
    __slots__ = ("a", "b")

    def __init__(self) -> None:
        self.a = 1


def _made() -> Any:
    """A class that a function makes, with a property that keeps its value."""

    class Local:
        def __init__(self) -> None:
            self.a = 1
            self.twice = self.double

        @functools.cached_property
        def double(self) -> int:
            return self.a * 2

    return Local()


class _Private:
    def __init__(self) -> None:
        self._x = 1

    @property
    def x(self) -> int:
        return self._x


class _Day(dt.date):
    pass


class _Moment(dt.datetime):
    pass


class _Pair(NamedTuple):
    a: int
    b: int

    @property
    def sum(self) -> int:
        return self.a + self.b


class _Odd:
    """Only the property `y` can be data."""

    def __init__(self) -> None:
        self.x = 1

    y = property(lambda self: 2)
    itself = property(lambda self: self)
    items = property(lambda self: [self])
    fails = property(lambda self: 1 / 0)
    _z = property(lambda self: 3)


class _Colour(enum.IntEnum):
    RED = 3


class _List(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        raise RuntimeError


async def _awaited() -> int:
    return 5


def _fails() -> None:
    raise KeyError("missing")


def _exits() -> None:
    raise SystemExit("no")


MODULE = types.SimpleNamespace(
    echo=lambda *args, **named: [list(args), named], give=None, deep=types.SimpleNamespace(f=lambda: 1), fails=_fails,
    exits=_exits, awaited=_awaited,
)  # fmt: skip


def _said(line: str) -> Any:
    return came_of(MODULE, 4, line)


@pytest.mark.parametrize(
    ("line", "tree"),
    [
        ("deep.f\t()\t{}", 1),
        ("echo\t(1, inf)\t{'a': 2}", ["l", -1, "", ["l", -2, "", 1, ["f", "inf"]], ["d", -3, "", "a", 2]]),
        ("awaited\t()\t{}", 5),
    ],
)
def test_what_it_returns_is_a_tree(line: str, tree: Any) -> None:
    assert decoded(_said(line)) == ["=", 4, tree]


@pytest.mark.parametrize(
    ("line", "kinds", "text"),
    [
        ("fails\t()\t{}", ["KeyError", "LookupError", "Exception", "BaseException"], "'missing'"),
        ("exits\t()\t{}", ["SystemExit", "BaseException"], "no"),
    ],
)
def test_an_error_has_its_classes_and_its_text(line: str, kinds: list[str], text: str) -> None:
    assert decoded(_said(line)) == ["!", 4, kinds, text]


def test_a_function_that_is_not_there_is_not_called() -> None:
    assert _said("deep.g\t()\t{}") == b"4 was not made: there is no function deep.g"


@pytest.mark.parametrize(
    ("value", "what"),
    [(iter(()), "a tuple_iterator"), (len, "a builtin_function"), (types, "a module"), ("a" * (2 << 20), "1 MiB")],
    ids=["iterator", "function", "module", "long"],
)  # fmt: skip
def test_what_is_not_data_is_said_so(monkeypatch: pytest.MonkeyPatch, value: Any, what: str) -> None:
    monkeypatch.setattr(MODULE, "give", lambda: value)
    said = _said("give\t()\t{}").decode()
    assert said.startswith("4 did not return data: ")
    assert what in said


@pytest.mark.parametrize(
    ("value", "tree"),
    [
        (_Point(), ["O", "_Point", "x", 1, "y", 2]),
        (_Slots(), ["O", "_Slots", "a", 1]),
        (_made(), ["O", "Local", "a", 1, "twice", 2, ".double", 2]),
        (_Private(), ["O", "_Private", "x", 1]),
        (_Colour.RED, 3),
        (_List([1]), ["l", -1, "", 1]),
        (collections.UserList([1]), ["l", -1, "", 1]),
        ({"a": 1}.values(), ["l", -1, "", 1]),
        (collections.deque([1]), ["l", -1, "", 1]),
        (array.array("i", [1]), ["l", -1, "", 1]),
        (_Day(2024, 2, 29), DataWriter().put(dt.date(2024, 2, 29))),
        (_Moment(2024, 2, 29, 1, tzinfo=dt.UTC), DataWriter().put(dt.datetime(2024, 2, 29, 1, tzinfo=dt.UTC))),
        (_Pair(1, 2), ["O", "_Pair", ".", ["t", 1, 2], "..", ["t", "a", "b"], ".sum", 3]),
        (_Odd(), ["O", "_Odd", "x", 1, ".y", 2]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_objects_are_their_data(value: Any, tree: Any) -> None:
    assert DataWriter().put(value) == tree


def test_what_a_property_adds_is_left_out_if_it_is_too_much() -> None:
    class Long:
        x = 1

        def __init__(self) -> None:
            self.a = "a"

        @property
        def much(self) -> str:
            return "a" * (2 << 20)

    MODULE.give = Long
    assert decoded(_said("give\t()\t{}")) == ["=", 4, ["O", "Long", "a", "a"]]
