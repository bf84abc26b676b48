"""What a test lends stays as it is where the reference changes nothing; the submission's changes go to copies."""

from __future__ import annotations

import io
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


@pytest.mark.parametrize("named", [False, True])
def test_what_the_reference_changes_in_one_argument_says_nothing_about_others(named: bool) -> None:
    one, other, inner = [2, 1], [2, 1], {"a": 1}
    candidate, grader = pair()
    grader.checkpoint.begin({"f()": ["data"], "f()<2" if not named else "f()<3": ["change"]}, record=False)
    args, flat = ((one,), ("out", [other, inner])) if named else ((one, [other, inner]), ())
    tree = Writer(grader, PATH).request(["call", 0, args, flat])
    there = Reader(candidate).get(["t", *tree[2][1:], *tree[3][1:]])
    for each in (there[0], there[-1][0], there[-1][1]):
        each.clear()
    returned(candidate, grader, 0)
    assert (one, other, inner) == ([2, 1], [], {})


def test_the_argument_that_the_reference_changes_is_recorded() -> None:
    candidate, grader = pair()
    grader.checkpoint.begin(None, record=True)
    tree = Writer(grader, PATH).request(["method", 0, "f", ([1], [2]), ()])
    Reader(candidate).get(tree[3])[1].append(3)
    returned(candidate, grader, 0)
    assert grader.checkpoint.noted["f()<2"] == {"change"}
    assert "change" not in grader.checkpoint.noted.get("f()", ())


@pytest.mark.parametrize(("running", "is_changed"), [("f()", True), ("g()", False), ("h()", True)])
def test_what_one_call_changes_another_to_which_it_is_passed_may_not(running: str, is_changed: bool) -> None:
    value = [1]
    candidate, grader = pair()
    grader.checkpoint.begin({"f()<1": ["change"]}, record=False)
    for path in ("f()", "g()"):
        there = Reader(candidate).get(Writer(grader, ((path,),)).request(["call", 0, (value,), ()])[2])[0]
    grader.waiting.append([1, ((running,),), "call"])
    there.clear()
    returned(candidate, grader, 0)
    assert value == ([] if is_changed else [1])


@pytest.mark.parametrize("make", [lambda: io.StringIO("abc"), lambda: io.BytesIO(b"abc")])
@pytest.mark.parametrize(
    ("name", "place", "args", "is_kept"),
    [
        ("truncate", 3, (0,), False),
        ("truncate", 0, (), False),
        ("write", 1, None, False),
        ("writelines", 1, None, False),
        ("write", 3, None, True),
        ("read", 0, (), True),
        ("truncate", 3, (), True),
    ],
)
def test_what_a_stream_holds_stays_unless_the_reference_removes_it(
    make: Any, name: str, place: int, args: Any, is_kept: bool
) -> None:
    for words in ({"f()": ["data"]}, {"f()": ["data", "change"]}, None):
        stream = make()
        _, grader = pair()
        grader.checkpoint.begin(words, record=False)
        Writer(grader, PATH).put(stream)
        stream.seek(place)
        parts = (type(stream.getvalue())(),) if args is None else args
        is_refused = not is_kept and words == {"f()": ["data"]}
        if is_refused:
            with pytest.raises(TypeError, match="overwrites a stream"):
                grader.check_written(getattr(stream, name), parts)
        else:
            grader.check_written(getattr(stream, name), parts)
        assert (stream.tell(), grader.checkpoint.refused is not None) == (place, is_refused)
