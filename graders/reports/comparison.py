"""What changed between two runs, and whether chance could explain the change. Pure.

Verdicts are paired by case, target, submission and repeat. If the runs share no target or no submission, that field is
ignored, provided that the others still identify each verdict: then two candidates are compared. Samples of one model
are paired by their numbers. Errors are listed, but the tests ignore them. A verdict that passed before and does not
exist now is missing. It counts as a loss, like a verdict that fails now.

Repeats of one grading and samples of one model are not independent evidence: the tests count the sum of their
differences as one difference.

Sources: for pass and fail, McNemar's exact test (a sign test on the pairs that differ), or with repeats the permutation
test; for scores, the permutation test (`permutation`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from enum import StrEnum
from statistics import fmean

from gradebox.graders.grading.fingerprint import Key
from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.reports.permutation import permutation
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.sandbox.records import dataclass


class Transition(StrEnum):
    GAINED = "gained"
    LOST = "lost"
    SCORE = "score"
    OTHER = "other"
    SAME = "same"


# What a verdict depends on, by the field of the verdict that records it.
_DEPENDS_ON = {
    "submission_hash": "submission", "case_hash": "case", "image_id": "image", "profile": "profile",
    "runtime": "runtime",
}  # fmt: skip
VERSION = "version"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two paired verdicts, with the names of the second run, and the checks whose scores differ."""

    case: str
    target: str | None
    submission: str
    sample: int  # The number among several answers of one model; 1 if unknown.
    repeat: int
    change: Transition
    before: str
    after: str
    score_before: float | None
    score_after: float | None
    checks: tuple[str, ...]
    # Which of the things that the verdict depends on differ; None if one of the runs does not record them.
    differs: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed between two runs."""

    # Ids of the runs.
    before: str
    after: str
    without: tuple[str, ...]  # The fields that the runs do not share, and that pairing ignores: `target`, `submission`.
    pairs: tuple[Pair, ...]  # In the order of the second run.
    only_before: tuple[Key, ...]
    only_after: tuple[Key, ...]
    missing: tuple[Key, ...]  # Those of `only_before` that passed.
    judged: int  # How many pairs passed or failed on both sides; pass rates are over these, None without any.
    scored: int  # How many of these have a score on both sides; scores are means over these, None without any.
    pass_rate_before: float | None
    pass_rate_after: float | None
    score_before: float | None
    score_after: float | None
    # Probability of a split of gains and losses at least this uneven if neither run were better; None without any.
    p_passed: float | None
    p_score: float | None  # Probability of a mean score difference at least this large; None without a difference.
    machines: tuple[str, ...] = ()  # Differences between the machines and images of the runs, a sentence each.

    def count(self, change: Transition) -> int:
        return sum(pair.change is change for pair in self.pairs)

    @property
    def repeated(self) -> bool:
        return any(pair.repeat > 1 or pair.sample > 1 for pair in self.pairs)

    @property
    def regressed(self) -> int:
        """How many verdicts passed before, and now failed, are errors, were not judged, or are missing."""
        return len(self.missing) + sum(pair.before == "passed" != pair.after for pair in self.pairs)

    def as_json(self) -> str:
        return json.dumps({**asdict(self), "regressed": self.regressed})


def compare(before: SavedRun, after: SavedRun, *, common: bool = False) -> Comparison:
    """Compare two runs; with `common`, ignore verdicts that only one of them has."""
    old, new, without = _keyed(before.verdicts, after.verdicts)
    if common:
        old, new = ({key: one[key] for key in one if key in other} for one, other in ((old, new), (new, old)))
    versions = (VERSION,) * (before.other_version != after.other_version)
    pairs = tuple(
        _pair(before.verdicts[old[key]], after.verdicts[own], versions) for key, own in new.items() if key in old
    )
    judged = [pair for pair in pairs if {pair.before, pair.after} <= {"passed", "failed"}]
    scored = [pair for pair in judged if pair.score_before is not None and pair.score_after is not None]
    return Comparison(
        before=before.id,
        after=after.id,
        without=without,
        pairs=pairs,
        only_before=tuple(own for key, own in old.items() if key not in new),
        only_after=tuple(own for key, own in new.items() if key not in old),
        missing=tuple(own for key, own in old.items() if key not in new and before.verdicts[own].verdict == "passed"),
        judged=len(judged),
        scored=len(scored),
        pass_rate_before=_mean(pair.before == "passed" for pair in judged),
        pass_rate_after=_mean(pair.after == "passed" for pair in judged),
        score_before=_mean(pair.score_before or 0.0 for pair in scored),
        score_after=_mean(pair.score_after or 0.0 for pair in scored),
        p_passed=_p_passed(judged),
        p_score=permutation(_differences(scored, lambda pair: (pair.score_after or 0.0) - (pair.score_before or 0.0))),
        machines=tuple(_unlike_machines(before.verdicts.values(), after.verdicts.values())),
    )


def _unlike_machines(before: Iterable[VerdictDocument], after: Iterable[VerdictDocument]) -> Iterator[str]:
    """Yield a sentence for each property of the machines and images that both runs record and that differs."""
    old, new = map(_machines, (before, after))
    for name in old:
        if name in new and old[name] != new[name]:
            yield f"Another {name}: {', '.join(sorted(old[name]))} -> {', '.join(sorted(new[name]))}."


def _machines(verdicts: Iterable[VerdictDocument]) -> dict[str, set[str]]:
    found = defaultdict[str, set[str]](set)
    for verdict in verdicts:
        for name, text in verdict.machine.items():
            found[name].add(text)
        if verdict.image_id:
            found[f"image {verdict.image}"].add(verdict.image_id)
    return found


def mcnemar(gained: int, lost: int) -> float | None:
    """Return the two-sided exact probability of a split at least this uneven; None if no pair differs."""
    count = gained + lost
    if not count:
        return None
    tail = term = 1
    for number in range(min(gained, lost)):
        term = term * (count - number) // (number + 1)
        tail += term
    return min(1.0, float(2 * tail / 2**count))


def _p_passed(judged: Iterable[Pair]) -> float | None:
    differences = _differences(judged, lambda pair: (pair.after == "passed") - (pair.before == "passed"))
    moved = [one for one in differences if one]
    if all(abs(one) == 1 for one in moved):
        return mcnemar(moved.count(1), moved.count(-1))
    return permutation(differences)


def _differences(pairs: Iterable[Pair], difference: Callable[[Pair], float]) -> list[float]:
    """Return the differences of pairs, with those of repeats and samples added up."""
    found: dict[tuple[str, str | None, str], float] = defaultdict(float)
    for pair in pairs:
        found[pair.case, pair.target, pair.submission.removesuffix(f" sample {pair.sample}")] += difference(pair)
    return list(found.values())


def _mean(values: Iterable[float]) -> float | None:
    return fmean(found) if (found := list(values)) else None


_Verdicts = Mapping[Key, VerdictDocument]


def _keyed(before: _Verdicts, after: _Verdicts) -> tuple[dict[Key, Key], dict[Key, Key], tuple[str, ...]]:
    """Return each run's keys by the keys that pair its verdicts, and the fields that pairing ignores."""
    for without in ((), ("target",), ("submission",), ("target", "submission")):
        old, new = ({_without(without, key, one): key for key in one} for one in (before, after))
        if len(old) == len(before) and len(new) == len(after) and old.keys() & new.keys():
            return old, new, without
    old, new = ({key: key for key in one} for one in (before, after))
    return old, new, ()


