"""A container that both sides hold is one container, whoever changes it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.wire import Malformed


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
    sides[1].read_changes(sides[0].put_changes(Writer(sides[0])))
    assert found == {"a": [1, 2], "b": 3}


def test_a_container_that_nothing_holds_is_forgotten() -> None:
    sides = pair()
    found = sent([1], sides)
    assert sides[1].unused() == []
    del found
    assert len(sides[1].unused()) == 1


def test_a_list_does_not_become_a_mapping() -> None:
    _, grader = pair()
    found = Reader(grader).get(["l", -1, ""])
    for tree in (["d", -1, ""], ["l", -1, "deque", None], ["l", -2, ""], ["l", "-1", ""], 5):
        with pytest.raises(Malformed):
            grader.read_changes([tree])
    assert found == []


def test_a_key_that_a_test_looks_up_is_not_told() -> None:
    candidate, grader = pair()
    told: defaultdict[str, int] = defaultdict(int, {"a": 1})
    found = sent(told, (candidate, grader))
    assert found["secret"] == 0
    del found["a"]
    candidate.read_changes(grader.put_changes(Writer(grader)))
    assert told == {}
    found["a"] = 5
    assert grader.put_changes(Writer(grader)) == []


def test_a_key_that_a_submission_adds_to_a_mapping_of_the_tests_is_told() -> None:
    candidate, grader = pair()
    own: defaultdict[str, int] = defaultdict(int)
    lent = sent(own, (grader, candidate))
    lent["a"] += 1
    grader.read_changes(candidate.put_changes(Writer(candidate)))
    assert own == {"a": 1}
