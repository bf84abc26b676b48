"""Statistics about the verdicts of a run, without keeping the verdicts in memory: counts, and flaky repeats. Pure.

Source of the interval of a pass rate: E. B. Wilson (1927), with z = 1.96 for 95 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from datetime import datetime, timedelta
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple, Self

from gradebox.graders.model.result import Result
from gradebox.graders.model.trials import Attempt, Tried, tried
from gradebox.graders.model.verdict import Status
from gradebox.sandbox.records import dataclass

if TYPE_CHECKING:
    from gradebox.graders.model.verdict_document import VerdictDocument


_Z = 1.96


class TryKey(NamedTuple):
    """Identifies the tries that count together. The model is empty if the answer does not name it."""

    suite: str
    case: str
    target: str | None
    model: str

    @classmethod
    def of(cls, graded: Result | VerdictDocument) -> Self:
        return cls(graded.suite, graded.case, graded.target, str(graded.origin.get("model", "")))

    def __str__(self) -> str:
        return " ".join(filter(None, (self.case, self.target, self.model)))


class _Rule(NamedTuple):
    strategy: str
    threshold: float


@dataclass(slots=True)
class Tries:
    """Collects the tries of cases that have several, verdict by verdict."""

    _attempts: dict[TryKey, list[Attempt]] = field(default_factory=dict)
    _rules: dict[TryKey, _Rule] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        if result.trials:
            key, verdict = TryKey.of(result), result.verdict
            self._rules[key] = _Rule(result.trials, verdict.threshold)
            self._attempts.setdefault(key, []).append(Attempt(verdict.status, verdict.gated_score))

    def tried(self) -> Iterator[tuple[TryKey, Tried]]:
        """Yield the combined result of the tries of each case."""
        for key, attempts in self._attempts.items():
            yield key, tried(self._rules[key].strategy, attempts, self._rules[key].threshold)

    def decided(self, statuses: Counter[Status]) -> Counter[Status]:
        """Return how many verdicts of each status decide a run; all tries of a case count as one verdict."""
        single = Counter(attempt.status for attempts in self._attempts.values() for attempt in attempts)
        return statuses - single + Counter(found.status for _, found in self.tried())

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each case."""
        yield from (f"{key}: {found.sentence()}" for key, found in self.tried())


@dataclass(slots=True)
class Totals:
    """Totals over verdicts, collected one by one."""

    statuses: Counter[Status] = field(default_factory=Counter)
    tries: Tries = field(default_factory=Tries)
    not_enforced: Counter[str] = field(default_factory=Counter)  # How many verdicts have each sentence.
    wall_seconds: float = 0.0  # The sum of the times of all verdicts.
    resumed: int = 0  # How many verdicts the run had before it was continued.
    reused: int = 0  # How many of the other verdicts were taken from earlier runs.

    @classmethod
    def of(cls, results: Iterable[Result]) -> Self:
        """Return the totals of existing results."""
        totals = cls()
        for graded in results:
            totals.add(graded)
        return totals

    def add(self, result: Result, *, resumed: bool = False) -> None:
        self.statuses[result.verdict.status] += 1
        self.tries.add(result)
        self.not_enforced.update(result.not_enforced)
        self.wall_seconds += result.wall_seconds
        self.resumed += resumed
        self.reused += bool(result.reused) and not resumed

    @property
    def count(self) -> int:
        return self.statuses.total()

    @property
    def not_graded(self) -> bool:
        """Whether a verdict is an error. An error of one try counts only if it decides the tries of its case."""
        return bool(self.tries.decided(self.statuses)[Status.ERROR])

    @property
    def failed(self) -> bool:
        """Whether a verdict is not passed. One try counts only if it decides the tries of its case."""
        decided = self.tries.decided(self.statuses)
        return decided[Status.PASSED] < decided.total()

    def gaps(self) -> Iterator[str]:
        """Yield a sentence for each thing that sandboxes may not have enforced."""
        for sentence, count in self.not_enforced.items():
            yield f"not enforced{'' if count == self.count else f' in {count} of {self.count} verdicts'}: {sentence}"

    @property
    def graded(self) -> int:
        """How many verdicts come from a grading of this call."""
        return self.count - self.resumed - self.reused


@dataclass(slots=True)
class _Seen:
    statuses: Counter[Status] = field(default_factory=Counter)
    scores: dict[str, set[tuple[Status, float | None]]] = field(default_factory=dict)


class Flakiness:
    """Compares repeats of the same grading, verdict by verdict."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str | None, str], _Seen] = {}

    def add(self, graded: Result) -> None:
        seen = self._seen.setdefault((graded.case, graded.target, graded.submission), _Seen())
        seen.statuses[graded.verdict.status] += 1
        for check in graded.verdict.checks:
            seen.scores.setdefault(check.name, set()).add((check.status, check.score))

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each submission whose repeats differ, with the checks that differ."""
        for (case, target, submission), seen in self._seen.items():
            differ = [name for name, scores in seen.scores.items() if len(scores) > 1]
            if not differ and len(seen.statuses) < 2:
                continue
            where = " ".join(filter(None, (case, submission, target)))
            counts = ", ".join(f"{count} {status}" for status, count in sorted(seen.statuses.items()))
            checks = f"; checks that differ: {', '.join(differ)}" if differ else ""
            yield f"flaky: {where}: {counts}{checks}"


class Rate(NamedTuple):
    """How many verdicts of a group passed. Verdicts that neither passed nor failed count as errors, not as judged."""

    name: str
    passed: int
    judged: int
    errors: int

    @property
    def share(self) -> float:
        return self.passed / self.judged if self.judged else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval of the rate; [0, 1] if nothing was judged."""
        if not self.judged:
            return 0.0, 1.0
        count, share = self.judged, self.share
        divisor = 1 + _Z**2 / count
        middle = (share + _Z**2 / (2 * count)) / divisor
        half = _Z * sqrt(share * (1 - share) / count + _Z**2 / (4 * count**2)) / divisor
        return max(0.0, middle - half), min(1.0, middle + half)


def busy_seconds(gradings: Iterable[tuple[datetime, float]]) -> float:
    """Return for how many seconds at least one grading ran, from the start and the seconds of each grading."""
    total = timedelta()
    until: datetime | None = None
    for start, seconds in sorted(gradings):
        ended = start + timedelta(seconds=seconds)
        if until is None or start >= until:
            total += ended - start
            until = ended
        elif ended > until:
            total += ended - until
            until = ended
    return total.total_seconds()
