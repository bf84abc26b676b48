"""The checkpoint: what may be lent, what may be asked, and what a contract lets through."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.codec import Reader
from gradebox.graders.languages.python.inside.apart.in_grader.opaque import Opaque
from gradebox.graders.languages.python.inside.apart.links import LINKS


class _Number:
    def __init__(self, value: float) -> None:
        self.value = value

    def __float__(self) -> float:
        return self.value

    def __sub__(self, other: Any) -> Any:
        return 0


class _Items:
    def __iter__(self) -> Any:
        return iter((1, 2))


def _arrived(value: Any, contract: dict[str, list[str]]) -> Any:
    sides = pair()
    sides[1].checkpoint.begin(contract, False)
    tree = sent(value, (sides[0], _Trees()))  # type: ignore[arg-type]
    return Reader(sides[1], (("m", "()"),)).get(tree)


class _Trees:
    """Takes trees as they are."""

    def get_other(self, reader: Any, tag: str, tree: Any, depth: int) -> Any:
        return tree


def test_where_the_reference_gives_data_a_number_becomes_data() -> None:
    assert _arrived(_Number(1.5), {"m()": ["data"]}) == 1.5
    assert type(_arrived(_Number(1.5), {"m()": ["data"]})) is float
    assert type(_arrived(_Number(1.5), {})) is float


def test_a_limit_fails_a_test_that_expects_its_error() -> None:
    checkpoint = Checkpoint()
    assert checkpoint.limit("a") is not checkpoint.refused
    assert checkpoint.limited("b") is checkpoint.refused
    assert [*checkpoint.limits] == ["a", "b"]


def test_where_the_reference_gives_data_another_object_is_opaque() -> None:
    found = _arrived(_Items(), {"m()": ["data"]})
    assert type(found) is Opaque
    assert found != [1, 2]
    with pytest.raises(AttributeError, match="where the reference gives data"):
        _ = found.startswith
    with pytest.raises(TypeError):
        len(found)


def test_a_class_is_asked_for_items_where_the_contract_has_them() -> None:
    found = _arrived(_Number, {"m()": ["data"]})
    with pytest.raises(TypeError, match="'operator getitem' is not asked"):
        _ = found["expected"]
    with pytest.raises(TypeError, match="'operator iter' is not asked"):
        iter(found)


def test_operators_are_asked_where_the_contract_has_them() -> None:
    may = _may(_arrived(_Number(1), {"m()": ["object", "operator sub", "get x", "method f"]}))
    asked = {word: may(word) for word in ("operator sub", "operator add", "get x", "get f", "method f", "method x")}
    assert [word for word, is_asked in asked.items() if is_asked] == ["operator sub", "get x", "get f", "method f"]


def test_an_item_of_a_class_is_asked_where_the_contract_has_it() -> None:
    kind = _arrived(_Number, {"m()": ["class", "operator getitem"]})
    assert LINKS[id(kind)].peer.checkpoint.outgoing("item", (kind, "expected")) == (("m", "()", "[]"),)
    kind = _arrived(_Number, {"m()": ["class"]})
    with pytest.raises(TypeError, match="'operator getitem' is not asked"):
        LINKS[id(kind)].peer.checkpoint.outgoing("item", (kind, "expected"))


def _may(thing: Any) -> Any:
    return lambda word, others=(): LINKS[id(thing)].peer.checkpoint.may(thing, LINKS[id(thing)], word, others)


def test_without_a_contract_only_classes_that_tests_name_have_telling_operators() -> None:
    found = sent(_Number(1))
    may, checkpoint = _may(found), LINKS[id(found)].peer.checkpoint
    assert not any(map(may, ("operator sub", "operator contains")))
    assert all(map(may, ("operator len", "operator iter", "method f", "call")))
    assert not may("method f", ({"a"},))
    assert may("method f", (found,))
    checkpoint.name(type(found), "lower")
    assert not may("operator sub")
    checkpoint.name(type(found), "Upper")
    assert may("operator sub")


def test_what_is_recorded_is_what_is_enforced() -> None:
    recording = Checkpoint()
    recording.begin(None, True)
    assert recording.noted == {}
    assert recording.arrived([("m", "()")], "object", False)
    assert recording.noted == {"m()": {"object"}}
    enforcing = Checkpoint()
    enforcing.begin({path: sorted(words) for path, words in recording.noted.items()}, False)
    assert enforcing.arrived([("m", "()")], "object", False)
    assert not enforcing.arrived([("m", ".x")], "object", False)


@pytest.mark.parametrize("given", ["type", "function", "class", "object", "lent"])
def test_without_a_reference_a_method_is_nothing_that_came_elsewhere(given: str) -> None:
    """It would be called in the grader's process, or asked what the tests expect."""

    class Named:
        def __call__(self, text: str) -> bool:
            return True

    class Other:
        pass

    candidate, grader = pair()
    named = sent(Named(), (candidate, grader))
    grader.checkpoint.name(type(named), "Named")
    all_given = {"type": bool, "function": len, "class": type(named), "object": named, "lent": lambda text: text}
    grader.ask = lambda *request: all_given[given]  # type: ignore[method-assign]
    with pytest.raises(AttributeError, match="do not name its class"):
        sent(Other(), (candidate, grader)).startswith  # noqa: B018 - it is looked up alone
    assert named.kind is all_given[given]


