"""What is no data is sent as an object of its side; what the candidate sends means nothing more."""

from __future__ import annotations

import decimal
import gc

import pytest
from apart_bench import pair, sent

from gradebox.graders.languages.python.inside.apart.codec import Reader
from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.languages.python.inside.apart.wire import Malformed


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
