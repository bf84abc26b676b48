"""The outcome of a grading: the result of each check, and the verdict of the case. Pure.

A check or case is `passed`, `failed` or `error`. The candidate is to blame for `failed`. An `error` means that the
case's author or gradebox failed to judge: it is never a zero and never a pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from gradebox.graders.model import scoring
from gradebox.graders.model.tampering import Tampering
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import Outcome


class Status(StrEnum):
    """The verdict of a check or a case."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    # Left out of the score: no judge was available, and the check was not required.
    NOT_JUDGED = "not_judged"


class Visibility(StrEnum):
    """When a candidate may see a check or a test."""

    VISIBLE = "visible"
    AFTER = "after"  # Only in reports written with `--after`, for example after a deadline.
    HIDDEN = "hidden"


class Shown(StrEnum):
    """The parts of a check or a test that a candidate may see."""

    NAME = "name"
    VERDICT = "verdict"
    INPUT = "input"
    OUTPUT = "output"
    EXPECTED = "expected"
    MESSAGE = "message"


# For a check without `visibility` and `show`: its name and verdict, and nothing about its tests.
DEFAULT_SHOWN = (Shown.NAME, Shown.VERDICT)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a candidate may see of a check, group or test; by default, nothing.

    Attributes:
        visibility: When.
        show: Which parts.
        tests, groups: The same for its tests and groups, by name; all others are hidden.
    """

    visibility: Visibility = Visibility.HIDDEN
    show: tuple[Shown, ...] = ()
    tests: Mapping[str, Seen] = field(default_factory=dict)
    groups: Mapping[str, Seen] = field(default_factory=dict)

    def fields(self, *, after: bool) -> frozenset[Shown]:
        """Return the parts that may be seen now; `after` includes things with the visibility ``after``."""
        now = self.visibility is Visibility.VISIBLE or (after and self.visibility is Visibility.AFTER)
        return frozenset(self.show) if now else frozenset()

    def only(self, *fields: Shown) -> Seen:
        """Return a copy that shows only these fields, and no tests or groups."""
        return Seen(self.visibility, tuple(one for one in self.show if one in fields))

    def with_parts(self, *, tests: Mapping[str, Seen], groups: Mapping[str, Seen]) -> Seen:
        """Return a copy with those tests and groups that are not hidden. If the whole is hidden, so are its parts."""
        kept = ({name: one for name, one in parts.items() if one != HIDDEN} for parts in (tests, groups))
        return HIDDEN if self == HIDDEN else Seen(self.visibility, self.show, *kept)


HIDDEN = Seen()
"""Nothing is visible to candidates."""


def seen(
    visibility: Visibility | str | None, show: Sequence[str] | None, around: Seen | None = None, *, own: Seen = HIDDEN
) -> Seen:
    """Return what a candidate may see of a check, group or test.

    Args:
        visibility: Its own setting; None for that of `around`.
        show: Its own setting; None for everything if `visibility` is given, otherwise for that of `around`.
        around: The same for the check or group that contains it; None if there is none.
        own: The result if none of the three is given.
    """
    if visibility is None and show is None:
        return own if around is None else Seen(around.visibility, around.show)
    when = Visibility(visibility or (around.visibility if around else Visibility.VISIBLE))
    what = tuple(Shown) if show is None else tuple(map(Shown, show))
    return HIDDEN if when is Visibility.HIDDEN else Seen(when, what)


class OwnDetails(dict[str, Any]):
    """Details that are exempt from the usual size limit: they name all tests in the case's lists that did not pass."""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One command that was run: its role (``setup``, ``check``, ``item`` ...), its outcome, and whether it passed."""

    role: str
    name: str
    argv: tuple[str, ...]
    outcome: Outcome
    passed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check.

    Attributes:
        status: ``passed`` if the score reaches `wanted`.
        score: In [0, 1], after `negate`; None if there is no score.
        reason: One sentence for people.
        unfinished: Whether the candidate prevented the check from being judged to its end. Then no `negate`, of it or
            of a check that contains it, turns the failure into a success.
        of_case: Whether it is an error that every submission of the case would have.
        judged: Whether its commands ran ``apart`` from the submission or ``in-process``; empty if it ran none.
        seen: What a candidate may see of it; by default, nothing.
    """

    name: str
    type: str
    status: Status
    score: float | None
    wanted: float
    weight: float = 1.0
    required: bool = False
    negate: bool = False
    reason: str = ""
    steps: tuple[StepRecord, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    tampering: tuple[Tampering, ...] = ()
    unfinished: bool = False
    of_case: bool = False
    judged: str = ""
    seen: Seen = HIDDEN

    @property
    def missed(self) -> bool:
        return self.required and self.status is Status.FAILED


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a case for one submission.

    Attributes:
        score: The weighted mean over the checks, in [0, 1]; None for an error.
        gated_score: 0 if a required check failed, tampering was found, or the submission could not be judged through
            its own fault; otherwise the score.
        band: The band that the score falls into.
        checks: The results, in the case's order.
        missed: Names of the required checks that failed.
        reasons: Why the verdict is not ``passed``, one sentence each.
        partial_score: For an error, the weighted mean over the judged checks, None if none was judged. Otherwise None.
    """

    status: Status
    score: float | None
    gated_score: float | None
    band: scoring.Band | None
    threshold: float
    checks: tuple[CheckResult, ...]
    missed: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    tampering: tuple[Tampering, ...] = ()
    partial_score: float | None = None

    @property
    def other_answers(self) -> int:
        """How many tests passed with answers that the reference did not give."""
        # The details may also be those of a grader's own.
        told = (check.details.get("answers") for check in self.checks if check.judged == "apart")
        counts = (answers.get("other") for answers in told if isinstance(answers, Mapping))
        return sum(count for count in counts if type(count) is int)

    @property
    def reward(self) -> float | None:
        """The reward for training: the gated score. None for an error, which says nothing about the submission."""
        return self.gated_score


