"""The gradebook of a class: cells, attempts, late submissions and what counts."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fabricated import check, graded, write

from gradebox.graders.model.result import Result
from gradebox.graders.reports.gradebook_report import with_settings
from gradebox.graders.reports.gradebook_report.course_file import Course
from gradebox.graders.reports.gradebook_report.marking import CheckColumn, Gradebook, gradebook
from gradebox.graders.reports.report_settings import ReportSettings
from gradebox.graders.runs.saved_run import SavedRun

NO_COURSE = Course()
DUE = datetime(2026, 1, 2, tzinfo=UTC)
LATE = Course(deadline=DUE, late=((86_400.0, 0.5),))


def hand_in(student: str, score: float | None, attempt: str = "", *, day: int = 1, case: str = "a") -> Result:
    submitted = datetime(2026, 1, day, tzinfo=UTC).isoformat()
    origin = {"student": student, "attempt": attempt, "submitted": submitted}
    name = f"{student} ({attempt})" if attempt else student
    checks = check("tests", score, weight=8.0), check("style", 1.0, weight=2.0)
    return graded(case, *checks, submission=name, origin=origin)


def saved(root: Path, *results: Result) -> SavedRun:
    return write(root, results)


def book(root: Path, *results: Result, course: Course = NO_COURSE) -> Gradebook:
    return gradebook(saved(root, *results).verdicts.values(), course)


def test_a_row_has_the_points_of_each_check_and_their_sum(tmp_path: Path) -> None:
    found = book(tmp_path, hand_in("ben", 0.5), hand_in("ada", 1.0))
    assert [student.name for student in found.students] == ["ada", "ben"]
    assert (found.columns, found.of) == ((CheckColumn("a", "tests"), CheckColumn("a", "style")), 10.0)
    one = found.students[1].counts
    assert (dict(one.cells), one.points, one.total) == (
        {CheckColumn("a", "tests"): 4.0, CheckColumn("a", "style"): 2.0}, 6.0, 6.0
    )  # fmt: skip


def test_several_cases_are_added_up_and_one_that_is_missing_leaves_the_sum_open(tmp_path: Path) -> None:
    found = book(tmp_path, hand_in("ada", 1.0), hand_in("ada", 0.5, case="b"), hand_in("ben", 1.0))
    assert found.of == 20.0
    assert [student.counts.points for student in found.students] == [16.0, None]


def test_what_could_not_be_graded_has_no_points(tmp_path: Path) -> None:
    (student,) = book(tmp_path, hand_in("ada", None)).students
    assert (student.counts.points, student.counts.total) == (None, None)
    assert student.counts.cells[CheckColumn("a", "tests")] is None


def test_a_required_check_that_failed_takes_all_points(tmp_path: Path) -> None:
    failed = graded("a", check("tests", 0.0, required=True), check("style", 1.0), submission="ada")
    (student,) = book(tmp_path, failed).students
    assert student.counts.points == 0
    assert student.counts.cells[CheckColumn("a", "style")] == 1.0


@pytest.mark.parametrize(("attempts", "number"), [("last", "3"), ("best", "1")])
def test_the_last_or_the_best_attempt_counts_after_it_was_marked_as_late(
    tmp_path: Path, attempts: str, number: str
) -> None:
    tries = hand_in("ada", 0.5, "1", day=1), hand_in("ada", 0.2, "2", day=2), hand_in("ada", 1.0, "3", day=3)
    course = Course(deadline=DUE, late=((86_400.0, 0.5),), attempts=attempts)
    (student,) = book(tmp_path, *tries, course=course).students
    assert (student.attempts, student.counts.number) == (3, number)
    # 10 points a day late are worth 5, and 6 in time are worth 6.
    assert student.counts.total == (5.0 if attempts == "last" else 6.0)


def test_a_late_submission_loses_its_share(tmp_path: Path) -> None:
    (student,) = book(tmp_path, hand_in("ada", 1.0, day=3), course=LATE).students
    one = student.counts
    assert (one.late_seconds, one.share, one.points, one.total) == (86_400, 0.5, 10.0, 5.0)


def test_points_of_the_course_are_another_scale(tmp_path: Path) -> None:
    found = book(tmp_path, hand_in("ada", 0.5), course=Course(points=100))
    assert (found.of, found.students[0].counts.total, found.students[0].counts.points) == (100, 60.0, 6.0)


def test_a_table_of_times_takes_the_place_of_those_of_files(tmp_path: Path) -> None:
    times = {("ada", ""): datetime(2026, 1, 3, tzinfo=UTC), ("ben", "2"): DUE}
    course = Course(deadline=DUE, late=LATE.late, times=times)
    found = book(
        tmp_path, hand_in("ada", 1.0), hand_in("ben", 1.0, "2", day=9), hand_in("cleo", 1.0, day=9), course=course
    )
    assert [student.counts.share for student in found.students] == [0.5, 1.0, 1.0]
    assert found.students[2].counts.submitted is None


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", " =x"])
def test_no_cell_is_a_formula(tmp_path: Path, name: str) -> None:
    named: dict[str, Any] = {"submission": name, "origin": {"student": name}}
    run = saved(tmp_path, graded(f"case{name}", check(name, 1.0), **named))
    text = "".join(with_settings(run, ReportSettings()))
    (header, row) = csv.reader(text.splitlines())
    assert row[0] == f"'{name}"
    assert header[6] == f"'{name}"


def test_columns_name_their_cases_where_there_are_several(tmp_path: Path) -> None:
    run = saved(tmp_path, hand_in("ada", 1.0), hand_in("ada", 1.0, case="b"))
    header, row = csv.reader("".join(with_settings(run, ReportSettings())).splitlines())
    assert header == [
        "student", "attempts", "attempt", "verdict", "submitted", "late_hours",
        "a: tests", "a: style", "b: tests", "b: style", "points", "share", "total", "of",
    ]  # fmt: skip
    assert row[0:6] == ["ada", "1", "", "passed", "2026-01-01T00:00:00+00:00", "0.0"]


def test_a_roster_adds_who_submitted_nothing_and_tells_who_is_not_in_it(tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("name\nada\nben\n")
    run = saved(tmp_path, hand_in("ada", 1.0), hand_in("cleo", 0.5))
    rows = list(csv.DictReader("".join(with_settings(run, ReportSettings(roster=roster))).splitlines()))
    assert [(row["student"], row["attempts"], row["verdict"], row["total"], row["of"]) for row in rows] == [
        ("ada", "1", "passed", "10.0", "10.0"),
        ("ben", "0", "no submission", "0.0", "10.0"),
        ("cleo", "1", "failed; not in the roster", "6.0", "10.0"),
    ]
    assert rows[1]["tests"] == rows[1]["points"] == "0.0"
