"""Values that are written as data, and when two of them are the same."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks.calls.data_values import DataObject, as_moments, decoded, is_same, nearness


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ({"$tuple": [1, [2]]}, (1, [2])),
        ({"$set": [1, [2]]}, {1, (2,)}),
        ({"$dict": [[1, "a"], [{"$tuple": [1]}, None]]}, {1: "a", (1,): None}),
        ({"$int": "12345678901234567890"}, 12345678901234567890),
        ({"$float": "-inf"}, -math.inf),
        ({"$bytes": "00ff"}, b"\0\xff"),
        ({"$decimal": "1.10"}, Decimal("1.10")),
        ({"$fraction": "1/3"}, Fraction(1, 3)),
        ({"$complex": [1, {"$float": "inf"}]}, complex(1, math.inf)),
        ({"$date": "2024-01-31"}, date(2024, 1, 31)),
        ({"$time": "10:30"}, time(10, 30)),
        ({"$datetime": "2024-01-31T10:30"}, datetime(2024, 1, 31, 10, 30)),  # noqa: DTZ001 - of no zone
        ({"$object": ["P", {"x": {"$tuple": []}}]}, DataObject("P", {"x": ()})),
        ({"$object": ["Shop.P", {}]}, DataObject("P", {})),
        ({"a": {"$set": []}, "b": 1}, {"a": set(), "b": 1}),
        ({"$a": 1, "b": 2}, {"$a": 1, "b": 2}),
    ],
)
def test_what_yaml_lacks_is_a_mapping_with_one_key(data: Any, value: Any) -> None:
    found = decoded(data)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"$tupel": []}, "`\\$tupel` is not a kind of value"),
        ({"$bytes": "0"}, "`\\$bytes` cannot hold"),
        ({"$int": 3}, "`\\$int` cannot hold"),
        ({"$int": "9" * 5000}, "`\\$int` cannot hold"),
        ({"$set": 3}, "`\\$set` cannot hold"),
        ({"$dict": [[1]]}, "`\\$dict` cannot hold"),
        ({"$object": ["P"]}, "`\\$object` cannot hold"),
        ({"$fraction": "1e999999999"}, "`\\$fraction` cannot hold"),
        ({"$fraction": "1/0"}, "`\\$fraction` cannot hold"),
        ([{"$set": [{"$set": 3}]}], "`\\$set` cannot hold"),
        ({"$set": [number * ((1 << 61) - 1) for number in range(200)]}, "`\\$set` cannot hold"),
        ({"$dict": [[number * ((1 << 61) - 1), 1] for number in range(200)]}, "`\\$dict` cannot hold"),
    ],
)
def test_other_data_has_no_value(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decoded(data)


def test_nesting_has_a_limit() -> None:
    data: Any = 1
    for _ in range(60):
        data = {"$tuple": [data]}
    with pytest.raises(ValueError, match="nested deeper"):
        decoded(data)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (Decimal("1.0"), 1),
        (Fraction(1, 2), 0.5),
        (math.nan, math.nan),
        (Decimal("NaN"), math.nan),
        (1 + 0j, 1),
    ],
)
def test_numbers_are_the_same_by_their_value(one: Any, other: Any) -> None:
    assert is_same(one, other)
    assert is_same([{"a": (one,)}], [{"a": (other,)}])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, 1), (0, False), ([1], (1,)), ("1", 1), (None, 0), ({1}, [1]), ({"a": 1}, {"a": 1, "b": 2}),
        ([1], [1, 2]),
        (DataObject("P", {"x": 1}), DataObject("Q", {"x": 1})), (DataObject("P", {}), ("P", {})), (b"a", "a"),
        (Decimal("sNaN"), 1), (date(2024, 1, 1), "2024-01-01"),
    ],
)  # fmt: skip
def test_other_kinds_are_never_the_same(one: Any, other: Any) -> None:
    assert not is_same(one, other)
    assert not is_same(other, one)


def test_numbers_are_near_within_their_limits_wherever_they_stand() -> None:
    near = nearness(1e-6, 0.0)
    assert is_same([1.0000001, {"a": (2, "x")}], [1, {"a": (2.000001, "x")}], near)
    assert not is_same([1.001], [1], near)
    assert not is_same("1.0", 1, near)
    assert not is_same(True, 1, near)
    assert not is_same(1, math.nan, nearness(1e9, 1e9))
    assert not is_same(10**400, 1.0, near)
    assert not is_same(complex("inf"), 5, near)
    assert is_same(complex("inf"), math.inf, near)


_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda part: st.lists(part) | st.dictionaries(st.text() | st.sampled_from(["$set", "$dict", "$object"]), part),
)


@given(_DATA)
def test_data_has_a_value_that_is_the_same_as_itself_or_is_refused(data: Any) -> None:
    try:
        value = decoded(data)
    except ValueError:
        return
    assert is_same(value, decoded(data))


def test_a_date_is_a_moment_in_utc_wherever_it_is() -> None:
    moment, east = datetime(2024, 1, 31, tzinfo=UTC), datetime(2024, 1, 31, 2, tzinfo=timezone(timedelta(hours=2)))
    value = [date(2024, 1, 31), {"a": (datetime(2024, 1, 31),)}, {east}, DataObject("P", {"x": date(2024, 1, 31)}), "a"]  # noqa: DTZ001 - of no zone
    assert as_moments(value) == [moment, {"a": (moment,)}, {moment}, DataObject("P", {"x": moment}), "a"]
