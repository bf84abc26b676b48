"""The gradebook of a class: the attempts of each student, how late they are, and which of them counts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.reports.gradebook_report.course_file import Course
from gradebox.graders.reports.gradebook_report.roster import NO_SUBMISSION


class CheckColumn(NamedTuple):
    """One check of one case."""

    case: str
    check: str


class MarkedAttempt(NamedTuple):
    """The result of one submission of a student. Points are None if a part of it could not be graded.

    `total` has the points that count, after the deduction for lateness and in the scale of the course.
    """

    student: str
    number: str
    submission: str
    submitted: datetime | None
    late_seconds: float
    share: float
    cells: Mapping[CheckColumn, float | None]
    points: float | None
    total: float | None
    verdicts: tuple[str, ...]


class Student(NamedTuple):
    """A row of the gradebook."""

    name: str
    attempts: int
    counts: MarkedAttempt
    is_listed: bool = True  # Whether the student is in the roster, if there is one.


class Gradebook(NamedTuple):
    """All rows by name, the columns of checks, and the most points."""

    columns: tuple[CheckColumn, ...]
    of: float
    students: tuple[Student, ...]
    attempts: tuple[MarkedAttempt, ...]


def gradebook(verdicts: Iterable[VerdictDocument], course: Course) -> Gradebook:
    """Return the gradebook of the verdicts of a run."""
    columns: dict[CheckColumn, None] = {}
    worth: dict[str, float] = {}
    by_submission: dict[str, dict[str, VerdictDocument]] = {}
    for verdict in verdicts:
        columns |= dict.fromkeys(CheckColumn(verdict.case, check.name) for check in verdict.checks)
        worth[verdict.case] = max(worth.get(verdict.case, 0.0), sum(check.weight for check in verdict.checks))
        # If a submission was graded several times, the last grading counts.
        by_submission.setdefault(verdict.submission, {})[verdict.case] = verdict
    most = sum(worth.values())
    scale = course.points / most if course.points and most else 1.0
    attempts = [_attempt(name, found, worth, course, scale) for name, found in by_submission.items()]
    students: dict[str, list[MarkedAttempt]] = {}
    for one in attempts:
        students.setdefault(one.student, []).append(one)
    listed = {*course.roster} or {*students}
    rows = [Student(name, len(own), _counting(own, course), name in listed) for name, own in students.items()]
    rows += [Student(name, 0, _nothing(name, columns)) for name in listed - {*students}]
    rows.sort(key=lambda row: row.name)
    return Gradebook(tuple(columns), round(most * scale, 4), tuple(rows), tuple(attempts))


def _nothing(name: str, columns: Iterable[CheckColumn]) -> MarkedAttempt:
    """Return the result of a student who has submitted nothing."""
    return MarkedAttempt(name, "", "", None, 0.0, 0.0, dict.fromkeys(columns, 0.0), 0.0, 0.0, (NO_SUBMISSION,))


def _attempt(
    name: str, verdicts: Mapping[str, VerdictDocument], worth: Mapping[str, float], course: Course, scale: float
) -> MarkedAttempt:
    origin = next(iter(verdicts.values())).origin
    student, number = str(origin.get("student") or name), str(origin.get("attempt") or "")
    submitted = _submitted(student, number, origin.get("submitted"), course)
    late = course.late_seconds(student, submitted)
    share = course.share(late)
    cells = {
        CheckColumn(case, check.name): None if check.score is None else round(check.score * check.weight, 4)
        for case, verdict in verdicts.items()
        for check in verdict.checks
    }
    # If a case was not graded for this submission, as after an interruption, the sum is unknown.
    scores = [(verdicts[case].gated_score if case in verdicts else None, most) for case, most in worth.items()]
    points = None if any(score is None for score, _ in scores) else sum((score or 0.0) * most for score, most in scores)
    return MarkedAttempt(
        student, number, name, submitted, late, share, cells,
        None if points is None else round(points, 4),
        None if points is None else round(points * share * scale, 4),
        tuple(verdict.verdict for verdict in verdicts.values()),
    )  # fmt: skip


def _submitted(student: str, attempt: str, of_files: object, course: Course) -> datetime | None:
    if course.times is not None:
        return course.times.get((student, attempt)) or course.times.get((student, ""))
    return datetime.fromisoformat(of_files) if isinstance(of_files, str) and of_files else None


def _counting(attempts: Iterable[MarkedAttempt], course: Course) -> MarkedAttempt:
    """Return the attempt that counts: the one with the best total, or the last by time and number."""

    def last(one: MarkedAttempt) -> tuple[float, int, str]:
        time = one.submitted.timestamp() if one.submitted else 0.0
        return (time, int(one.number) if one.number.isdecimal() else 0, one.number)

    if course.attempts == "best":
        return max(attempts, key=lambda one: (-1.0 if one.total is None else one.total, last(one)))
    return max(attempts, key=last)
