"""What is in a container arrives at each place at which the container comes."""

from __future__ import annotations

from typing import Any

import pytest
from apart_bench import pair

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.in_grader.opaque import Opaque
from gradebox.graders.languages.python.inside.apart.wire import decoded, encoded

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
