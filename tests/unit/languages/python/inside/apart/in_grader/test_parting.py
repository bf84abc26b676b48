"""What a test lends stays as it is where the reference changes nothing; the submission's changes go to copies."""

from __future__ import annotations

from typing import Any

import pytest
from apart_bench import pair

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer

PATH = (("f()",),)


def lent(value: Any, words: Any) -> tuple[Any, Any, Any]:
    """Return both sides, and what the candidate has of a value that a test lent."""
    candidate, grader = pair()
    grader.checkpoint.begin(words, record=False)
    return candidate, grader, Reader(candidate).get(Writer(grader, PATH).put(value))


def returned(candidate: Any, grader: Any, value: Any) -> Any:
    """Return what the grader gets as an answer with all changes."""
    writer = Writer(candidate)
    changes, tree = candidate.put_changes(writer), writer.put(value)
    grader.read_changes(changes)
    return Reader(grader, PATH).get(tree)


@pytest.mark.parametrize("words", [{"f()": ["data"]}, {"f()": ["data", "change"]}, None])
def test_a_change_reaches_what_the_test_holds_only_as_with_the_reference(words: Any) -> None:
    value = [2, 1]
    candidate, grader, there = lent(value, words)
    there.sort()
    assert returned(candidate, grader, there) == [1, 2]
    assert value == ([2, 1] if words == {"f()": ["data"]} else [1, 2])


def test_copies_take_the_place_of_what_is_changed_inside() -> None:
    row = {"a": 1}
    rows = [(row, 1), [row]]
    candidate, grader, there = lent(rows, {"f()": ["data"]})
    there[0][0]["b"] = 2
    found = returned(candidate, grader, there)
    assert rows == [({"a": 1}, 1), [{"a": 1}]]
    assert found == [({"a": 1, "b": 2}, 1), [{"a": 1, "b": 2}]]
    assert found[0][0] is found[1][0]
    there[0][0]["c"] = 3
    assert returned(candidate, grader, there) is found
    assert found[1][0] == {"a": 1, "b": 2, "c": 3}
    assert grader.put_changes(Writer(grader)) == []


def test_what_the_submission_gave_has_the_copy() -> None:
    row = {"a": 1}
    candidate, grader, there = lent(row, {"f()": ["data"]})
    found = returned(candidate, grader, {"row": there})
    assert found["row"] is row
    there["a"] = 2
    assert returned(candidate, grader, 0) == 0
    assert (row, found) == ({"a": 1}, {"row": {"a": 2}})
