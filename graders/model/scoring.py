"""The arithmetic of scores. Pure: only numbers, no checks, files or engines.

    score = sum(weight * score) / sum(weight)        over the checks that were judged

A check passes if its score reaches the required score. Comparisons allow for EPSILON, so that 0.1 + 0.2 reaches 0.3.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from math import frexp, fsum, ldexp
from typing import NamedTuple

EPSILON = 1e-9
PASS_BAND = 0.8
BORDERLINE_BAND = 0.6


class Band(StrEnum):
    PASS = "pass"  # noqa: S105 - a verdict
    BORDERLINE = "borderline"
    FAIL = "fail"


class Weighed(NamedTuple):
    score: float
    weight: float


def reaches(score: float, wanted: float) -> bool:
    """Return whether a score is at least `wanted`, up to rounding errors."""
    return score >= wanted - EPSILON


def mean(parts: Iterable[Weighed]) -> float | None:
    """Return the weighted mean; None if nothing has a weight."""
    listed = list(parts)
    heaviest = max((part.weight for part in listed), default=0.0)
    if heaviest <= 0:
        return None
    # Only proportions matter. Scaling by a power of two is exact, and keeps the sum from overflowing.
    _, exponent = frexp(heaviest)
    weights = [ldexp(part.weight, -exponent) for part in listed]
    score = fsum(part.score * weight for part, weight in zip(listed, weights, strict=True)) / fsum(weights)
    return min(1.0, max(0.0, score))


def combined(parts: Iterable[Weighed], aggregation: str) -> float | None:
    """Return the weighted mean, or the least (``min``) or greatest (``max``) score; None if nothing has a weight."""
    listed = list(parts)
    score = mean(listed)
    if score is None or aggregation not in ("min", "max"):
        return score
    scores = [part.score for part in listed if part.weight]
    return min(scores) if aggregation == "min" else max(scores)


def negated(score: float, *, negate: bool) -> float:
    return 1.0 - score if negate else score


def band(score: float) -> Band:
    if reaches(score, PASS_BAND):
        return Band.PASS
    return Band.BORDERLINE if reaches(score, BORDERLINE_BAND) else Band.FAIL
