"""What is not data is sent as an object of its side; what the candidate sends means nothing more."""

from __future__ import annotations

import decimal
import gc
import weakref
from typing import Any

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.in_grader.opaque import Opaque
from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.languages.python.inside.apart.wire import Malformed, decoded, encoded


@pytest.mark.parametrize("name", ["os.system", "exec", "unittest.SkipTest", "_pytest.outcomes.Skipped", "pathlib", ""])
def test_a_name_from_the_candidate_means_nothing_but_known_types(name: str) -> None:
    with pytest.raises(Malformed):
        Reader(pair()[1]).get(["k", name])


def test_the_end_of_a_stand_in_is_passed_on() -> None:
    sides = pair()
    found = sent(iter([]), sides)
    number = next(number for number, entry in sides[0].ours.items() if entry[2] == "iterator")
    del found
    gc.collect()
    assert [*sides[1].released] == [number]
    for number in [*sides[1].released]:
        sides[0].take_away(number)
    assert number not in sides[0].ours


ABOUT = {
    "name": "A", "qualname": "A", "module": "m", "doc": None, "methods": [], "operators": [], "fields": [],
    "equal": "", "data": "",
}  # fmt: skip


@pytest.mark.parametrize(
    "tree",
    [
        ["c", -1, [["k", "int"]], ABOUT],
        ["c", -1, [["k", "fractions.Fraction"]], ABOUT],
        ["c", -1, ["A"], ABOUT],
        ["c", 1, [], ABOUT],
        ["c", -1, [], {**ABOUT, "methods": [1]}],
        ["c", -1, [["k", "ValueError"]], {**ABOUT, "data": "float"}],
        ["x", -2, "object", ["k", "int"], {}],
        ["x", -1, "object", ["c", -1, [], ABOUT], {}],
        ["x", -2, "object", ["c", -1, [], {**ABOUT, "data": "int"}], {"data": "text"}],
        ["e", -2, ["k", "int"], ["t"], {}],
        ["e", -2, ["k", "ValueError"], ["t"], {"text": 5}],
        ["n", ["c", -1, [], {**ABOUT, "fields": ["a"]}], 1, 2],
        ["n", ["c", -1, [], ABOUT], 1],
    ],
    ids=str,
)
def test_descriptions_that_are_none_are_refused(tree: object) -> None:
    with pytest.raises(Malformed):
        Reader(pair()[1]).get(tree)


def test_a_class_of_the_same_name_is_no_value_of_the_library() -> None:
    fake = type("Decimal", (), {"__module__": "decimal"})
    found = sent(fake())
    assert type(found).__name__ == "Decimal"
    assert not isinstance(found, decimal.Decimal)


class _Own:
    x = 1


def test_objects_and_their_classes_stay_where_they_are() -> None:
    thing = _Own()
    found = sent((thing, thing, _Own))
    assert found[0] is found[1]
    assert type(found[0]) is found[2]
    assert link_of(found[0]) is not None
    assert not isinstance(found[0], _Own)


def test_an_exception_of_the_library_is_one_there() -> None:
    found = sent(OSError(2, "missing", "file"))
    assert type(found) is FileNotFoundError
    assert (found.errno, found.filename) == (2, "file")


class _Mean(Exception):
    def __lt__(self, other: object) -> bool:
        return True

    __gt__ = __lt__


def _given(value: Any, words: list[str] | None, sides: Any = None, *, is_raised: bool = False) -> Any:
    candidate, grader = sides or pair()
    grader.checkpoint.begin(words and {"m()": words}, False)
    tree = decoded(encoded(Writer(candidate).put(value))[4:])
    reader = Reader(grader, (("m", "()"),))
    reader.is_raised = is_raised
    return reader.get(tree)


