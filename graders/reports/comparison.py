"""What changed from one run to another, and whether chance alone would change as much. Pure.

Verdicts are paired by case, target, submission and repeat. Where no submission is in both runs and each has one for a
case, they are paired by what is left: two candidates are compared then. Errors are told and take no part in the tests.

Sources: for pass and fail, McNemar's test in its exact form (a sign test on the pairs that differ); for scores, the
paired permutation test of Fisher and Pitman, on the mean difference, by flipping signs.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import product
from math import comb
from statistics import fmean

from graders.result import VerdictDocument
from graders.runs.identity import Key
from graders.runs.reading import SavedRun

# Up to so many pairs that differ, every pattern of signs is tried; of more, so many patterns drawn at random.
_EXACT_PAIRS = 14
_DRAWN = 20_000
_SEED = 20_260_131
# Two means that differ by less than this are the same but for rounding.
_EPSILON = 1e-12


class Change(StrEnum):
    """What became of one verdict."""

    GAINED = "gained"
    LOST = "lost"
    SCORE = "score"
    OTHER = "other"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Pair:
    """A verdict of both runs.

    Attributes:
        case, target, submission, repeat: Which; the submission as the second run calls it.
        change: What became of it.
        before, after: Its verdicts.
        score_before, score_after: Its scores.
        checks: Names of the checks whose scores differ.
    """

    case: str
    target: str | None
    submission: str
    repeat: int
    change: Change
    before: str
    after: str
    score_before: float | None
    score_after: float | None
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed.

    Attributes:
        before, after: Ids of the runs.
        by_submission: Whether verdicts of the same submission were paired.
        pairs: All of them, in the order of the second run.
        only_before, only_after: Keys that only one run has.
        judged: How many pairs have no error on either side.
        pass_rate_before, pass_rate_after, score_before, score_after: Means over these; None without any.
        p_passed: Chance of so uneven a split of gains and losses if neither run were better; None without any.
        p_score: Chance of so large a mean difference of scores; None without a difference.
    """

    before: str
    after: str
    by_submission: bool
    pairs: tuple[Pair, ...]
    only_before: tuple[Key, ...]
    only_after: tuple[Key, ...]
    judged: int
    pass_rate_before: float | None
    pass_rate_after: float | None
    score_before: float | None
    score_after: float | None
    p_passed: float | None
    p_score: float | None

    def count(self, change: Change) -> int:
        """Return how many verdicts changed in this way."""
        return sum(pair.change is change for pair in self.pairs)

    @property
    def lost(self) -> bool:
        """Whether something passed and does not any more."""
        return any(pair.before == "passed" and pair.after != "passed" for pair in self.pairs)

    def as_json(self) -> str:
        """Return it as one line of JSON."""
        return json.dumps(asdict(self))


def compare(before: SavedRun, after: SavedRun) -> Comparison:
    """Compare two runs."""
    old, new, by_submission = _keyed(before.verdicts, after.verdicts)
    pairs = tuple(_pair(old[key], verdict) for key, verdict in new.items() if key in old)
    judged = [pair for pair in pairs if {pair.before, pair.after} <= {"passed", "failed"}]
    scored = [
        (pair.score_before, pair.score_after)
        for pair in judged
        if pair.score_before is not None and pair.score_after is not None
    ]
    gained = sum(pair.change is Change.GAINED for pair in judged)
    lost = sum(pair.change is Change.LOST for pair in judged)
    return Comparison(
        before=before.id,
        after=after.id,
        by_submission=by_submission,
        pairs=pairs,
        only_before=tuple(key for key in old if key not in new),
        only_after=tuple(key for key in new if key not in old),
        judged=len(judged),
        pass_rate_before=_mean(pair.before == "passed" for pair in judged),
        pass_rate_after=_mean(pair.after == "passed" for pair in judged),
        score_before=_mean(one for one, _ in scored),
        score_after=_mean(other for _, other in scored),
        p_passed=mcnemar(gained, lost),
        p_score=permutation([other - one for one, other in scored]),
    )


def mcnemar(gained: int, lost: int) -> float | None:
    """Return the two-sided exact probability of so uneven a split of the pairs that differ; None without any."""
    count = gained + lost
    if not count:
        return None
    tail = sum(comb(count, number) for number in range(min(gained, lost) + 1))
    return min(1.0, float(2 * tail / 2**count))


def permutation(differences: Sequence[float]) -> float | None:
    """Return the two-sided probability of so large a mean difference if signs were chance; None without a difference.

    Args:
        differences: One a pair.
    """
    differing = [difference for difference in differences if abs(difference) > _EPSILON]
    if not differing:
        return None
    wanted = abs(sum(differing)) - _EPSILON
    if len(differing) <= _EXACT_PAIRS:
        sums = [
            abs(sum(sign * difference for sign, difference in zip(signs, differing, strict=True)))
            for signs in product((1, -1), repeat=len(differing))
        ]
        return sum(found >= wanted for found in sums) / len(sums)
    # Seeded, so that the same two runs always compare alike.
    chance = random.Random(_SEED)  # noqa: S311 - statistics, no secret
    count = sum(
        abs(sum(difference if chance.random() < 0.5 else -difference for difference in differing)) >= wanted
        for _ in range(_DRAWN)
    )
    # What was seen counts as one of the draws, so that the result is never 0.
    return (count + 1) / (_DRAWN + 1)


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fmean(found) if found else None


def _keyed(
    before: Mapping[Key, VerdictDocument], after: Mapping[Key, VerdictDocument]
) -> tuple[Mapping[Key, VerdictDocument], Mapping[Key, VerdictDocument], bool]:
    if before.keys() & after.keys():
        return before, after, True
    old, new = ({key._replace(submission=""): verdict for key, verdict in one.items()} for one in (before, after))
    if len(old) == len(before) and len(new) == len(after) and old.keys() & new.keys():
        return old, new, False
    return before, after, True


def _pair(before: VerdictDocument, after: VerdictDocument) -> Pair:
    old = {check.name: check.score for check in before.checks}
    new = {check.name: check.score for check in after.checks}
    return Pair(
        case=after.case,
        target=after.target,
        submission=after.submission,
        repeat=after.repeat,
        change=_change(before, after),
        before=before.verdict,
        after=after.verdict,
        score_before=before.score,
        score_after=after.score,
        checks=tuple(name for name in {**old, **new} if old.get(name) != new.get(name)),
    )


def _change(before: VerdictDocument, after: VerdictDocument) -> Change:
    match before.verdict, after.verdict:
        case ("failed", "passed"):
            return Change.GAINED
        case ("passed", "failed"):
            return Change.LOST
        case (one, other) if one != other:
            return Change.OTHER
    return Change.SAME if before.score == after.score else Change.SCORE
