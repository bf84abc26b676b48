"""An attack on one case: its gradings, and the outcome of each cheat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple, Self

from gradebox.graders.authoring.attack.battery import STUBS, Cheat, battery
from gradebox.graders.authoring.attack.remedies import bent, remedies
from gradebox.graders.authoring.attack.surface import surface
from gradebox.graders.checks.items import Items
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.grader import Grader
from gradebox.graders.grading.task import Task
from gradebox.graders.model.case import Case, CaseCheck
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import UNTOUCHED, Submission
from gradebox.graders.model.verdict import Status

NOTHING = "nothing/done"
NO_FIT = "did not fit"
# No cheat needs more time than this, and some would use all the time they get.
_MOST_SECONDS = 20.0
# How many first items of a list are tried: a cheat that fails them fails the list.
_FIRST_ITEMS = 1


class AttackOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_GRADED = "error"

    @property
    def word(self) -> str:
        return {"passed": "CHEATED", "failed": "HELD", "error": "NOT GRADED"}[self.value]


class TriedCheat(NamedTuple):
    """One cheat on one case: its outcome, and remedies for the author if it passed."""

    cheat: str
    about: str
    outcome: str
    score: float | None = None
    reason: str = ""
    remedies: tuple[str, ...] = ()
    wall_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class CaseAttack:
    """The gradings of an attack: an empty submission, then all cheats that fit. `problem`: why none is possible."""

    whole: Case  # The unchanged case.
    case: Case  # The case with a shorter timeout.
    first: Case  # `case` with only the first items of every list: a cheat that fails here also fails in `case`.
    cheats: tuple[Cheat, ...]
    problem: str = ""

    @property
    def gradings(self) -> tuple[Submission, ...]:
        return tuple(cheat.submission for cheat in self.cheats if cheat.submission is not None)

    def carried_out(self, grader: Grader, *, jobs: int) -> tuple[TriedCheat, ...] | None:
        """Grade the cheats, `jobs` at a time. Return the outcome of each, None if the grader was stopped."""
        return self.settled(grader).graded(grader, jobs=jobs)

    def settled(self, grader: Grader) -> Self:
        """Return the attack with the isolation of the whole case also set in its reduced cases."""
        crossing = grader.settle(self.whole).crossing
        changed = {name: replace(getattr(self, name), crossing=crossing) for name in ("case", "first")}
        return replace(self, **changed)

    def graded(self, grader: Grader, *, jobs: int) -> tuple[TriedCheat, ...] | None:
        """Return the outcome of each cheat, None if the grader was stopped."""
        results = list(grader.grade_many((Task(self.first, each) for each in self.gradings), jobs=jobs))
        if len(results) < len(self.gradings):
            return None
        if self.first != self.case:
            passed = [number for number, each in enumerate(results) if each.verdict.status is Status.PASSED]
            again = grader.grade_many((Task(self.case, self.gradings[number]) for number in passed), jobs=jobs)
            for number, result in zip(passed, again, strict=False):
                results[number] = result
        return None if grader.stopped else self.tried(results)

    def tried(self, results: Sequence[Result]) -> tuple[TriedCheat, ...]:
        """Return the outcome of each cheat, from the results of the gradings in their order."""
        if self.problem:
            return (TriedCheat(NOTHING, "", AttackOutcome.NOT_GRADED, reason=self.problem),)
        found = {result.submission: result for result in results}
        if self.case.expect_untouched == "pass" and (STUBS not in found or _passed(found[STUBS])):
            # The verdict does not depend on the replaced files, so a cheat that passes proves nothing.
            why = "a submission whose functions do nothing passes, as this case expects"
            return tuple(TriedCheat(cheat.name, cheat.about, NO_FIT, reason=why) for cheat in self.cheats)
        untouched = found[NOTHING]
        return tuple(self._tried(cheat, found.get(cheat.name), untouched) for cheat in self.cheats)

    def _tried(self, cheat: Cheat, result: Result | None, untouched: Result) -> TriedCheat:
        if result is None:
            return TriedCheat(cheat.name, cheat.about, NO_FIT, reason=cheat.misfit)
        if cheat.name == NOTHING and _passed(result) and self.case.expect_untouched == "pass":
            return TriedCheat(cheat.name, cheat.about, NO_FIT, reason="the untouched workspace passes, as expected")
        verdict = result.verdict
        if cheat.name == NOTHING and verdict.score is None and verdict.partial_score is None:
            return TriedCheat(cheat.name, cheat.about, NO_FIT, reason="without an answer nothing can be judged")
        checks = bent(self.case, result, untouched) if _passed(result) else ()
        told = tuple(remedies(cheat.family, self.case, checks))
        score, reason = verdict.gated_score, "; ".join(verdict.reasons)
        return TriedCheat(cheat.name, cheat.about, str(verdict.status), score, reason, told, result.wall_seconds)


def _passed(result: Result) -> bool:
    return result.verdict.status is Status.PASSED


def outcome_of(tried: Iterable[TriedCheat]) -> AttackOutcome:
    found = {each.outcome for each in tried}
    order = (AttackOutcome.PASSED, AttackOutcome.NOT_GRADED)
    return next((outcome for outcome in order if outcome in found), AttackOutcome.FAILED)


def by_remedy(tried: Iterable[TriedCheat]) -> Mapping[str, list[TriedCheat]]:
    """Return the cheats that passed, by remedy."""
    found: dict[str, list[TriedCheat]] = {}
    for each in tried:
        for remedy in each.remedies:
            found.setdefault(remedy, []).append(each)
    return found


def plan_attack(case: Case, globs: Iterable[str] = ()) -> CaseAttack:
    """Plan the gradings of an attack on a case, with all cheats or those whose names match a glob."""
    wanted = tuple(globs)
    nothing = Cheat(NOTHING, "Leaves the workspace as it is.", replace(UNTOUCHED, name=NOTHING))
    hurried = replace(case, timeout_seconds=min(case.timeout_seconds, _MOST_SECONDS))
    try:
        fitting = tuple(battery(surface(case)))
    except (GraderError, OSError) as error:
        return CaseAttack(case, case, case, (), str(error))
    chosen = (
        each
        for each in fitting
        if not wanted or each.name == STUBS or any(fnmatchcase(each.name, glob) for glob in wanted)
    )
    checks = tuple(map(_with_first_items, case.checks))
    first = hurried if checks == case.checks else replace(hurried, checks=checks)
    return CaseAttack(case, hurried, first, (nothing, *chosen))


def _with_first_items(check: CaseCheck) -> CaseCheck:
    if isinstance(check, Items) and len(check.items) > _FIRST_ITEMS:
        return check.but(items=check.items[:_FIRST_ITEMS])
    return check
