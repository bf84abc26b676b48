"""The numbers of the overview: counts, bins, pass rates, repeats with different results. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from statistics import fmean, median, quantiles
from typing import NamedTuple

from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.runs.statistics import Rate, busy_seconds

SCORE_BINS = 10
_ROUND = (1.0, 2.0, 5.0)
_MOST_TIME_BINS = 14
_LEAST_TIME_BINS = 5


class Bin(NamedTuple):
    """The counts, by status, of verdicts whose value lies in [low, high). The last bin of a scale includes `high`."""

    low: float
    high: float
    counts: Counter[str]

    @property
    def total(self) -> int:
        return self.counts.total()


class Figures(NamedTuple):
    """The numbers at the top of the page."""

    counts: Counter[str]
    mean_score: float | None  # The mean over verdicts with a score; None without any.
    scored: int  # How many verdicts have a score.
    graded_seconds: float  # The sum of the times of all gradings.
    elapsed_seconds: float  # The time during which at least one grading of this run was going on.
    tampering: int
    # The median and the 95th percentile of the times of verdicts.
    median_seconds: float
    slow_seconds: float


def figures(verdicts: Sequence[VerdictDocument]) -> Figures:
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    times = [verdict.wall_seconds for verdict in verdicts]
    return Figures(
        counts=Counter(verdict.verdict for verdict in verdicts),
        mean_score=fmean(scores) if scores else None,
        scored=len(scores),
        graded_seconds=sum(times),
        # The time of a reused verdict was spent in another run.
        elapsed_seconds=busy_seconds((one.started, one.wall_seconds) for one in verdicts if not one.reused),
        tampering=sum(bool(verdict.tampering) for verdict in verdicts),
        median_seconds=median(times) if times else 0.0,
        slow_seconds=quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else sum(times),
    )


def score_bins(verdicts: Iterable[VerdictDocument]) -> list[Bin]:
    bins = [Bin(number / SCORE_BINS, (number + 1) / SCORE_BINS, Counter()) for number in range(SCORE_BINS)]
    for verdict in verdicts:
        if verdict.score is not None:
            # Because of rounding errors, a mean may be slightly below 0.3 instead of 0.3.
            place = int(round(verdict.score, 9) * SCORE_BINS)
            bins[min(max(place, 0), SCORE_BINS - 1)].counts[verdict.verdict] += 1
    return bins


def time_bins(verdicts: Sequence[VerdictDocument]) -> list[Bin]:
    """Return bins over the times, with edges 1, 2, 5, 10 and so on, since times vary by orders of magnitude."""
    times = [verdict.wall_seconds for verdict in verdicts]
    if not times:
        return []
    edges = _edges(max(min(times), 0.001), max(*times, 0.001))
    bins = [Bin(low, high, Counter()) for low, high in pairwise(edges)]
    for verdict in verdicts:
        found = next((one for one in bins if verdict.wall_seconds < one.high), bins[-1])
        found.counts[verdict.verdict] += 1
    return bins


def _edges(smallest: float, largest: float) -> list[float]:
    scale = [digit * 10.0**power for power in range(-3, 7) for digit in _ROUND]
    first = max((number for number, edge in enumerate(scale) if edge <= smallest), default=0)
    last = next((number for number, edge in enumerate(scale) if edge > largest), len(scale) - 1)
    # The first bin also has all faster verdicts. There are at least _LEAST_TIME_BINS, since one bar shows nothing.
    first = max(first, last - _MOST_TIME_BINS)
    missing = max(0, _LEAST_TIME_BINS - (last - first))
    first, last = max(0, first - (missing + 1) // 2), min(len(scale) - 1, last + missing // 2)
    return scale[first : last + 1]


def rates(verdicts: Iterable[VerdictDocument], names_of: Callable[[VerdictDocument], Iterable[str]]) -> list[Rate]:
    """Return pass rates of groups, the lowest first; a verdict may be in several groups or in none."""
    groups = defaultdict[str, Counter[str]](Counter)
    for verdict in verdicts:
        for name in dict.fromkeys(names_of(verdict)):
            groups[name][verdict.verdict] += 1
    found = [
        Rate(name, counts["passed"], counts["passed"] + counts["failed"], counts["error"] + counts["not_judged"])
        for name, counts in groups.items()
    ]
    return sorted(found, key=lambda rate: (rate.share if rate.judged else 2, -rate.judged, rate.name))


class Repeats(NamedTuple):
    """The verdicts of one submission that was graded more than once, and the checks whose results differ."""

    first: VerdictDocument
    counts: Counter[str]
    differing: tuple[str, ...]

    @property
    def agree(self) -> bool:
        return len(self.counts) == 1 and not self.differing


def repeated(verdicts: Iterable[VerdictDocument]) -> list[Repeats]:
    """Return the submissions that were graded more than once, in their order."""
    groups: dict[tuple[str, str | None, str], list[VerdictDocument]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.case, verdict.target, verdict.submission), []).append(verdict)
    return [_repeats(group) for group in groups.values() if len(group) > 1]


def _repeats(group: Sequence[VerdictDocument]) -> Repeats:
    results: dict[str, set[tuple[str, float | None]]] = {}
    for check in (check for verdict in group for check in verdict.checks):
        results.setdefault(check.name, set()).add((check.verdict, check.score))
    differing = tuple(name for name, found in results.items() if len(found) > 1)
    return Repeats(group[0], Counter(verdict.verdict for verdict in group), differing)
