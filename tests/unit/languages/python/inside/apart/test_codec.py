"""Values arrive as they were sent, and whatever else arrives is refused within limits."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import fractions
import functools
import json
import math
import pathlib
import uuid
import zoneinfo
from typing import Any

import pytest
from apart_bench import pair, sent
from golden_boundary import MALFORMED, VALUES, same_trees, text_of
from hypothesis import given, settings
from hypothesis import strategies as st

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.wire import Malformed, decoded, encoded

_LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()) | st.binary()
    | st.just(...) | st.complex_numbers(allow_nan=False) | st.decimals(allow_nan=False) | st.fractions()
    | st.dates() | st.times() | st.datetimes() | st.timedeltas() | st.uuids()
)  # fmt: skip
_VALUES = st.recursive(
    _LEAVES,
    lambda part: st.lists(part) | st.tuples(part, part) | st.dictionaries(st.text() | st.integers(), part),
    max_leaves=20,
)
_MODULES = {
    "collections": collections, "datetime": dt, "decimal": decimal, "fractions": fractions, "functools": functools,
    "pathlib": pathlib, "uuid": uuid, "zoneinfo": zoneinfo,
}  # fmt: skip
_GOLDEN = [vector for vector in VALUES if "python" in vector["languages"]]
_BROKEN = [vector for vector in MALFORMED if "python" in vector["languages"]]


@given(_VALUES)
@settings(deadline=None)
def test_a_value_arrives_as_it_was(value: Any) -> None:
    found = sent(value)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("vector", _GOLDEN, ids=lambda vector: vector["is"])
def test_golden_values_are_written_and_read(vector: dict[str, Any]) -> None:
    value = eval(vector["python"], dict(_MODULES))
    assert same_trees(json.loads(encoded(Writer(pair()[0]).put(value))[4:]), vector["tree"])
    found = Reader(pair()[1]).get(decoded(text_of(vector)))
    assert type(found) is type(value)
    assert same_trees(Writer(pair()[0]).put(found), vector["tree"])


@pytest.mark.parametrize("vector", _BROKEN, ids=lambda vector: vector["why"])
def test_golden_values_that_are_none_are_refused(vector: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        Reader(pair()[1]).get(decoded(text_of(vector)))


def test_what_is_no_number_stays_so() -> None:
    assert math.isnan(sent(math.nan))


def test_a_value_that_is_too_deep_is_not_sent() -> None:
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(ValueError, match="deep or large"):
        sent(deep)


def test_a_value_that_is_too_large_is_not_sent() -> None:
    with pytest.raises(ValueError, match="64 MiB"):
        sent(bytes(50 << 20))


@pytest.mark.parametrize("place", [2, 3])
@pytest.mark.parametrize("tree", [["v", "range", 0, ["i", "4" + "0" * 20], 1], "text", ["l", 1, "list"], None])
def test_a_call_has_two_tuples_of_arguments(place: int, tree: Any) -> None:
    content: list[Any] = ["call", 1, ["t"], ["t"]]
    assert Reader(pair()[1]).request(content) == ["call", 1, (), ()]
    content[place] = tree
    with pytest.raises(Malformed, match="tuples"):
        Reader(pair()[1]).request(content)
