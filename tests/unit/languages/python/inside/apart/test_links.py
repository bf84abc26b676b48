"""What is looked for in the other process, and how methods are bound."""

from __future__ import annotations

import types
from typing import Any

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.links import LINKS, flat, is_forwarded, link_of, may, unflat


class _Thing:
    def method(self, x: int) -> int:
        return x


@pytest.mark.parametrize(
    ("name", "is_it"),
    [
        ("x", True), ("_x", True), ("__name__", True), ("__wrapped__", True), ("__class__", False),
        ("__getstate__", False), ("pytestmark", False), ("_pytestfixturefunction", False), ("__test__", False),
        ("__unittest_skip__", False), ("load_tests", False), ("_gradebox_read", False),
    ],
)  # fmt: skip
def test_test_runners_find_nothing_that_steers_them(name: str, is_it: bool) -> None:
    assert is_forwarded(name) == is_it


def test_named_arguments_are_sent_in_turns() -> None:
    assert flat({"a": 1, "b": 2}) == ("a", 1, "b", 2)
    assert unflat(flat({"a": 1, "b": 2})) == {"a": 1, "b": 2}


def _asked(thing: Any, answer: Any = None) -> list[tuple[Any, ...]]:
    """Return what is asked of the other process from now on."""
    asked: list[tuple[Any, ...]] = []

    def ask(*request: Any) -> Any:
        asked.append(request)
        return answer

    LINKS[id(thing)].peer.ask = ask
    return asked


def test_a_method_is_bound_when_it_is_taken() -> None:
    thing = sent(_Thing())
    asked = _asked(thing, 5)
    method = thing.method
    assert method == thing.method
    assert hash(method) == hash(thing.method)
    assert (method(1, x=2), asked) == (5, [("method", thing, "method", (1,), ("x", 2))])


def test_a_method_of_a_class_is_the_function_of_the_original() -> None:
    kind: Any = sent(_Thing)
    asked = _asked(kind, len)
    assert kind.method is vars(kind)["method"]
    asked.clear()
    LINKS[id(kind)].peer.checkpoint.named.add(id(kind))
    assert (kind.method, asked) == (len, [("get", kind, "method")])
    held = vars(kind)["method"]
    assert isinstance(held, types.FunctionType)
    assert held.__self__ == len.__self__


def test_a_derived_class_calls_the_method_of_its_base() -> None:
    sides = pair()
    kind = sent(_Thing, sides)
    asked = _asked(kind, -100)
    derived = type(kind)("Derived", (kind,), {"other": 1}, format="json")
    assert asked == [("derive", "Derived", (kind,), {"other": 1}, ("format", "json"))]
    thing = object.__new__(derived)
    sides[1].adopt(thing, -101)
    super(derived, thing).method(1)
    assert asked[-1] == ("base", kind, "method", thing, (1,), ())


def test_anything_may_be_asked_of_what_is_here() -> None:
    assert link_of(5) is None
    assert may(5, "operator add", 6)
