"""Letters between a text and a value."""

from __future__ import annotations

import pytest
from evidence_bench import text_is_judged
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.checks.text.levenshtein import Levenshtein, is_within


@pytest.mark.parametrize(
    ("text", "most", "met"),
    [
        ("kitten", 0, True),
        (" kitten\n", 0, True),
        ("sitting", 3, True),
        ("sitting", 2, False),
        ("", 6, True),
        ("", 5, False),
        ("kittens, kittens", 5, False),
    ],
)
def test_so_many_letters_may_differ(text: str, most: int, *, met: bool) -> None:
    text_is_judged(Levenshtein, {"value": "kitten", "threshold": most}, text, met=met)


def _distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        before, row = row, [number]
        for column, second in enumerate(other):
            row.append(min(before[column] + (letter != second), before[column + 1] + 1, row[column] + 1))
    return row[-1]


SHORT = st.text(alphabet="ab", max_size=8)


@given(SHORT, SHORT, st.integers(0, 8))
def test_the_band_finds_what_the_whole_table_finds(one: str, other: str, most: int) -> None:
    assert is_within(one, other, most) == (_distance(one, other) <= most)


@pytest.mark.timeout(60)
def test_a_long_answer_takes_no_time() -> None:
    assert not is_within("a" * 4_000_000, "b" * 100, 5)
