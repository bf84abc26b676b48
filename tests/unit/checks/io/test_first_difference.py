"""The first difference of two texts, and what is shown of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks.io.first_difference import MARK, beginning, differing, excerpt


def test_a_missing_part_and_one_too_many_are_named() -> None:
    assert differing("line", [b"a", b"b"], [b"a"]).reason == "line 2 is missing"
    assert differing("word", [b"a"], [b"a", b"b"]).reason == "word 2 is too much"


def test_an_excerpt_has_what_is_around_the_place() -> None:
    text = b"x" * 100 + b"HERE" + b"y" * 100
    assert excerpt(text, 100) == f"...{'x' * 30}{MARK}HERE{'y' * 56}..."
    assert excerpt(b"abc", 0) == "abc"


@given(st.binary(max_size=400), st.binary(max_size=400))
def test_excerpts_are_short_whatever_is_in_them(one: bytes, other: bytes) -> None:
    found = differing("line", [one], [other])
    assert found.accepted == (one == other)
    assert max(len(found.expected), len(found.actual), len(beginning(one))) < 160
