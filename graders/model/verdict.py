"""What a grading means: the result of each check, and the verdict of the case. Pure.

Three words are kept apart everywhere: a check or case that `passed`, one that `failed`, which is the candidate's doing,
and one in `error`, which is not: the case's author or we failed to judge. An error is never a zero and never a pass.
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
    """When a candidate may see something."""

    VISIBLE = "visible"
    AFTER = "after"  # Once `--after` says so, such as when a deadline is over.
    HIDDEN = "hidden"


class Shown(StrEnum):
    """What a candidate may see of a check or a test."""

    NAME = "name"
    VERDICT = "verdict"
    INPUT = "input"
    OUTPUT = "output"
    EXPECTED = "expected"
    MESSAGE = "message"


# Of a check that says nothing: its name and what it came to, and nothing of its tests.
DEFAULT_SHOWN = (Shown.NAME, Shown.VERDICT)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a candidate may see of one thing; by itself, nothing.

    Attributes:
        visibility: When.
        show: What of it.
        tests, groups: Of its tests and groups, by their names; those that are not named are hidden.
    """

    visibility: Visibility = Visibility.HIDDEN
    show: tuple[Shown, ...] = ()
    tests: Mapping[str, Seen] = field(default_factory=dict)
    groups: Mapping[str, Seen] = field(default_factory=dict)

    def fields(self, *, after: bool) -> frozenset[Shown]:
        """Return what may be seen of it now; `after` says that what is visible afterwards may be seen, too."""
        now = self.visibility is Visibility.VISIBLE or (after and self.visibility is Visibility.AFTER)
        return frozenset(self.show) if now else frozenset()

    def only(self, *fields: Shown) -> Seen:
        """Return the same with nothing but these fields, and without its parts."""
        return Seen(self.visibility, tuple(one for one in self.show if one in fields))

    def with_parts(self, *, tests: Mapping[str, Seen], groups: Mapping[str, Seen]) -> Seen:
        """Return the same with those of its tests and groups that are not hidden; a part of what is hidden is."""
        kept = ({name: one for name, one in parts.items() if one != HIDDEN} for parts in (tests, groups))
        return HIDDEN if self == HIDDEN else Seen(self.visibility, self.show, *kept)


HIDDEN = Seen()
"""Of what nobody lets out."""


def seen(
    visibility: Visibility | str | None, show: Sequence[str] | None, around: Seen | None = None, *, own: Seen = HIDDEN
) -> Seen:
    """Return what may be seen of something that says `visibility` and `show` itself.

    Args:
        visibility: When; None for what is `around` it.
        show: What; None for everything if it says when, otherwise for what is around it.
        around: Of what it is a part of, None for nothing; a part of what is hidden is hidden.
        own: What it is where neither says anything.
    """
    if visibility is None and show is None:
        return own if around is None else Seen(around.visibility, around.show)
    when = Visibility(visibility or (around.visibility if around else Visibility.VISIBLE))
    what = tuple(Shown) if show is None else tuple(map(Shown, show))
    return HIDDEN if when is Visibility.HIDDEN else Seen(when, what)


class OwnDetails(dict[str, Any]):
    """Details with a cap of their own: they name all tests of a case's lists that did not pass, however many."""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One command that was run: why (``setup``, ``check``, ``item`` ...), its outcome, and whether that was wanted."""

    role: str
    name: str
    argv: tuple[str, ...]
    outcome: Outcome
    passed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check came to.

    Attributes:
        status: ``passed`` when the score reaches `wanted`.
        score: In [0, 1], after `negate`; None when there is none.
        reason: One sentence for people.
        unfinished: Whether the candidate kept it from being judged to its end: then no turning round, of this or of
            what it is a part of, makes a success of it.
        of_case: Whether it is an error that every submission of the case would have.
        judged: Whether its commands ran ``apart`` from the submission or ``in-process``; empty if it ran none.
        seen: What a candidate may see of it; of a check from which nobody asked that, nothing.
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
    """What a case came to for one submission.

    Attributes:
        score: The weighted mean over the checks, in [0, 1]; None for an error.
        gated_score: 0 if a required check failed, tampering was found, or the submission could not be judged by its own
            fault; otherwise the score.
        band: That of the score.
        checks: In the case's order.
        missed: Names of the required checks that failed.
        reasons: Why the verdict is not ``passed``, one sentence each.
        partial_score: Of an error: the weighted mean over the checks that were judged, None when none was. None for
            everything else.
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
    def reward(self) -> float | None:
        """What to train with: the gated score, which is None for an error: that says nothing about the submission."""
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
        checks: Their results, in the case's order.
        threshold: The score at which the case passes.
        aggregation: Whether their ``mean``, the least or the greatest of their scores (``min``, ``max``) is the case's.
        faults: Why the case as a whole could not be graded, which is the author's fault or ours.
        failures: Why the case fails whatever its checks say, which is the candidate's fault.
        tampering: What was seen outside any one check.
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
        # Where the case as a whole was not graded, the reasons of its checks add nothing.
        errors += [f"{r.name} could not be judged: {r.reason}" for r in results if r.status is Status.ERROR]
        reasons += errors
        reasons += [_miss(result) for result in results if result.missed]
    if seen:
        # Tampering must not gain the benefit of an error that it may have caused.
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
    # Nobody could judge the submission: that is neither a zero nor a pass.
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
    """Return a verdict with the first reason that the submission lies in the wrong place, if its checks failed."""
    if not misfit or verdict.status is not Status.FAILED or verdict.tampering:
        return verdict
    return replace(verdict, reasons=(misfit, *verdict.reasons))


def _miss(result: CheckResult) -> str:
    score = 0.0 if result.score is None else result.score
    because = f" ({result.reason})" if result.reason else ""
    return f"required check {result.name} scored {score:.4g}, needs {result.wanted:.4g}{because}"
