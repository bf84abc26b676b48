"""The paired permutation test: it agrees with trying every pattern of signs, however many differences there are."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradebox.graders.reports import permutation as module
from gradebox.graders.reports.permutation import permutation

# Scores as cases have them: shares of few parts, two decimals, and scores of a judge.
SCORES = (
    st.sampled_from([0.0, 1.0])
    | st.integers(0, 6).map(lambda part: part / 6)
    | st.integers(0, 100).map(lambda part: part / 100)
    | st.floats(0, 1)
)
DIFFERENCES = st.lists(st.tuples(SCORES, SCORES).map(lambda pair: pair[1] - pair[0]), max_size=9)


def by_force(differences: list[float]) -> float:
    """Return the share of all patterns of signs whose sum is as large."""
    sums = [
        abs(math.fsum(sign * one for sign, one in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(found >= abs(math.fsum(differences)) - 1e-8 for found in sums) / len(sums)


@given(DIFFERENCES)
def test_few_differences_are_counted_out(differences: list[float]) -> None:
    moved = [one for one in differences if round(one / 1e-9)]
    assert permutation(differences) == (pytest.approx(by_force(moved)) if moved else None)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-20, 20).filter(bool), min_size=1, max_size=9), st.sampled_from([1, 3, 8, 20]))
def test_random_patterns_agree_with_every_pattern(numbers: list[int], parts: int) -> None:
    differences = [number / parts for number in numbers]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "COUNTED", 0)
        # Five standard errors of 99,999 draws.
        assert permutation(differences) == pytest.approx(by_force(differences), abs=0.008)


@pytest.mark.parametrize("count", [18, 28])
@pytest.mark.parametrize("dominated", [False, True])
def test_both_ways_agree_on_scores_that_are_no_fractions(count: int, dominated: bool) -> None:
    chance = random.Random(count)
    differences = [chance.uniform(-1, 1.2) for _ in range(count)]
    if dominated:
        # A few cases that turned, and a judge whose scores waver.
        differences = [1.0, 1.0, -1.0, *(one / 1000 for one in differences[3:])]
    exact = permutation(differences)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "COUNTED", 0)
        assert permutation(differences) == pytest.approx(exact, abs=0.008)


def test_many_differences_are_as_the_normal_distribution_has_them() -> None:
    chance = random.Random(1)
    differences = [chance.uniform(-1, 1.02) for _ in range(10_000)]
    deviation = math.sqrt(math.fsum(one * one for one in differences))
    normal = math.erfc(abs(math.fsum(differences)) / deviation / math.sqrt(2))
    assert permutation(differences) == pytest.approx(normal, abs=4 * math.sqrt(normal * (1 - normal) / 9_999))


def test_many_alike_differences_are_a_sign_test() -> None:
    # Twice the tail of a fair coin, from 540 heads of 1,000 on.
    expected = 2 * sum(math.comb(1000, heads) for heads in range(540, 1001)) / 2**1000
    assert permutation([0.5] * 540 + [-0.5] * 460) == pytest.approx(expected, abs=4 * math.sqrt(expected / 99_999))


def test_a_probability_is_never_zero_and_its_limit_depends_on_the_draws() -> None:
    assert permutation([0.1] * 1000) == 1 / 100_000
    assert permutation([0.1] * 20_000) == 1 / 10_000
    assert permutation([0.1, -0.1] * 5000) == 1.0


def test_the_same_differences_always_compare_alike() -> None:
    differences = [random.Random(3).uniform(-1, 1) for _ in range(200)]
    first = permutation(differences)
    random.seed(99)
    assert permutation(differences) == first


def test_the_sign_of_a_difference_of_less_than_the_rounding_does_not_count() -> None:
    # Sums of thirds that are equal but for their rounding.
    assert permutation([1 / 3, 1 / 3, -2 / 3]) == 1.0
    assert permutation([1e-12, -1e-12]) is None