def _without(names: tuple[str, ...], key: Key, verdicts: _Verdicts) -> Key:
    if "submission" in names:
        key = key._replace(submission=f"sample {_sample(verdicts[key])}")
    return key._replace(target=None) if "target" in names else key


def _sample(verdict: VerdictDocument) -> int:
    sample = verdict.origin.get("sample")
    return sample if isinstance(sample, int) else 1


def _pair(before: VerdictDocument, after: VerdictDocument, versions: tuple[str, ...]) -> Pair:
    old = {check.name: check.score for check in before.checks}
    new = {check.name: check.score for check in after.checks}
    return Pair(
        case=after.case,
        target=after.target,
        submission=after.submission,
        sample=_sample(after),
        repeat=after.repeat,
        change=_transition(before, after),
        before=before.verdict,
        after=after.verdict,
        score_before=before.score,
        score_after=after.score,
        checks=tuple(name for name in {**old, **new} if old.get(name) != new.get(name)),
        differs=_differs(before, after, versions),
    )


def _differs(before: VerdictDocument, after: VerdictDocument, versions: tuple[str, ...]) -> tuple[str, ...] | None:
    if not all((before.submission_hash, before.case_hash, after.submission_hash, after.case_hash)):
        return None
    found = (what for name, what in _DEPENDS_ON.items() if getattr(before, name) != getattr(after, name))
    return (*found, *versions)


def _transition(before: VerdictDocument, after: VerdictDocument) -> Transition:
    match before.verdict, after.verdict:
        case ("failed", "passed"):
            return Transition.GAINED
        case ("passed", "failed"):
            return Transition.LOST
        case (one, other) if one != other:
            return Transition.OTHER
    return Transition.SAME if before.score == after.score else Transition.SCORE
