"""The numbers of a class: the distribution of points, and the hardest checks. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean, quantiles
from typing import NamedTuple

from gradebox.graders.model.verdict_document import VerdictDocument

LEAST_SUBMISSIONS = 5
"""With fewer submissions, class figures mean nothing."""
_HARDEST = 8


class HardCheck(NamedTuple):
    """A check with the mean of its scores; `scored` is the number of submissions with a score."""

    name: str
    mean: float
    scored: int


class ClassFigures(NamedTuple):
    """Scores of the submissions, each the mean over its cases: their mean, quartiles and range."""

    submissions: int
    mean: float
    least: float
    lower: float
    median: float
    upper: float
    most: float
    hardest: tuple[HardCheck, ...]


def class_figures(verdicts: Iterable[VerdictDocument]) -> ClassFigures | None:
    """Return the figures of a class; None if the run has too few submissions with a score."""
    scores: dict[str, list[float]] = {}
    checks: dict[str, list[float]] = {}
    cases = set()
    for verdict in verdicts:
        cases.add(verdict.case)
        if verdict.gated_score is not None:
            scores.setdefault(verdict.submission, []).append(verdict.gated_score)
        for check in verdict.checks:
            if check.score is not None and check.weight:
                checks.setdefault(f"{verdict.case}: {check.name}", []).append(check.score)
    if len(scores) < LEAST_SUBMISSIONS:
        return None
    means = sorted(map(fmean, scores.values()))
    lower, middle, upper = quantiles(means, n=4, method="inclusive")
    hard = sorted((fmean(found), name, len(found)) for name, found in checks.items())[:_HARDEST]
    short = len(cases) == 1
    hardest = tuple(HardCheck(name.partition(": ")[2] if short else name, mean, count) for mean, name, count in hard)
    return ClassFigures(len(means), fmean(means), means[0], lower, middle, upper, means[-1], hardest)
