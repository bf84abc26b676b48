"""Values of the library arrive as they were; others of their names do not."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import fractions
import math
import pathlib
import uuid
from typing import Any

import pytest
from apart_bench import sent

from gradebox.graders.languages.python.inside.apart.values import DefaultValue, made_value, value_parts
from gradebox.graders.languages.python.inside.apart.wire import Malformed


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


class Decimal(decimal.Decimal):
    """A class of the submission."""


@pytest.mark.parametrize(
    "value",
    [Decimal(1), 1, "text", object(), memoryview(bytearray(b"a")), [1]],
    ids=["derived", "int", "str", "object", "changing", "list"],
)
def test_what_is_not_a_value_of_the_library_has_no_name(value: Any) -> None:
    assert value_parts(value) == ("", ())


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("os.system", ["ls"]), ("datetime.date", [1, 2]), ("datetime.date", ["1", 2, 3]), ("uuid.UUID", [1.0]),
        ("dict_items", [1]),
    ],
)  # fmt: skip
def test_other_parts_make_nothing(name: str, parts: list[Any]) -> None:
    with pytest.raises(Malformed):
        made_value(name, parts)


def test_each_value_is_new_and_data() -> None:
    make = DefaultValue([[1], {"a": {2}}])
    assert make() == [[1], {"a": {2}}]
    assert make()[0] is not make()[0]
    with pytest.raises(TypeError, match="is not data"):
        DefaultValue([object()])
