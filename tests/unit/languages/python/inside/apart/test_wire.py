"""Messages are texts of JSON within limits, and whatever else arrives is refused."""

from __future__ import annotations

import os
from typing import Any

import pytest
from apart_bench import pair
from hypothesis import given, settings
from hypothesis import strategies as st

from gradebox.graders.languages.python.inside.apart.codec import Reader
from gradebox.graders.languages.python.inside.apart.wire import Malformed, decoded, encoded


@pytest.mark.parametrize("tree", [[], ["t", 1, -2, 1.5, None, True], {"a": {"b": "\u20ac\ud800"}}], ids=str)
def test_a_tree_arrives_with_its_length_in_front(tree: Any) -> None:
    data = encoded(tree)
    assert int.from_bytes(data[:4], "big") == len(data) - 4
    assert decoded(data[4:]) == tree


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"NaN", "not JSON"), (b'{"a": 1, "a": 2}', "not JSON"), (b"\xff", "not JSON"), (b"[" * 100_000, "not JSON"),
        (b"", "not JSON"), (b"[] []", "after its end"), (b"[" + b"[]," * 11_000_000 + b"[]]", "too many parts"),
    ],
    ids=["nan", "a key twice", "bytes", "deep", "empty", "two", "parts"],
)  # fmt: skip
def test_anything_else_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(Malformed, match=why):
        decoded(data)


@given(st.binary(max_size=60) | st.text(st.sampled_from('[]{}",:-01tlexko#')).map(str.encode))
@settings(max_examples=1000, deadline=None)
def test_any_bytes_are_a_value_or_refused(data: bytes) -> None:
    try:
        Reader(pair()[1]).get(decoded(data))
    except Malformed:
        return


def test_random_bytes_never_end_in_another_error() -> None:
    for _ in range(2000):
        try:
            Reader(pair()[1]).get(decoded(os.urandom(20)))
        except Malformed:
            continue
