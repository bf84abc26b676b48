"""The gradings that check a case: its reference, its untouched workspace, and the submissions stored with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from gradebox.graders.authoring.expected_verdicts import ExpectedVerdict, read_kept
from gradebox.graders.authoring.surroundings import OTHER, elsewhere, possible
from gradebox.graders.cases.discovery import CASE_FILES
from gradebox.graders.checks.evaluation import is_apart
from gradebox.graders.documents.diagnostics import Findings, Severity
from gradebox.graders.errors import GraderError
from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import Crossing, Isolation
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import UNTOUCHED, Submission
from gradebox.graders.submissions.source import REFERENCE, read_reference, read_submission
from gradebox.sandbox.engines.engine import EngineInfo
from gradebox.sandbox.records import dataclass


class Subject(StrEnum):
    REFERENCE = "reference"
    # The reference, with `isolation: apart` although the case does not request it.
    APART = "apart"
    # The reference with other surroundings (`surroundings.OTHER`).
    ELSEWHERE = "elsewhere"
    # The reference while other sandboxes use all processors.
    UNDER_LOAD = "under load"
    UNTOUCHED = "untouched"
    SUBMISSION = "submission"


class Level(StrEnum):
    UNFAIR = "unfair"
    CHEATED = "cheated"
    NOT_GRADED = "not_graded"
    WARNING = "warning"


class Quality(StrEnum):
    """The quality of a case: fair and proof against all cheats, fair, fair except that a cheat passes, or not fair."""

    PROVEN = "proven"
    FAIR = "fair"
    CHEATED = "cheated"
    UNFAIR = "unfair"
    NOT_GRADED = "not_graded"


@dataclass(frozen=True, slots=True)
class QualityFinding:
    """One possible fault of a case: a sentence with the observation, and one with the remedy.

    Submission and check are empty if the finding is not about a single one.
    """

    level: Level
    message: str
    remedy: str = ""
    submission: str = ""
    check: str = ""


class PlannedGrading(NamedTuple):
    """One grading: the number of the repeat, from 1, and the verdict that the case expects, if it states one."""

    subject: Subject
    repeat: int
    submission: Submission
    expected: ExpectedVerdict | None = None
    changed: tuple[str, ...] = ()  # The changes of `surroundings.OTHER` that apply.

    def case(self, case: Case) -> Case:
        """Return the case as this grading uses it."""
        if self.changed:
            return elsewhere(case, self.changed)
        is_apart_tried = self.subject is Subject.APART
        return replace(case, isolation=Isolation.APART, crossing=None) if is_apart_tried else case


class SubjectResult(NamedTuple):
    subject: Subject
    repeat: int
    result: Result
    expected: ExpectedVerdict | None = None
    changed: tuple[str, ...] = ()


class QualityPlan(NamedTuple):
    """The gradings of one case, and the findings made while planning them."""

    case: Case
    gradings: tuple[PlannedGrading, ...]
    findings: tuple[QualityFinding, ...]

    def under_load(self) -> QualityPlan:
        """Return the gradings of the reference, to be repeated under load."""
        found = (each for each in self.gradings if each.subject is Subject.REFERENCE)
        return self._replace(gradings=tuple(each._replace(subject=Subject.UNDER_LOAD) for each in found))

    def on(self, engine: EngineInfo) -> QualityPlan:
        """Return this plan with only those changes of the surroundings that an engine can make."""
        gradings = (each._replace(changed=possible(each.changed, engine)) for each in self.gradings)
        return self._replace(gradings=tuple(gradings))

    def one_at_a_time(self) -> QualityPlan:
        """Return gradings of the reference that each change one of the surroundings."""
        found = (each for each in self.gradings if each.changed)
        return self._replace(gradings=tuple(each._replace(changed=(name,)) for each in found for name in each.changed))


def plan_gradings(case: Case, repeat: int, *, submissions: bool = True) -> QualityPlan:
    """Plan the gradings of a case, and find what prevents them.

    The reference and the untouched workspace are graded `repeat` times, and the submissions stored with the case once.
    The reference is also graded once with other surroundings, and once with `isolation: apart` if no other grading
    shows whether it passes that way.
    """
    findings: list[QualityFinding] = []
    mistakes = Findings()
    kept = read_kept(case, mistakes)
    for found in mistakes:
        level = Level.UNFAIR if found.severity is Severity.ERROR else Level.WARNING
        findings.append(QualityFinding(level, f"{found.place}: {found.message}.", found.hint))
    repeats = range(1, repeat + 1)
    gradings: list[PlannedGrading] = []
    reference = _reference(case, findings)
    if reference is not None:
        expected = kept.verdicts.get(REFERENCE)
        gradings += [PlannedGrading(Subject.REFERENCE, n, reference, expected) for n in repeats]
        apart = PlannedGrading(Subject.APART, 1, reference)
        # If isolation is still open, grading the reference decides it, which already tries `apart`.
        known = replace(case, crossing=Crossing(Isolation.APART)) if case.is_open else case
        if any(is_apart(check, apart.case(case)) and not is_apart(check, known) for check in case.checks):
            gradings.append(apart)
    gradings += [PlannedGrading(Subject.UNTOUCHED, n, UNTOUCHED) for n in repeats]
    for name, path in kept.paths.items() if submissions else ():
        try:
            submission = read_submission(path, name=name)
        except GraderError as error:
            findings.append(QualityFinding(Level.NOT_GRADED, error.message, error.remedy, name))
        else:
            gradings.append(PlannedGrading(Subject.SUBMISSION, 1, submission, kept.verdicts.get(name)))
    if reference is not None:
        # This comes last, since it needs another kind of sandbox.
        gradings.append(PlannedGrading(Subject.ELSEWHERE, 1, reference, changed=OTHER))
    return QualityPlan(case, tuple(gradings), tuple(findings))


def quality_of(findings: Iterable[QualityFinding], *, attacked: bool) -> Quality:
    """Return the quality that findings give together: a case that could not be graded is neither proven nor unfair.

    A case is proven only if cheats were tried (`attacked`).
    """
    levels = {finding.level for finding in findings}
    if Level.NOT_GRADED in levels:
        return Quality.NOT_GRADED
    if Level.UNFAIR in levels:
        return Quality.UNFAIR
    if Level.CHEATED in levels:
        return Quality.CHEATED
    return Quality.PROVEN if attacked else Quality.FAIR


def _reference(case: Case, findings: list[QualityFinding]) -> Submission | None:
    try:
        reference = read_reference(case)
    except GraderError as error:
        findings.append(QualityFinding(Level.NOT_GRADED, error.message, error.remedy, REFERENCE))
        return None
    if reference is None:
        message = "There is no reference, so nothing shows that the case can be passed."
        of_its_own = case.place.file.name in CASE_FILES
        where = f"Put a solution into {case.directory / REFERENCE}" if of_its_own else f"Write one at {case.place}"
        findings.append(QualityFinding(Level.UNFAIR, message, f"{where}, or name it with `reference_solution`."))
    return reference