def decide(
    checks: Iterable[CheckResult],
    *,
    threshold: float,
    aggregation: str = "mean",
    faults: Iterable[str] = (),
    failures: Iterable[str] = (),
    tampering: Iterable[Tampering] = (),
) -> Verdict:
    """Decide the verdict of a case.

    Args:
        checks: The results of the checks, in the case's order.
        threshold: The score at which the case passes.
        aggregation: How the case's score is computed from the checks' scores: ``mean``, ``min`` or ``max``.
        faults: Why the case as a whole could not be graded, through the author's fault or gradebox's.
        failures: Why the case fails regardless of its checks, through the candidate's fault.
        tampering: Tampering that belongs to no single check.
    """
    results = tuple(checks)
    seen = (*tampering, *(found.within(result.name) for result in results for found in result.tampering))
    missed = tuple(result.name for result in results if result.missed)
    counted = (r for r in results if r.status is not Status.ERROR)
    judged = [scoring.Weighed(r.score, r.weight) for r in counted if r.score is not None]
    score = scoring.combined(judged, aggregation)
    broken, failing = tuple(faults), tuple(failures)
    errors = [*broken]
    reasons = [*broken, *failing, *(f"tampering ({found.kind}): {found}" for found in seen)]
    if not (broken or failing):
        # If the case as a whole was not graded, the checks' reasons add nothing.
        errors += [f"{r.name} could not be judged: {r.reason}" for r in results if r.status is Status.ERROR]
        reasons += errors
        reasons += [_miss(result) for result in results if result.missed]
    if seen:
        # Tampering must not profit from an error that it may have caused.
        status = Status.FAILED
    elif errors:
        status = Status.ERROR
    elif score is None and not failing:
        status = Status.ERROR
        reasons.append("no check with a weight could be judged")
    else:
        if score is not None and not reasons and not scoring.reaches(score, threshold):
            reasons.append(f"score {score:.4g} is below the threshold {threshold:g}")
        status = Status.FAILED if reasons else Status.PASSED
    # The submission could not be judged: that is neither a zero nor a pass.
    unjudged = status is Status.ERROR
    score, partial = (None, score) if unjudged else (score, None)
    return Verdict(
        status=status,
        score=score,
        gated_score=0.0 if (missed or seen or failing) and not unjudged else score,
        band=None if score is None else scoring.band(score),
        threshold=threshold,
        checks=results,
        missed=missed,
        reasons=tuple(reasons),
        tampering=seen,
        partial_score=partial,
    )


def misplaced(verdict: Verdict, misfit: str) -> Verdict:
    """Return a verdict; if its checks failed, its first reason is `misfit`: the files lie in the wrong place."""
    if not misfit or verdict.status is not Status.FAILED or verdict.tampering:
        return verdict
    return replace(verdict, reasons=(misfit, *verdict.reasons))


def _miss(result: CheckResult) -> str:
    score = 0.0 if result.score is None else result.score
    because = f" ({result.reason})" if result.reason else ""
    return f"required check {result.name} scored {score:.4g}, needs {result.wanted:.4g}{because}"
