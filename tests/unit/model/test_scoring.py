"""The arithmetic of scores."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.model import scoring
from gradebox.graders.model.scoring import EPSILON, Band, Weighed

SCORES = st.floats(0, 1)
WEIGHTS = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))
PARTS = st.lists(st.builds(Weighed, SCORES, WEIGHTS), max_size=12)


@given(PARTS)
def test_the_mean_is_that_of_exact_arithmetic(parts: list[Weighed]) -> None:
    total = sum(Fraction(part.weight) for part in parts)
    if not total:
        assert scoring.mean(parts) is None
        return
    exact = sum(Fraction(part.score) * Fraction(part.weight) for part in parts) / total
    assert scoring.mean(parts) == pytest.approx(float(exact), abs=1e-12)


@given(PARTS, st.randoms())
def test_the_order_of_the_parts_never_matters_not_even_in_the_last_digit(parts: list[Weighed], random: object) -> None:
    shuffled = list(parts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert scoring.mean(shuffled) == scoring.mean(parts)


@given(PARTS)
def test_the_mean_lies_between_the_lowest_and_the_highest_score(parts: list[Weighed]) -> None:
    scores = [part.score for part in parts if part.weight]
    found = scoring.mean(parts)
    if found is not None:
        assert 0 <= found <= 1
        assert min(scores) - 1e-12 <= found <= max(scores) + 1e-12


@given(PARTS, SCORES)
def test_what_weighs_nothing_counts_for_nothing(parts: list[Weighed], score: float) -> None:
    assert scoring.mean([*parts, Weighed(score, 0)]) == scoring.mean(parts)


@given(PARTS.filter(lambda parts: scoring.mean(parts) is not None), st.sampled_from([0.25, 2.0, 1024.0]))
def test_only_the_proportion_of_weights_counts(parts: list[Weighed], factor: float) -> None:
    scaled = [Weighed(part.score, part.weight * factor) for part in parts]
    assert scoring.mean(scaled) == pytest.approx(scoring.mean(parts), abs=1e-12)


@given(PARTS)
def test_negating_every_score_negates_the_mean(parts: list[Weighed]) -> None:
    found = scoring.mean(parts)
    turned = scoring.mean([Weighed(scoring.negated(part.score, negate=True), part.weight) for part in parts])
    assert (found is None) == (turned is None)
    if found is not None:
        assert turned == pytest.approx(1 - found, abs=1e-12)


@pytest.mark.parametrize("weight", [5e-324, 1e-300, 1e300, 1.7e308])
def test_no_weight_is_too_small_or_too_large(weight: float) -> None:
    assert scoring.mean([Weighed(1, weight), Weighed(0, weight), Weighed(1, weight), Weighed(0.5, weight)]) == 0.625


def test_the_worked_example_of_the_documentation() -> None:
    assert scoring.mean([Weighed(1, 3), Weighed(0, 2), Weighed(0.75, 1)]) == 0.625


@given(SCORES)
def test_nothing_is_turned_round_unless_that_is_asked_for(score: float) -> None:
    assert scoring.negated(score, negate=False) == score


@pytest.mark.parametrize(
    ("score", "wanted", "enough"),
    [
        (0.8, 0.8, True),
        (0.1 + 0.2, 0.3, True),
        (0.3, 0.1 + 0.2, True),
        (0.8 - EPSILON / 2, 0.8, True),
        (0.8 - 2 * EPSILON, 0.8, False),
        (0.0, 0.0, True),
        (0.0, 1.0, False),
        (1.0, 1.0, True),
    ],
)
def test_reaches_forgives_rounding_and_nothing_more(score: float, wanted: float, *, enough: bool) -> None:
    assert scoring.reaches(score, wanted) is enough


@pytest.mark.parametrize(
    ("score", "band"),
    [
        (1.0, Band.PASS),
        (0.8, Band.PASS),
        (0.8 - 1e-10, Band.PASS),
        (0.79, Band.BORDERLINE),
        (0.6, Band.BORDERLINE),
        (0.59, Band.FAIL),
        (0.0, Band.FAIL),
    ],
)
def test_band(score: float, band: Band) -> None:
    assert scoring.band(score) is band


@given(st.lists(SCORES, min_size=2))
def test_a_higher_score_is_never_in_a_lower_band(scores: list[float]) -> None:
    order = [Band.FAIL, Band.BORDERLINE, Band.PASS]
    bands = [order.index(scoring.band(score)) for score in sorted(scores)]
    assert all(lower <= higher for lower, higher in pairwise(bands))
