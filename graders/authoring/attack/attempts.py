"""An attack on one case: what is graded for it, and what became of each cheat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple

from graders.authoring.attack.battery import Cheat, battery
from graders.authoring.attack.remedies import bent, remedies
from graders.authoring.attack.surface import surface
from graders.errors import GraderError
from graders.model.case import Case
from graders.model.result import Result
from graders.model.submission import UNTOUCHED, Submission
from graders.model.verdict import Status

NOTHING = "nothing/done"
# No cheat needs more time than this, and some would use up all that they get.
_MOST_SECONDS = 20.0


class AttackOutcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_GRADED = "error"

    @property
    def word(self) -> str:
        return {"passed": "CHEATED", "failed": "HELD", "error": "NOT GRADED"}[self.value]


class TriedCheat(NamedTuple):
    """One cheat on one case: what became of it, and what an author changes where it passed."""

    cheat: str
    about: str
    outcome: str
    score: float | None = None
    reason: str = ""
    remedies: tuple[str, ...] = ()
    wall_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class CaseAttack:
    """What is graded: nothing at all first, then all cheats that fit; and why nothing is, where the case is broken."""

    case: Case
    cheats: tuple[Cheat, ...]
    problem: str = ""

    @property
    def gradings(self) -> tuple[Submission, ...]:
        return tuple(cheat.submission for cheat in self.cheats if cheat.submission is not None)

    def attempts(self, results: Sequence[Result]) -> tuple[TriedCheat, ...]:
        """Return what became of each cheat, given the results of the gradings in their order."""
        if self.problem:
            return (TriedCheat(NOTHING, "", AttackOutcome.NOT_GRADED, reason=self.problem),)
        pending = iter(results)
        untouched = results[0]
        return tuple(
            self._attempt(cheat, next(pending) if cheat.submission else None, untouched) for cheat in self.cheats
        )

    def _attempt(self, cheat: Cheat, result: Result | None, untouched: Result) -> TriedCheat:
        if result is None:
            return TriedCheat(cheat.name, cheat.about, "did not fit", reason=cheat.misfit)
        verdict = result.verdict
        outcome = str(verdict.status)
        told: tuple[str, ...] = ()
        if verdict.status is Status.PASSED:
            told = tuple(remedies(cheat.family, bent(self.case, result, untouched)))
        score = verdict.gated_score
        return TriedCheat(
            cheat.name, cheat.about, outcome, score, "; ".join(verdict.reasons), told, result.wall_seconds
        )

    def outcome(self, attempts: Sequence[TriedCheat]) -> AttackOutcome:
        found = {attempt.outcome for attempt in attempts}
        order = (AttackOutcome.PASSED, AttackOutcome.NOT_GRADED)
        return next((outcome for outcome in order if outcome in found), AttackOutcome.FAILED)

    def remedies(self, attempts: Sequence[TriedCheat]) -> Mapping[str, list[str]]:
        """Return the cheats that passed by what an author changes against them."""
        found: dict[str, list[str]] = {}
        for attempt in attempts:
            for remedy in attempt.remedies:
                found.setdefault(remedy, []).append(attempt.cheat)
        return found


def plan_attack(case: Case, globs: Iterable[str] = ()) -> CaseAttack:
    """Plan the gradings of an attack on a case, with all cheats or those whose names match a glob."""
    wanted = tuple(globs)
    nothing = Cheat(NOTHING, "Leaves the workspace as it is.", replace(UNTOUCHED, name=NOTHING))
    hurried = replace(case, timeout_seconds=min(case.timeout_seconds, _MOST_SECONDS))
    try:
        fitting = tuple(battery(surface(case)))
    except (GraderError, OSError) as error:
        return CaseAttack(case, (), str(error))
    chosen = (cheat for cheat in fitting if not wanted or any(fnmatchcase(cheat.name, glob) for glob in wanted))
    return CaseAttack(hurried, (nothing, *chosen))
