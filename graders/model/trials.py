"""Combines the results of several tries of a case. Pure.

    pass_at_k             the best try: passed if one of them passed
    pass_all              the worst one: passed if all of them passed
    mean                  the mean of their scores, compared with the threshold
    confidence_interval   the lower end of the 95 % interval of that mean (Student's t)

A try that could not be graded is not a zero: if the result depends on it, the result is an `error`, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from math import fsum, sqrt
from typing import NamedTuple

from gradebox.graders.model import scoring
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.records import dataclass

# Two-sided 95 % quantiles of Student's t by degrees of freedom, from 1; above, the normal distribution's.
_T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045,
)  # fmt: skip
_NORMAL95 = 1.96
# The fault of a try that was skipped. The target states its own costs, so it must not choose how many tries count.
COST_REACHED = "the tries of the case have reached their cost limit (`cost_limit_usd`)"


class Attempt(NamedTuple):
    """One try: its verdict, and its gated score, None for an error."""

    status: Status
    score: float | None


@dataclass(frozen=True, slots=True)
class Tried:
    """The combined result of the tries of a case."""

    strategy: str
    status: Status
    score: float | None  # None if it depends on a try that could not be graded.
    passed: int
    count: int
    figures: Mapping[str, float] = field(default_factory=dict)  # Statistics of the tries, under AgentV's names.

    def sentence(self) -> str:
        """Return the result in words."""
        score = "" if self.score is None else f", score {self.score:.4g}"
        return f"{self.status} by {self.strategy}: {self.passed} of {self.count} tries passed{score}"


def tried(strategy: str, attempts: Iterable[Attempt], threshold: float) -> Tried:
    """Return the combined result of one or more tries."""
    listed = list(attempts)
    scores = [attempt.score or 0.0 for attempt in listed if attempt.status is not Status.ERROR]
    errors, passed = len(listed) - len(scores), sum(attempt.status is Status.PASSED for attempt in listed)
    status, score, figures = Status.ERROR, None, dict[str, float]()
    match strategy:
        case "pass_at_k":
            figures = {"passed_attempts": passed, "total_attempts": len(listed)}
            if passed or not errors:
                status, score = Status.PASSED if passed else Status.FAILED, max(scores)
        case "pass_all":
            figures = {"passed_attempts": passed, "total_attempts": len(listed)}
            if passed < len(scores) or not errors:
                status, score = Status.PASSED if passed == len(listed) else Status.FAILED, min(scores)
        case _ if not errors:
            figures = _interval(scores)
            if strategy == "mean":
                figures = {"mean": figures["mean"], "min": min(scores), "max": max(scores)}
            score = figures.get("ci95_lower", figures["mean"])
            status = Status.PASSED if scoring.reaches(score, threshold) else Status.FAILED
    return Tried(strategy, status, score, passed, len(listed), figures)


def _interval(scores: Sequence[float]) -> dict[str, float]:
    count = len(scores)
    mean = fsum(scores) / count
    if count < 2:
        return {"mean": mean, "ci95_lower": mean, "ci95_upper": mean, "stddev": 0.0}
    deviation = sqrt(fsum((score - mean) ** 2 for score in scores) / (count - 1))
    margin = (_T95[count - 2] if count <= len(_T95) + 1 else _NORMAL95) * deviation / sqrt(count)
    return {
        "mean": mean,
        "ci95_lower": max(0.0, mean - margin),
        "ci95_upper": min(1.0, mean + margin),
        "stddev": deviation,
    }
