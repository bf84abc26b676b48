"""What the candidate's process sends is an answer, and never more: data, in whatever language it is written."""

from __future__ import annotations

import json
import math
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from golden_boundary import MALFORMED, VALUES, text_of
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks.calls.call_replies import CallReply, NoData, missing_program, replies, value_of
from gradebox.graders.checks.calls.data_values import DataObject, decoded, is_same
from gradebox.graders.documents import strict_json
from gradebox.graders.languages.python.inside.apart.wire import Malformed


def test_the_first_reply_to_a_call_counts_whoever_wrote_it() -> None:
    report = b'["=",1,["l",-1,"",1]]\n["=",1,2]\n\n1 ended the process\n0 took too long\n'
    assert replies(report, 2, "python") == {1: CallReply([1]), 0: CallReply(problem="took too long")}


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_an_error_of_javascript_has_one_class_of_those_that_exclude_each_other(language: str) -> None:
    report = b'["!",0,["Own","TypeError","RangeError","Other","TypeError","Error"],""]'
    assert replies(report, 1, language)[0].raised == ("Own", "TypeError", "Other", "TypeError", "Error")
    assert replies(report, 1, "python")[0].raised == ("Own", "TypeError", "RangeError", "Other", "TypeError", "Error")


@pytest.mark.parametrize("name", ["Europe", "x" * 300])
def test_the_name_of_no_time_zone_is_no_answer(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python looks for it below the package `tzdata`, where it may be a directory, or too long for a file."""
    (tmp_path / "tzdata/zoneinfo/Europe").mkdir(parents=True)
    for package in ("tzdata", "tzdata/zoneinfo"):
        (tmp_path / package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("tzdata", "tzdata.zoneinfo"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    zone = f'["=",0,["v","zoneinfo.ZoneInfo","{name}"]]'.encode()
    assert replies(zone, 1, "python")[0].problem.startswith("returned something that cannot be read: ")


def test_what_was_raised_has_names_and_a_text() -> None:
    report = b'["!",0,["KeyError","LookupError"],"k"]\n'
    assert replies(report, 1, "python") == {0: CallReply(raised=("KeyError", "LookupError"), message="k")}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (["=", 0, ["x", -1, "object", "A", {}]], "did not return data: a object"),
        (["=", 0, ["o", -1]], "did not return data: an object"),
        (["=", 0, ["k", "hole"]], "did not return data: an object"),
        (["=", 0, ["i", "f" * 4000]], "did not return data: a very long integer"),
        (["=", 0, ["f", "1"]], "returned something that cannot be read: it is none"),
        (["=", 0, {"a": 1}], "returned something that cannot be read: it is not a value"),
        (["=", 0, [[]]], "returned something that cannot be read: it is not a value"),
        (["!", 0, [1], "m"], "sent a reply that cannot be read"),
        (["!", 0, [], "m"], "sent a reply that cannot be read"),
        (["=", 0, 1, 2], "sent a reply that cannot be read"),
    ],
)
def test_why_there_is_no_value(said: list[Any], problem: str) -> None:
    (reply,) = replies(json.dumps(said, separators=(",", ":")).encode(), 1, "python").values()
    assert reply.problem.startswith(problem)
    assert not reply.raised


@pytest.mark.parametrize("value", [b"NaN", b"[" * 200_000, b'"\xff"', b"1e999", b"", b"[[]"])
def test_a_value_that_is_no_json_cannot_be_read(value: bytes) -> None:
    (reply,) = replies(b'["=",0,' + value + b"]\n", 1, "python").values()
    assert reply.problem.startswith("returned something that cannot be read")


@pytest.mark.parametrize(
    "line",
    [
        b'["=",2,1]', b'["=",-1,1]', b'["=",true,1]', b'["=","0",1]', b'["?",0,1]', b"[0]", b'{"call":0}', b"0",
        b"99999999999999999999 x", b'["=",0000000000,1]',
    ],
)  # fmt: skip
def test_other_lines_mean_nothing(line: bytes) -> None:
    assert replies(line + b"\n", 2, "python") == {}


def test_a_program_that_the_image_lacks_is_named() -> None:
    assert missing_program(b"missing python3\n") == "python3"
    assert missing_program(b'["=",0,"missing"]\n') == ""


# What no process of a language sends, and what means nothing else here: keys may be anything, as in JavaScript, and
# nothing names a container by its number.
READ_ALL_THE_SAME = {
    "a list as a key", "a list in a set", "a list in a key", "a mapping in a frozen set",
    "two lists with one number", "a set and a mapping with one number", "a number twice",
    "a complex number of two types",
}  # fmt: skip
# No author can write these, but parts of times are made of some, and the others are as harmless.
BEYOND = {"datetime.timedelta", "datetime.timezone", "zoneinfo.ZoneInfo", "slice", "uuid.UUID", "Rational", "Complex"}
# Calls of Julia write these otherwise, and read them all the same.
OF_ITEMS = {
    "the first integer that JSON does not say", "the least integer of 64 bits", "bytes", "no bytes", "an empty list",
    "a list", "a dict", "a set", "a stream",
}  # fmt: skip


def _shown(value: Any) -> Any:
    return (type(value), sorted(map(repr, value)) if isinstance(value, set) else repr(value))


def _each(vectors: list[dict[str, Any]], about: str) -> list[Any]:
    return [
        pytest.param(each, language, id=f"{language}-{each[about]}")
        for each in vectors
        for language in each["languages"]
    ]


@pytest.mark.parametrize(("vector", "language"), _each(VALUES, "is"))
def test_golden_values_are_the_data_that_an_author_writes(vector: dict[str, Any], language: str) -> None:
    tree = json.loads(text_of(vector))
    if "call" in vector:
        found, wanted = value_of(tree, language), decoded(vector["call"])
        assert is_same(found, wanted) or _shown(found) == _shown(wanted)
    elif not ((tree[0] == "v" and tree[1] in BEYOND) or (language == "julia" and vector["is"] in OF_ITEMS)):
        with pytest.raises((NoData, Malformed)):
            value_of(tree, language)


# What is too large is so before anything of a language is read: one takes seconds.
_SMALL = [each for each in MALFORMED if len(text_of(each)) < 1_000_000]
_LARGE = [{**each, "languages": each["languages"][:1]} for each in MALFORMED if each not in _SMALL]


@pytest.mark.parametrize(("vector", "language"), _each([*_SMALL, *_LARGE], "why"))
def test_golden_malformed_trees_mean_nothing(vector: dict[str, Any], language: str) -> None:
    if vector["why"] in READ_ALL_THE_SAME:
        value_of(json.loads(text_of(vector)), language)
        return
    with pytest.raises((NoData, Malformed, ValueError)):
        value_of(strict_json.loads(text_of(vector).decode()), language)


@pytest.mark.parametrize(
    ("tree", "language", "value"),
    [
        (["r", -1, "", "a", ["k", "undefined"]], "typescript", {"a": None}),
        (18014398509481986, "javascript", 18014398509481986),
        (["l", -1, "", "b", ["k", "keys"], "index", 1], "javascript", ["b"]),
        (["v", "Rational", 1, 2], "julia", 0.5),
        (["v", "Complex", 1.0, ["f", "inf"]], "julia", complex(1, math.inf)),
        (["i", "7f"], "julia", 127),
        (["O", "P", "x", ["l", -1, "", 1]], "python", DataObject("P", {"x": [1]})),
        (
            ["v", "datetime.datetime", 2024, 7, 1, 12, 0, 0, 0, ["v", "zoneinfo.ZoneInfo", "Europe/Berlin"], 0],
            "python", datetime(2024, 7, 1, 10, tzinfo=UTC),
        ),
    ],
)  # fmt: skip
def test_every_language_has_its_own_data(tree: Any, language: str, value: Any) -> None:
    assert is_same(value_of(tree, language), value)


@pytest.mark.parametrize("tree", [["O"], ["O", 1], ["O", "P", "x"], ["O", "P", 1, 2], ["O", "P", ["l", -1, ""], 2]])
def test_an_object_has_a_class_and_named_fields(tree: Any) -> None:
    with pytest.raises((NoData, Malformed)):
        value_of(tree, "python")


@pytest.mark.parametrize(
    "tree",
    [
        ["t", *([["v", "range", 0, 100_000, 1]] * 100)],
        ["v", "range", 0, 1 << 52, 1],
        ["s", -1, "", *([["i", format(number * ((1 << 61) - 1), "x")] for number in range(200)])],
        ["z", *([["i", format(number * ((1 << 61) - 1), "x")] for number in range(200)])],
        ["d", -1, "", *([["i", format(number * ((1 << 61) - 1) // 2, "x")] for number in range(0, 800, 2)])],
        ["v", "dict_keys", *range(10)],
    ],
    ids=["ranges", "range", "set", "frozen set", "mapping", "keys"],
)
@pytest.mark.timeout(60)
def test_what_would_grow_or_take_for_ever_is_refused(tree: Any) -> None:
    with pytest.raises((NoData, Malformed)):
        value_of(tree, "python")


_TREE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([-1, -2, "", "Date"]),
    lambda part: st.lists(
        part | st.sampled_from([*"ifbtzldrsBw#vknxceyoO", "decimal.Decimal", "datetime.time"]), max_size=9
    ),
)


@given(_TREE, st.sampled_from(["python", "javascript", "julia", "bash"]))
def test_any_tree_is_a_value_or_none(tree: Any, language: str) -> None:
    try:
        value = value_of(tree, language)
    except (NoData, Malformed):
        return
    assert _shown(value) == _shown(value_of(tree, language))


_LINES = st.lists(st.binary()).map(lambda parts: b"".join(b'["=",0,' + part + b"]\n" for part in parts))


@given(st.binary() | _LINES)
def test_any_bytes_are_replies_or_nothing(report: bytes) -> None:
    assert set(replies(report, 1, "python")) <= {0}


@pytest.mark.parametrize(
    ("tree", "wanted", "other"),
    [
        (["O", "P", "x", 1, "_y", 2, ".z", 3], {"x": 1, "z": 3}, {"x": 1, "a": 3}),
        (["O", "P", ".", ["t", 1], "..", ["t", "x"], ".y", 2], {"x": 1, "y": 2}, {"x": 2}),
    ],
)
def test_only_the_fields_that_an_author_names_are_compared(tree: Any, wanted: Any, other: Any) -> None:
    found = value_of(tree, "python")
    assert is_same(found, DataObject("P", wanted))
    assert not is_same(found, DataObject("P", other))
    assert not is_same(found, DataObject("Q", wanted))


def test_a_named_tuple_is_a_tuple_and_an_object() -> None:
    found = value_of(["l", -1, "", ["O", "P", ".", ["t", 1], "..", ["t", "x"]]], "python")
    assert is_same(found, [(1,)])
    assert is_same(found, [DataObject("P", {"x": 1})])
    assert not is_same(found, [(2,)])
    assert repr(found) == "[(1,)]"
    assert is_same(value_of(["s", -1, "", ["O", "P", ".", ["t", 1], "..", ["t", "x"]]], "python"), {(1,)})
    assert is_same(value_of(["O", "P", ".", ["t", 1], "..", ["t"]], "python"), DataObject("P", {}))
