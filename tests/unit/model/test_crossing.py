"""What a reference has shown of judging apart, as a value and as JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gradebox.graders.model.crossing import Crossing, Isolation, as_document, folded, of_document

FOUND = Crossing(
    Isolation.APART, {"tests": {"a": frozenset({"data", "call"}), "a()": frozenset()}}, "it passes", "note", "hash"
)


def test_it_is_the_same_after_it_was_json() -> None:
    assert of_document(json.loads(json.dumps(as_document(FOUND)))) == FOUND


def test_its_json_is_always_the_same() -> None:
    other = Crossing(
        FOUND.isolation, {"tests": dict(reversed(FOUND.contracts["tests"].items()))}, *["it passes", "note"]
    )
    assert json.dumps(as_document(FOUND)["contracts"]) == json.dumps(as_document(other)["contracts"])


@pytest.mark.parametrize(
    "change",
    [
        {"isolation": "auto"},
        {"isolation": "none"},
        {"isolation": None},
        {"contracts": None},
        {"contracts": {"a": []}},
        {"contracts": {"a": {"b": "data"}}},
        {"contracts": {"a": {"b": [1]}}},
        {"why": 1},
    ],
    ids=str,
)
def test_what_is_none_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        of_document(as_document(FOUND) | change)


@pytest.mark.parametrize("value", [None, [], "apart"])
def test_no_mapping_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="not a mapping"):
        of_document(value)


DATA, OBJECT, ASKED = "data", "object", "operator contains"


@pytest.mark.parametrize(
    ("recorded", "kept"),
    [
        # Alike: one path, with all words.
        ({"f()[0]": {OBJECT, ASKED}, "f()[1]": {OBJECT}}, {"f()[]": {OBJECT, ASKED}}),
        ({'f()["a"]': {"class"}, "f()[]": {"function"}}, {"f()[]": {"class", "function"}}),
        ({"f()[0]": {DATA}, "f()[1]": {DATA}}, {"f()[]": {DATA}}),
        ({"f()[0]": {DATA, OBJECT}, "f()[1]": {DATA, OBJECT}}, {"f()[]": {DATA, OBJECT}}),
        # Objects beside data: each keeps its own.
        ({'f()["a"]': {OBJECT, ASKED}, 'f()["b"]': {DATA}}, {'f()["a"]': {OBJECT, ASKED}, 'f()["b"]': {DATA}}),
        ({"f()[0]": {DATA, OBJECT}, "f()[1]": {DATA}}, {"f()[0]": {DATA, OBJECT}, "f()[1]": {DATA}}),
        # What goes on from items is taken along.
        (
            {"f()[0]": {OBJECT}, "f()[0].x": {DATA}, "f()[1]": {OBJECT}, "f()[1].y": {OBJECT}},
            {"f()[]": {OBJECT}, "f()[].x": {DATA}, "f()[].y": {OBJECT}},
        ),
        (
            {"f()[0]": {DATA}, "f()[0].x": {DATA}, "f()[1]": {OBJECT}},
            {"f()[0]": {DATA}, "f()[0].x": {DATA}, "f()[1]": {OBJECT}},
        ),
        ({"f()[0]": {DATA}, "f()[0][0]": {OBJECT}, "f()[1]": {DATA}, "f()[1][0]": {OBJECT}}, {"f()[]": {DATA, OBJECT}}),
        # Where nothing came, nothing disagrees.
        ({"f()[0].x": {DATA}, "f()[1]": {OBJECT}}, {"f()[].x": {DATA}, "f()[]": {OBJECT}}),
        # Keys can hold what steps are made of.
        ({'f()["]["]': {OBJECT}, 'f()["\\"[0]"]': {DATA}}, {'f()["]["]': {OBJECT}, 'f()["\\"[0]"]': {DATA}}),
        ({"m.f()+sub": {OBJECT}, "m.f()+truediv": {DATA}}, {"m.f()+sub": {OBJECT}, "m.f()+truediv": {DATA}}),
    ],
)
def test_items_have_one_path_unless_objects_came_beside_data(
    recorded: dict[str, set[str]], kept: dict[str, set[str]]
) -> None:
    found = folded({path: frozenset(words) for path, words in recorded.items()})
    assert found == kept
    assert folded(found) == kept
