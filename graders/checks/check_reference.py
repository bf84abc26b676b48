"""Checks that speak of other checks by name, and the order in which they must be judged. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graders.checks.base import CheckSpec
from graders.checks.composite import Composite
from graders.checks.judging import (
    error,
    not_judged,
    scored,
    unfinished,
)
from graders.checks.rubrics import Rubrics
from graders.model.case import Case
from graders.model.evidence import Evidence
from graders.model.plan import Stage
from graders.model.verdict import CheckResult, Status

if TYPE_CHECKING:
    from graders.grading.planner import Planner


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReference(CheckSpec):
    """The result of another check of the case, as a member of a composite.

    Attributes:
        check: Its name.
    """

    type: ClassVar[str] = "check"

    check: str


def stages(_spec: CheckReference, _case: Case, _planner: Planner) -> tuple[Stage, ...]:
    """Return nothing: the other check runs what it needs."""
    return ()


def judge(spec: CheckReference, case: Case, evidence: Evidence) -> CheckResult:
    """Take the score of the other check."""
    result = evidence.results.get(spec.check)
    if result is None:
        return error(spec, case, f"no check {spec.check} was judged before it")
    if result.status is Status.ERROR:
        return error(spec, case, f"{spec.check} could not be judged")
    if result.score is None:
        return not_judged(spec, case, f"{spec.check} was not judged")
    if result.unfinished:
        return unfinished(spec, case, result.reason)
    return scored(spec, case, result.score, result.reason)


def named_checks(spec: CheckSpec) -> Iterator[str]:
    """Yield the names of the checks whose results a check takes."""
    match spec:
        case CheckReference():
            yield spec.check
        case Rubrics():
            yield from (rubric.check for rubric in spec.rubrics if rubric.check is not None)
        case Composite():
            for member in spec.assertions:
                yield from named_checks(member)


def judging_order(specs: Sequence[CheckSpec]) -> tuple[int, ...]:
    """Return the positions of checks in the order in which they are judged: theirs, but what is named comes first.

    Checks that name each other in a circle come last; each then finds one that was not judged, and is an error.
    """
    positions = {spec.name: number for number, spec in enumerate(specs)}
    order: dict[int, None] = {}
    waiting = list(range(len(specs)))
    while waiting:
        ready = [
            number
            for number in waiting
            if all(positions.get(name, -1) == -1 or positions[name] in order for name in named_checks(specs[number]))
        ]
        if not ready:
            break
        order |= dict.fromkeys(ready)
        waiting = [number for number in waiting if number not in order]
    return (*order, *waiting)
