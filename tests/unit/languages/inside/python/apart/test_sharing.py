"""A container that both sides hold is one container, whoever changes it."""

from __future__ import annotations

from typing import Any

import pytest
from apart_bench import pair, sent

from graders.languages.inside.python.apart.codec import Malformed, Reader, Writer


def test_aliases_and_cycles_arrive() -> None:
    inner: list[Any] = [1]
    outer: list[Any] = [inner, inner]
    outer.append(outer)
    found = sent(outer)
    assert found[0] is found[1]
    assert found[2] is found


def test_a_change_travels_with_the_next_message() -> None:
    sides = pair()
    value: dict[str, Any] = {"a": [1]}
    found = sent(value, sides)
    value["a"].append(2)
    value["b"] = 3
    writer = Writer(sides[0])
    sides[0].write_changes(writer)
    sides[1].read_changes(Reader(sides[1], bytes(writer.message()[4:])))
    assert found == {"a": [1, 2], "b": 3}


def test_a_container_that_nothing_holds_is_forgotten() -> None:
    sides = pair()
    found = sent([1], sides)
    assert sides[1].unused() == []
    del found
    assert len(sides[1].unused()) == 1


def test_a_list_does_not_become_a_mapping() -> None:
    _, grader = pair()
    found = Reader(grader, b"l" + bytes(7) + b"\1" + bytes(4)).get()
    with pytest.raises(Malformed, match="become another"):
        grader.read_changes(Reader(grader, b"i\0\0\0\1\1" + b"d" + bytes(7) + b"\1" + bytes(4)))
    assert found == []