@pytest.mark.parametrize(
    ("requests", "is_unknown"),
    [
        ([("operator", "a", "eq", "b", True)], True),
        ([("method", "a", "equals", ("b",), (), True)], True),
        ([("method", "a", "distance", (), ("to", "b"), 0.0)], True),
        ([("call", "f", (["a"],), (), True)], True),
        ([("operator", "a", "sub", "b", "c"), ("operator", "c", "bool", False)], True),
        ([("operator", "a", "sub", "b", "c"), ("operator", "c", "abs", 0.0)], True),
        ([("operator", "a", "add", "b", "c"), ("operator", "c", "neg", "a"), ("method", "a", "size", (), (), 2)], True),
        ([("call", "f", ("a", "b"), (), "c"), ("method", "c", "is_zero", (), (), True)], True),
        # What the test compares is data, or the object has been made of one.
        ([("operator", "a", "add", "b", "c"), ("get", "c", "x", 4)], False),
        ([("operator", "a", "add", 2, "c"), ("method", "c", "equals", (3, 4), (), True)], False),
        ([("method", "a", "add", ("b",), (), None), ("method", "a", "total", (), (), 30)], False),
        ([("call", "kind", ("b",), (), "c"), ("method", "c", "total", (), (), 30)], False),
        ([("call", "f", ("f", "kind"), (), 9)], False),
        ([("operator", "a", "exit", None, "b", None, False)], False),
        ([("method", "a", "merged", ("b",), (), [1, 2])], False),
    ],
)
def test_what_a_submission_says_of_several_of_its_objects_is_unknown(requests: Any, is_unknown: bool) -> None:
    candidate, grader = pair()
    things = {name: sent(_Number(number), (candidate, grader)) for number, name in enumerate("abc")}
    things |= {"kind": type(things["a"]), "f": sent(_arrived, (candidate, grader))}

    def real(part: Any) -> Any:
        if isinstance(part, (tuple, list)):
            return type(part)(map(real, part))
        return things.get(part, part) if isinstance(part, str) else part

    for request in requests:
        *parts, found = map(real, request)
        assert grader.checkpoint.heeded(found, *parts) is found
    assert grader.checkpoint.has_compared is is_unknown


@pytest.mark.parametrize(("items", "is_unknown"), [("ab", True), ("b", True), ([1, 2], False)])
def test_so_is_what_it_says_of_those_that_an_iterator_of_the_tests_gives(items: Any, is_unknown: bool) -> None:
    candidate, grader = pair()
    things = {name: sent(_Number(1), (candidate, grader)) for name in "ab"}
    function = sent(_arrived, (candidate, grader))
    given = [things.get(item, item) for item in items]
    # An iterator gives them during the call, a deque before it.
    for item in given:
        assert grader.checkpoint.given_item(item) is item
    grader.checkpoint.heeded(True, "call", function, (iter(given),), ())
    assert grader.checkpoint.has_compared is is_unknown
    grader.checkpoint.has_compared = False
    grader.checkpoint.heeded(True, "call", function, (deque(given),), ())
    assert grader.checkpoint.has_compared is is_unknown
