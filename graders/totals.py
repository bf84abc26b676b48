"""How many verdicts of which kind there are: all that a run of any length has to remember of them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from graders.result import Graded
from graders.verdict import Status


@dataclass(slots=True)
class Totals:
    """What verdicts came to, gathered one by one.

    Attributes:
        statuses: How many of each.
        wall_seconds: What all of them took, as if one after the other.
        reused: How many were taken from earlier runs.
        old: How many the run had before it was continued.
    """

    statuses: Counter[Status] = field(default_factory=Counter)
    wall_seconds: float = 0.0
    reused: int = 0
    old: int = 0

    @classmethod
    def of(cls, results: Iterable[Graded]) -> Self:
        """Return the totals of results that are at hand."""
        totals = cls()
        for graded in results:
            totals.add(graded)
        return totals

    def add(self, graded: Graded, *, old: bool = False) -> None:
        """Take a verdict into account."""
        self.statuses[graded.verdict.status] += 1
        self.wall_seconds += graded.wall_seconds
        self.reused += bool(graded.reused)
        self.old += old

    @property
    def count(self) -> int:
        """How many verdicts there are."""
        return self.statuses.total()
