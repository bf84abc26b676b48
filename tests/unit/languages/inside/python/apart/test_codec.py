"""Values arrive as they were sent, and whatever else arrives is refused within limits."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import fractions
import math
import os
import pathlib
import uuid
from typing import Any

import pytest
from apart_bench import pair, sent
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.languages.inside.python.apart.codec import Malformed, Reader

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


@given(_VALUES)
@settings(deadline=None)
def test_a_value_arrives_as_it_was(value: Any) -> None:
    found = sent(value)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "value",
    [
        "half a pair \udc80", 10**4000, -(10**50), -0.0, math.inf, bytearray(b"ab"), {1, 2}, frozenset({1}),
        range(1, 9, 2), slice(1, None), collections.deque([1, 2], 5), collections.OrderedDict(b=1, a=2),
        collections.Counter("aab"), collections.defaultdict(list, {1: [2]}), dt.UTC,
        dt.datetime(2024, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2))), pathlib.Path("/a/b"),
        decimal.Decimal("1.10"), fractions.Fraction(1, 3), uuid.UUID(int=7), int, ValueError, NotImplemented,
    ],

)  # fmt: skip
def test_types_of_the_library_arrive(value: Any) -> None:
    found = sent(value)
    assert found == value
    assert type(found) is type(value)
    assert list(found) == list(value) if isinstance(value, dict) else True


def test_what_is_no_number_stays_so() -> None:
    assert math.isnan(sent(math.nan))


def test_views_of_a_mapping_arrive() -> None:
    assert sent({"a": 1}.keys()) == {"a"}
    assert list(sent({"a": 1}.values())) == [1]
    assert sent({"a": 1}.items()) == {("a", 1)}


def test_what_is_too_deep_or_large_is_not_sent() -> None:
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    with pytest.raises(ValueError, match="deep or large"):
        sent(deep)
    with pytest.raises(ValueError, match="64 MiB"):
        sent(b"x" * (65 << 20))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "too early"),
        (b"l\0\0\0\0\0\0\0\1\xff\xff\xff\xff", "fewer parts"),
        (b"s\0\0\0\1\xff", "UTF-8"),
        (b"v\0\0\0\7os.exitt\0\0\0\0", "names no value"),
        (b"v\0\0\0\x0fdecimal.Decimalt\0\0\0\1s\0\0\0\1x", "no decimal.Decimal"),
        (b"r\0\0\0\0\0\0\0\x09", "not sent"),
        (b"y\0\0\0\0\0\0\0\x09", "not sent"),
        (b"e\0\0\0\0\0\0\0\1\0\0\0\1l\0\0\0\0\0\0\0\2\0\0\0\0", "unhashable"),
        (b"gt\0\0\0\1i\0\0\0\1\1", "no name"),
        (b"?", "unknown tag"),
    ],
)
def test_what_cannot_be_read_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        Reader(pair()[1], data).get()


def test_a_flood_of_nested_lists_is_refused() -> None:
    with pytest.raises(Malformed, match="deep"):
        Reader(pair()[1], b"t\0\0\0\1" * 1000 + b"N").get()


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        Reader(pair()[1], data).get()
    except Malformed:
        assert os.getpid()
