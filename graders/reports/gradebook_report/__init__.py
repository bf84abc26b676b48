"""A run as the gradebook of a class: a CSV table with a row for each student and a column for each check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradebox.graders.reports.csv_report import csv_line
from gradebox.graders.reports.gradebook_report.course_file import Course, read_course
from gradebox.graders.reports.gradebook_report.marking import Gradebook, gradebook
from gradebox.graders.reports.gradebook_report.roster import NOT_LISTED, read_roster
from gradebox.graders.reports.report_settings import AS_USUAL, ReportSettings
from gradebox.graders.runs.saved_run import SavedRun

_BEFORE = ("student", "attempts", "attempt", "verdict", "submitted", "late_hours")
_AFTER = ("points", "share", "total", "of")


def gradebook_of(run: SavedRun, settings: ReportSettings) -> Gradebook:
    """Return the gradebook of a run, marked by the rules of the course file.

    Raises UsageRefused for mistakes in the course file or the roster.
    """
    course = Course() if settings.course is None else read_course(settings.course)
    if settings.roster is not None:
        course = replace(course, roster=read_roster(settings.roster))
    return gradebook(run.verdicts.values(), course)


def report(run: SavedRun) -> Iterator[str]:
    return with_settings(run, AS_USUAL)


def with_settings(run: SavedRun, settings: ReportSettings) -> Iterator[str]:
    """Yield the lines of the table. Raises UsageRefused for mistakes in the course file."""
    found = gradebook_of(run, settings)
    alone = len({column.case for column in found.columns}) < 2
    named = (column.check if alone else f"{column.case}: {column.check}" for column in found.columns)
    yield csv_line((*_BEFORE, *named, *_AFTER))
    for student in found.students:
        one = student.counts
        cells = (one.cells.get(column) for column in found.columns)
        submitted = one.submitted.isoformat(timespec="seconds") if one.submitted else ""
        words = "; ".join(dict.fromkeys((*one.verdicts, *(() if student.is_listed else (NOT_LISTED,)))))
        hours = round(one.late_seconds / 3600, 2)
        before = (student.name, student.attempts, one.number, words, submitted, hours)
        yield csv_line((*before, *cells, one.points, one.share, one.total, found.of))
