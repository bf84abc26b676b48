"""Trees of two runs are the same if no test can tell them apart by them: numbers count from the test's own start."""

from __future__ import annotations

from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.checkpoint import Checkpoint
from gradebox.graders.languages.python.inside.apart.in_grader.answer_trees import AnswerTrees


def trees(*, given: int = 0, parts: tuple[int, ...] = ()) -> AnswerTrees:
    """Return trees after parts of a test, each with the last number that this side had given by its end."""
    made = AnswerTrees(Checkpoint())
    made.renew(given)
    for number, last in enumerate(parts):
        made.end(f"part {number}", last)
    return made


CART = ["c", -1, [], {"name": "Cart", "methods": ["total"]}]
# Two runs in which this side and the other one gave other numbers before.
SAME: list[tuple[Any, Any]] = [
    (["l", -1, "", 1, "a"], ["l", -7, "", 1, "a"]),
    (["x", -2, "object", CART, {}], ["x", -9, "object", [*CART[:3], {"name": "Cart", "methods": []}], {"doc": "x"}]),
    (["s", -1, "", "a", "b"], ["s", -5, "", "b", "a"]),
    (["t", ["l", 11, "", 1], ["o", 12]], ["t", ["l", 21, "", 1], ["o", 22]]),
    (
        ["x", -1, "function", ["c", -2, [], {"name": "partial"}], {}],
        ["x", -1, "object", ["c", -2, [], {"name": "method"}], {}],
    ),
]
OTHER: list[tuple[Any, Any]] = [
    (["l", -1, "", 1], ["l", -1, "", 2]),
    (["t", ["o", 11], ["o", 12]], ["t", ["o", 22], ["o", 21]]),
    (CART, [*CART[:3], {"name": "Bag"}]),
    (["x", -1, "object", CART, {"data": 1}], ["x", -1, "object", CART, {"data": 2}]),
    (["t", ["l", -1, ""], ["#", -1]], ["t", ["l", -1, ""], ["l", -2, ""]]),
]


@pytest.mark.parametrize(("pairs", "are_same"), [(SAME, True), (OTHER, False)])
def test_numbers_and_descriptions_do_not_count_but_data_and_identity_do(pairs: list[Any], are_same: bool) -> None:
    for one, other in pairs:
        first, second = trees(given=10, parts=(10,)), trees(given=20, parts=(20,))
        assert (first.plain(one) == second.plain(other)) is are_same, one


def test_an_object_of_an_earlier_part_has_the_name_of_that_part() -> None:
    found = trees(given=10, parts=(12, 15))
    assert [found.place(number) for number in (11, 12, 13)] == [[1, ""], [2, ""], [1, found.starts[1][1]]]


@pytest.mark.parametrize(("texts", "are_same"), [(("no cart", "no cart"), True), (("no cart", "none"), False)])
def test_texts_of_exceptions_count_by_themselves(texts: tuple[str, str], are_same: bool) -> None:
    found, hashes = [], []
    for text in texts:
        each = trees()
        found.append(each.plain(["e", -1, ["k", "ValueError"], ["t", text, 7], {"text": f"line 1: {text}"}]))
        hashes.append(each.texts.hexdigest())
    assert found[0] == found[1]
    assert (hashes[0] == hashes[1]) is are_same


def test_what_no_test_learns_gets_no_place() -> None:
    found = trees()
    found.is_told = False
    assert found.plain(["l", -4, "", 1]) == ["l", -4, "", 1]
    found.is_told = True
    assert found.plain(["l", -5, "", 1]) == ["l", [-1, ""], "", 1]


def test_another_process_of_the_candidate_has_other_objects() -> None:
    found = trees()
    found.plain(["l", -1, ""])
    found.end("part", 0)
    found.renew(0)
    assert found.place(-1) == [-1, found.part]
