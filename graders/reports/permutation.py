"""The paired permutation test: how often chance alone, flipping the signs of differences, would move their sum as far.

Few differences are counted out: every sum of one half of them is held against every sum of the other (Horowitz and
Sahni, 1974). Of many, the tail of the distribution is read from its characteristic function, which for signs that are
flipped independently is a product of cosines (Gil-Pelaez, 1951). It is summed at points so close that what is folded in
from beyond has a probability of 1e-15 (Davies, Biometrika 60, 1973; Hoeffding's bound of 1963 says where that is).
Scores are fractions, so that their sums lie on a lattice; then this is a discrete Fourier transform, exact but for
rounding. Nothing is drawn at random: the same two runs always compare alike. Pure.

Source of the test: R. A. Fisher, The Design of Experiments, 1935; E. J. G. Pitman, 1937.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil, cos, exp, gcd, lcm, pi, sin, sqrt

# Of many differences, a probability below this is not told apart from it: the sum is not carried on for its sake.
SMALLEST = 1e-6
# Differences that are less than this are the same but for rounding.
_EPSILON = 1e-9
_COUNTED = 30
# Scores are means of few parts: where every difference is a fraction with small a denominator, sums are exact.
_DENOMINATOR = 1000
_LATTICE = 10**6
_FINE = 10**9
# So many standard deviations away lies less than 1e-15, by Hoeffding: 2 exp(-8.5**2 / 2).
_FAR = 8.5
# Below this angle, the logarithm of a cosine is its series; a product of less than e**-40 is nothing.
_SMALL = 0.25
_VANISHED = 40.0
_NOTHING = 1e-18
_COSINES = 1_000_000


def permutation(differences: Sequence[float]) -> float | None:
    """Return the two-sided probability of so large a sum if signs were chance; None without a difference.

    Args:
        differences: One for each thing that was compared, independent of each other, within [-1e6, 1e6].
    """
    steps, slack = _on_lattice([one for one in differences if abs(one) > _EPSILON])
    if not steps:
        return None
    least = abs(sum(steps)) - slack
    sizes = sorted(map(abs, steps))
    if least <= 0:
        return 1.0
    if len(sizes) <= _COUNTED:
        return _counted(sizes, least)
    return min(1.0, max(SMALLEST, _inverted(sizes, least)))


def _on_lattice(differences: Sequence[float]) -> tuple[list[int], int]:
    """Return differences as whole numbers of some unit, and how far off a sum of them may be."""
    fractions = [Fraction(one).limit_denominator(_DENOMINATOR) for one in differences]
    unit = 1
    for exact, one in zip(fractions, differences, strict=True):
        unit = lcm(unit, exact.denominator)
        if unit > _LATTICE or abs(exact - one) > _EPSILON:
            return [round(one * _FINE) for one in differences], len(differences)
    whole = [int(exact * unit) for exact in fractions]
    shared = gcd(*whole) or 1
    return [one // shared for one in whole], 0


def _counted(sizes: Sequence[int], least: int) -> float:
    """Return the probability by counting every pattern of signs."""
    half = len(sizes) // 2
    some, others = _sums(sizes[:half]), sorted(_sums(sizes[half:]))
    count = sum(len(others) - bisect_left(others, least - one) for one in some)
    return float(2 * count / 2 ** len(sizes))


def _sums(sizes: Iterable[int]) -> list[int]:
    found = [0]
    for size in sizes:
        found = [one + sign for sign in (size, -size) for one in found]
    return found


def _inverted(sizes: Sequence[int], least: int) -> float:
    """Return the probability from the characteristic function of the sum.

    With u = pi (k + 1/2) / 2 N, it is 1 - 1 / N times the sum over k < N of phi(u) sin(u x) / sin(u), where x lies in
    the middle between the smallest sum that counts and the largest that does not.

    Args:
        sizes: Whole numbers without a common divisor, in order: sums of them differ by multiples of 2.
        least: The smallest sum that counts, above 0.
    """
    total, deviation = sum(sizes), sqrt(sum(size * size for size in sizes))
    # Only every other whole number is a sum.
    middle = least + (least + total) % 2 - 1
    count = ceil(min(middle + _FAR * deviation, middle + total) / 4) + 1
    characteristic = _Characteristic(sizes)
    found = 0.0
    for number in range(count):
        angle = pi * (number + 0.5) / (2 * count)
        value = characteristic(angle)
        if value is None:
            break
        found += value * sin(angle * middle) / sin(angle)
    return 1.0 - found / count


class _Characteristic:
    """The characteristic function of a sum of sizes whose signs are chance, for angles that grow.

    Args:
        sizes: In order.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self._groups = sorted(Counter(sizes).items())
        largest = self._groups[-1][0]
        # Of the smallest sizes: sums of their powers, as shares of the largest, so that none is too large for a float.
        self._largest = largest
        powers = [[times * (size / largest) ** power for size, times in self._groups] for power in (2, 4, 6, 8)]
        self._moments = [[0.0, *accumulate(one)] for one in powers]
        self._small = len(self._groups)
        self._left = _COSINES

    def __call__(self, angle: float) -> float | None:
        """Return its value; None from where on it is nothing, or no more than the work for it is worth."""
        while self._small and self._groups[self._small - 1][0] * angle > _SMALL:
            self._small -= 1
        square = (angle * self._largest) ** 2
        second, fourth, sixth, eighth = (moments[self._small] for moments in self._moments)
        # ln cos x = - x^2 / 2 - x^4 / 12 - x^6 / 45 - 17 x^8 / 2520 - ...
        logarithm = square * (second / 2 + square * (fourth / 12 + square * (sixth / 45 + square * eighth * 17 / 2520)))
        self._left -= 1
        if logarithm > _VANISHED or self._left < 0:
            return None
        value = exp(-logarithm)
        for size, times in self._groups[self._small :]:
            value *= cos(angle * size) ** times
            self._left -= 1
            if abs(value) < _NOTHING:
                return 0.0
        return value