def test_an_exception_is_opaque_where_the_reference_gives_data() -> None:
    sides = pair()
    error = _Mean(1)
    for _ in range(2):
        # The second time it is known.
        found = _given(error, ["data"], sides)
        assert type(found) is Opaque
        with pytest.raises(TypeError):
            _ = found < 2.5
    raised = _given(error, ["data"], sides, is_raised=True)
    assert isinstance(raised, Exception)
    group = type("Group", (ExceptionGroup,), {})("", [ValueError()])
    assert type(_given(group, ["data"])) is Opaque


class _Ten(int):
    pass


def test_the_data_of_an_object_is_what_it_was_when_it_arrived() -> None:
    candidate, grader = pair()
    ten = _Ten(10)
    found = _given(ten, None, (candidate, grader))
    assert found == 10
    tree = Writer(candidate).put([ten])
    number = tree[3][1]
    again = ["x", number, "object", ["o", next(each for each, entry in candidate.ours.items() if entry[0] is _Ten)],
             {"data": 20}]  # fmt: skip
    assert Reader(grader).get(again) is found
    assert found == 10
    assert hash(found) == hash(10)


@pytest.mark.parametrize(("data", "told"), [("int", {}), ("int", {"data": "5"}), ("str", {"data": 5})])
def test_a_number_or_text_comes_with_its_data(data: str, told: dict[str, Any]) -> None:
    _, grader = pair()
    about = {**ABOUT, "data": data, "equal": "data", "operators": ["eq", "hash", "lt"]}
    with pytest.raises(Malformed, match="without the data"):
        Reader(grader).get(["x", -2, "object", ["c", -1, [], about], told])


def test_what_converts_to_bool_is_one_and_itself() -> None:
    class Nil:
        def __bool__(self) -> bool:
            return False

    candidate, grader = pair()
    nil = Nil()
    found = _given(nil, ["data"], (candidate, grader))
    assert not found
    assert found == False  # noqa: E712 - it is compared
    assert found != True  # noqa: E712
    assert Reader(candidate).get(Writer(grader).put(found)) is nil


class _Lent:
    pass


def test_a_stand_in_for_a_lent_object_lasts_as_long_as_that() -> None:
    candidate, grader = pair()
    lent = _Lent()

    def passed(lent: _Lent) -> Any:
        return Reader(candidate).get(decoded(encoded(Writer(grader).put(lent))[4:]))

    first = id(passed(lent))
    (number,) = candidate.kept
    assert candidate.unheld() == [[number]]
    grader.rest(number)
    assert (number in grader.ours, number in grader.resting) == (False, True)
    assert id(passed(lent)) == first
    assert number in grader.ours
    held = passed(lent)
    assert candidate.unheld() == []
    del held
    assert candidate.unheld() == [[number]]
    grader.rest(number)
    ended = weakref.ref(lent)
    del lent
    assert ended() is None
    assert number in grader.released
    candidate.take_away(number)
    assert number in candidate.released


def test_what_rests_is_held_again_when_the_submission_uses_it() -> None:
    candidate, grader = pair()
    lent = _Lent()
    stand_in = Reader(candidate).get(Writer(grader).put(lent))
    (number,) = candidate.kept
    grader.rest(number)
    assert Reader(grader).get(Writer(candidate).put(stand_in)) is lent
    assert number in grader.ours
    candidate.take_away(number)
    with pytest.raises(ReferenceError):
        Writer(candidate).put(stand_in)


def test_what_has_no_weak_references_is_forgotten_on_both_sides() -> None:
    class Slots:
        __slots__ = ()

    candidate, grader = pair()
    lent = Slots()
    Reader(candidate).get(Writer(grader).put(lent))
    (number,) = candidate.kept
    grader.rest(number)
    assert number not in grader.ours
    assert number in grader.released


def test_an_object_that_came_on_many_paths_stays_one() -> None:
    candidate, grader = pair()
    contract = {f"m.f{number}()": ["object", "get x"] for number in range(40)}
    thing = _Own()
    grader.checkpoint.begin(contract, False)
    found = [Reader(grader, (("m", f".f{number}", "()"),)).get(Writer(candidate).put(thing)) for number in range(40)]
    assert len({id(each) for each in found}) == 1
    assert type(found[-1]) is not Opaque
