"""How many verdicts of which kind there are: all that a run of any length has to remember of them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Self

from graders.model.result import Result
from graders.model.verdict import Status


@dataclass(slots=True)
class Totals:
    """What verdicts came to, gathered one by one.

    Attributes:
        statuses: How many of each.
        wall_seconds: What all of them took, as if one after the other.
        old: How many the run had before it was continued.
        reused: How many of the others were taken from earlier runs.
    """

    statuses: Counter[Status] = field(default_factory=Counter)
    wall_seconds: float = 0.0
    old: int = 0
    reused: int = 0

    @classmethod
    def of(cls, results: Iterable[Result]) -> Self:
        """Return the totals of results that are at hand."""
        totals = cls()
        for graded in results:
            totals.add(graded)
        return totals

    def add(self, graded: Result, *, old: bool = False) -> None:
        """Take a verdict into account."""
        self.statuses[graded.verdict.status] += 1
        self.wall_seconds += graded.wall_seconds
        self.old += old
        self.reused += bool(graded.reused) and not old

    @property
    def count(self) -> int:
        """How many verdicts there are."""
        return self.statuses.total()

    @property
    def not_graded(self) -> bool:
        """Whether a verdict is an error."""
        return bool(self.statuses[Status.ERROR])

    @property
    def failed(self) -> bool:
        """Whether a verdict is not passed."""
        return self.statuses[Status.PASSED] < self.count

    @property
    def found(self) -> int:
        """How many verdicts were found by grading, now."""
        return self.count - self.old - self.reused


def busy_seconds(gradings: Iterable[tuple[datetime, float]]) -> float:
    """Return for how long anything was being graded, however many at a time; pauses between do not count.

    Args:
        gradings: When each began, and how many seconds it took.
    """
    total = timedelta()
    until: datetime | None = None
    for begun, seconds in sorted(gradings):
        ended = begun + timedelta(seconds=seconds)
        if until is None or begun >= until:
            total += ended - begun
            until = ended
        elif ended > until:
            total += ended - until
            until = ended
    return total.total_seconds()
