"""Where the reference gives data, an object of the submission is read once, and asked nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from apart_bench import pair

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.in_grader.opaque import Opaque
from gradebox.graders.languages.python.inside.apart.wire import decoded, encoded


class _Items:
    def __iter__(self) -> Any:
        return iter("ab")

    def __getitem__(self, key: int) -> str:
        return "ab"[key]

    def __len__(self) -> int:
        return 5


class _Plain:
    x = 1


class _Equal:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__


def _arrived(value: Any, read: Any = None, words: tuple[str, ...] = ("data",)) -> tuple[Any, list[Any]]:
    """Return an object where the reference gives data, and what is asked of it."""
    candidate, grader = pair()
    grader.checkpoint.begin({"m()": list(words)}, False)
    asked: list[Any] = []

    def ask(what: str, _: Any, *rest: Any) -> Any:
        asked.append((what, *rest))
        return read

    found = Reader(grader, (("m", "()"),)).get(Writer(candidate).put(value))
    grader.ask = ask  # type: ignore[method-assign]
    return found, asked


def test_it_is_read_once() -> None:
    found, asked = _arrived(_Items(), ("a", "b"))
    assert type(found) is Opaque
    assert (list(found), len(found), found[1], bool(found)) == (["a", "b"], 2, "b", True)
    assert asked == [("read",)]


@pytest.mark.parametrize("use", [len, iter, lambda thing: thing[0]], ids=["len", "iter", "getitem"])
def test_what_its_class_has_not_is_an_error(use: Any) -> None:
    found, asked = _arrived(_Plain(), ("a",))
    with pytest.raises(TypeError, match="has no"):
        use(found)
    assert asked == []


def test_what_cannot_be_read_is_an_error() -> None:
    with pytest.raises(TypeError, match="cannot be read"):
        iter(_arrived(_Items(), "text")[0])


def test_it_is_equal_to_no_data_and_to_no_other_class() -> None:
    found, _ = _arrived(_Equal())
    assert found != 5
    assert found != _arrived(_Items())[0]
    assert found == found  # noqa: PLR0124 - that is the question
    assert _arrived(_Plain())[0] != _arrived(_Plain())[0]


def test_an_object_that_comes_twice_is_equal_to_itself(sides: Any) -> None:
    one, other = _Plain(), _Plain()
    first, again, third = (_given(sides, value, "m.ranks()[]") for value in (one, one, other))
    assert first is not again
    assert (first == again, hash(first) == hash(again), {first: 1}[again]) == (True, True, 1)
    assert first != third


def test_attributes_are_asked_where_the_contract_has_them() -> None:
    found, asked = _arrived(_Plain(), 7, ("data", "get x"))
    assert (found.x, asked) == (7, [("get", "x")])
    with pytest.raises(AttributeError, match="is not asked for 'y'"):
        _ = found.y


CONTRACT = {"m.cards()": ["data"], "m.cards()[]": ["object", "operator lt"], "m.ranks()": ["data"],
            "m.ranks()[]": ["data"], "m.more()": ["data"], "m.more()[]": ["object"]}  # fmt: skip


class _Card:
    def __lt__(self, other: object) -> bool:
        return True


def _given(sides: Any, value: Any, path: str) -> Any:
    candidate, grader = sides
    return Reader(grader, ((path,),)).get(decoded(encoded(Writer(candidate).put(value))[4:]))


@pytest.fixture
def sides() -> Any:
    candidate, grader = pair()
    grader.checkpoint.begin(CONTRACT, False)
    return candidate, grader


@pytest.mark.parametrize("made", [lambda it: [it], lambda it: {"a": it}, lambda it: [(it,)], lambda it: [[it]]])
def test_objects_are_opaque_where_the_reference_gives_data(sides: Any, made: Any) -> None:
    cards = made(_Card())
    first = _given(sides, cards, "m.cards()")
    assert _given(sides, cards, "m.ranks()") is first
    found: Any = first
    while type(found) in (list, tuple, dict):
        found = found["a"] if type(found) is dict else found[0]
    assert type(found) is Opaque
    assert sides[1].put_changes(Writer(sides[1])) == []


def test_they_stay_objects_where_it_gives_objects(sides: Any) -> None:
    cards = [_Card(), 3, ValueError("x")]
    first = _given(sides, cards, "m.cards()")
    before = [*first]
    assert _given(sides, cards, "m.more()") is first
    assert all(one is other for one, other in zip(first, before, strict=True))
    assert type(first[0]) is not Opaque


def test_a_container_that_holds_itself_ends(sides: Any) -> None:
    cards: list[Any] = [_Card()]
    cards.append(cards)
    first = _given(sides, cards, "m.cards()")
    assert _given(sides, cards, "m.ranks()") is first
    assert first[1] is first


@pytest.mark.parametrize(
    "use",
    [lambda thing: thing < 3, lambda thing: thing + 3, lambda thing: thing(), abs, lambda thing: 3 in thing],
    ids=["lt", "add", "call", "abs", "in"],
)
def test_errors_of_python_say_what_it_is(use: Any) -> None:
    found, _ = _arrived(_Plain())
    with pytest.raises(TypeError, match="object of the submission, where the reference gives data"):
        use(found)
