"""The file of a course: times in any zone, what late submissions keep, and mistakes with their places."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gradebox.graders.errors import UsageRefused
from gradebox.graders.reports.gradebook_report.course_file import Course, read_course

TEXT = """
deadline: 2026-11-30 23:59
time_zone: Europe/Berlin
grace: 10m
late: {3d: 0.5, 12h: 0.9}
extensions: {ada: 2026-12-02T12:00:00+00:00}
attempts: best
points: 100
times: times.csv
"""
DUE = datetime(2026, 11, 30, 22, 59, tzinfo=UTC)


def course(root: Path, text: str = TEXT, times: str = "name,time\n") -> Course:
    (root / "times.csv").write_text(times)
    (root / "course.yaml").write_text(text)
    return read_course(root / "course.yaml")


def test_times_are_read_in_their_zone(tmp_path: Path) -> None:
    found = course(tmp_path)
    assert found.deadline == DUE
    assert found.extensions == {"ada": datetime(2026, 12, 2, 12, tzinfo=UTC)}
    assert (found.grace_seconds, found.attempts, found.points) == (600, "best", 100)
    assert found.late == ((12 * 3600, 0.9), (3 * 86_400, 0.5))


@pytest.mark.parametrize(
    ("late", "seconds", "share"),
    [
        (timedelta(minutes=-1), 0, 1.0),
        (timedelta(minutes=10), 0, 1.0),
        (timedelta(minutes=11), 660, 0.9),
        (timedelta(hours=12), 43_200, 0.9),
        (timedelta(hours=13), 46_800, 0.5),
        (timedelta(days=3, seconds=1), 259_201, 0.0),
    ],
)
def test_a_late_submission_keeps_what_the_mapping_says(
    tmp_path: Path, late: timedelta, seconds: float, share: float
) -> None:
    found = course(tmp_path)
    assert found.late_seconds("ben", DUE + late) == seconds
    assert found.share(seconds) == share


def test_without_a_mapping_a_late_submission_keeps_everything(tmp_path: Path) -> None:
    found = course(tmp_path, "deadline: 2026-11-30T00:00:00Z\n")
    assert found.late_seconds("ben", DUE) > 0
    assert found.share(1e9) == 1.0
    assert Course().late_seconds("ben", DUE) == 0


def test_an_extension_is_a_deadline_of_its_own(tmp_path: Path) -> None:
    assert course(tmp_path).late_seconds("ada", datetime(2026, 12, 2, 12, tzinfo=UTC)) == 0
    assert course(tmp_path).late_seconds("ada", None) == 0


def test_times_come_from_a_table_of_a_learning_platform(tmp_path: Path) -> None:
    table = "\ufeffName,Time,Attempt,more\nada,2026-11-30 23:00,,x\nben,2026-12-01T00:00+01:00,2,\ncleo,,,\n"
    assert course(tmp_path, times=table).times == {
        ("ada", ""): datetime(2026, 11, 30, 22, tzinfo=UTC),
        ("ben", "2"): datetime(2026, 11, 30, 23, tzinfo=UTC),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("deadline: soon\n", "course.yaml:1:11: .*`deadline` must be a time"),
        ("deadline: 2026-11-30\n", "has no time zone"),
        ("time_zone: Mars\n", "cannot be `Mars`"),
        ("time_zone: ../etc\n", "time_zone"),
        ("late: {later: 0.5}\n", "later is not a duration"),
        ("late: {1d: 2}\n", "late"),
        ("grace: 1 year\n", "must be a duration"),
        ("dedline: 2026-11-30\n", "unknown key `dedline`.*`deadline`"),
        ("attempts: first\n", "attempts"),
        ("times: nothing.csv\n", "cannot be read"),
        ("{", "course.yaml"),
    ],
)
def test_a_mistake_is_refused_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageRefused, match=says):
        course(tmp_path, text)


@pytest.mark.parametrize(
    ("times", "says"),
    [("a,b\n1,2\n", "there is no student"), ("name,time\nada,noon\n", "times.csv:2: noon is not a time")],
)
def test_a_mistake_in_the_table_is_refused_with_its_line(tmp_path: Path, times: str, says: str) -> None:
    with pytest.raises(UsageRefused, match=says):
        course(tmp_path, times=times)


def test_a_course_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageRefused, match="course"):
        read_course(tmp_path / "course.yaml")
