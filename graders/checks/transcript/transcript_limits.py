"""`TranscriptLimits`: the base of checks that compare numbers of a transcript with limits.

A number that the transcript does not state is not judged, unless the check says that it fails. In a required check this
is an error, since leaving a number out must not meet a required check.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar, NamedTuple

from pydantic import Field

from gradebox.graders.checks.base import Check
from gradebox.graders.checks.results import error, not_judged, scored
from gradebox.graders.documents.fields import Number
from gradebox.graders.model import scoring
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.verdict import CheckResult

Limit = Annotated[Number, Field(ge=0)]


class Bound(NamedTuple):
    """One number and its limits."""

    what: str
    # None if the transcript does not state it.
    actual: float | None
    most: float
    least: float = 0.0

    @property
    def kept(self) -> bool:
        actual = self.actual
        return actual is not None and scoring.reaches(self.most, actual) and scoring.reaches(actual, self.least)


class TranscriptLimits(Check):
    """A check of a transcript's numbers."""

    # Whether the score is the share of the limits that are kept; otherwise it is 1 or 0.
    in_parts: ClassVar[bool] = False

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        if evidence.transcript is None:
            return not_judged(self, case, "the submission brings no transcript")
        bounds = list(self.bounds(evidence.transcript))
        known = [bound for bound in bounds if bound.actual is not None]
        unknown = ", ".join(bound.what for bound in bounds if bound.actual is None)
        if not bounds:
            return error(self, case, "it limits nothing")
        if not known or (self.required and unknown and not self.missing_fails):
            return not_judged(self, case, f"the transcript does not state: {unknown}")
        judged = bounds if self.missing_fails else known
        kept = sum(bound.kept for bound in judged)
        score = kept / len(judged) if self.in_parts else float(kept == len(judged))
        reasons = [_sentence(bound) for bound in known if not bound.kept]
        if unknown:
            reasons.append(f"not stated: {unknown}")
        return scored(self, case, score, "; ".join(reasons))

    @property
    def missing_fails(self) -> bool:
        """Whether a number that is not stated fails its part, if another number is stated."""
        return False

    @abstractmethod
    def bounds(self, transcript: Transcript) -> Iterable[Bound]:
        """Yield the numbers with their limits."""


def at_most(*limits: tuple[str, float | None, float | None]) -> Iterator[Bound]:
    """Yield a bound for each name, actual number and limit, unless the limit is None."""
    for what, actual, most in limits:
        if most is not None:
            yield Bound(what, actual, most)


def _sentence(bound: Bound) -> str:
    if bound.least > 0:
        return f"{bound.what}: {bound.actual:.3g}, not between {bound.least:.3g} and {bound.most:.3g}"
    return f"{bound.what}: {bound.actual:.12g}, and at most {bound.most:.12g} is allowed"
