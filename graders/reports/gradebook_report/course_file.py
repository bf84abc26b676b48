"""Reads the file of a course: its deadline, the share of points for late submissions, and which attempt counts."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, TypeAdapter

from gradebox.graders.documents.diagnostics import Findings
from gradebox.graders.documents.entries import Entry, optional
from gradebox.graders.documents.fields import Fraction, Name, Number
from gradebox.graders.documents.reader import Reader, open_document
from gradebox.graders.documents.scalars import Trap
from gradebox.graders.documents.validators import After, Before, refused
from gradebox.graders.errors import UsageRefused
from gradebox.graders.reports.gradebook_report.roster import NAME_COLUMNS
from gradebox.sandbox.records import dataclass

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|d)\Z")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_TIMES = ("submitted", "time")


def _seconds(text: str) -> float:
    match = _DURATION.match(text.strip())
    if not match:
        raise refused(f"must be a duration, not `{text[:40]}`", "Write it like `10m`, `12h` or `2d`.")
    return float(match[1]) * _SECONDS[match[2]]


def _written(value: Any) -> Any:
    return value.text if isinstance(value, Trap) else value


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise refused(f"must be a time, not `{text[:40]}`", "Write it like `2026-11-30 23:59`.") from None


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise refused(f"cannot be `{name[:40]}`", "Write it like `Europe/Berlin`.") from None


_Duration = Annotated[str, After(_seconds)]
_Moment = Annotated[str, Before(_written), After(_moment)]


class CourseEntry(Entry):
    """The fields of a course file."""

    deadline: _Moment | None = optional("When submissions are due.")
    time_zone: Annotated[str, After(_zone)] | None = optional("Time zone of times that state none.")
    grace: _Duration | None = optional("How long after the deadline a submission is still in time.")
    late: dict[str, Fraction] = optional(
        "The share of the points that a late submission keeps, by its longest delay. After the last, it keeps none.",
        default_factory=dict,
    )
    extensions: dict[Name, _Moment] = optional("Later deadlines, by student.", default_factory=dict)
    attempts: Literal["last", "best"] = optional("Which attempt of a student counts.", default="last")
    points: Annotated[Number, Field(gt=0)] | None = optional(
        "The total number of points. Default: the sum of the checks' points."
    )
    times: Name | None = optional("A CSV file with the columns `name` and `time`, in place of the times of files.")


@dataclass(frozen=True, slots=True)
class Course:
    """The rules for marking a class; times are in UTC, durations in seconds."""

    deadline: datetime | None = None
    grace_seconds: float = 0.0
    late: tuple[tuple[float, float], ...] = ()  # The most seconds late, and the share of points kept; in order.
    extensions: Mapping[str, datetime] | None = None
    attempts: str = "last"
    points: float | None = None
    roster: tuple[str, ...] = ()  # All students; empty if unknown.
    # Submission times by student and attempt, which may be empty; None to use the times of files.
    times: Mapping[tuple[str, str], datetime] | None = None

    def late_seconds(self, student: str, submitted: datetime | None) -> float:
        """Return how many seconds late a submission is; 0 within the grace period, and if a time is unknown."""
        due = (self.extensions or {}).get(student, self.deadline)
        if due is None or submitted is None:
            return 0.0
        seconds = (submitted - due).total_seconds()
        return seconds if seconds > self.grace_seconds else 0.0

    def share(self, late_seconds: float) -> float:
        """Return the share of its points that a submission keeps."""
        if late_seconds <= 0 or not self.late:
            return 1.0
        return next((share for most, share in self.late if late_seconds <= most), 0.0)


def read_course(file: Path) -> Course:
    """Read a course file and the file of times that it names. Raises UsageRefused for mistakes, with their places."""
    findings = Findings()
    document = open_document(file, findings)
    entry = None
    if document is not None:
        entry = Reader(document, os.environ, findings).read(TypeAdapter(CourseEntry), document.data)
    if entry is None:
        raise UsageRefused("\n".join(map(str, findings)))
    found: Any = entry
    late = []
    for written, share in found.late.items():
        match = _DURATION.match(written.strip())
        if not match:
            raise UsageRefused(f"{file}: late: {written} is not a duration.", remedy="Write it like `12h` or `2d`.")
        late.append((float(match[1]) * _SECONDS[match[2]], share))
    return Course(
        deadline=None if found.deadline is None else _in_utc(found.deadline, found.time_zone, file),
        grace_seconds=found.grace or 0.0,
        late=tuple(sorted(late)),
        extensions={name: _in_utc(time, found.time_zone, file) for name, time in found.extensions.items()},
        attempts=found.attempts,
        points=found.points,
        times=dict(_times(file.parent / found.times, found.time_zone)) if found.times else None,
    )


def _in_utc(time: datetime, zone: tzinfo | None, file: Path) -> datetime:
    if time.tzinfo is None and zone is None:
        raise UsageRefused(f"{file}: {time} has no time zone.", remedy="Write `time_zone: Europe/Berlin`, for example.")
    return (time if time.tzinfo else time.replace(tzinfo=zone)).astimezone(UTC)


def _times(file: Path, zone: tzinfo | None) -> Iterator[tuple[tuple[str, str], datetime]]:
    try:
        lines = list(csv.DictReader(file.read_text("utf-8-sig").splitlines()))
    except (OSError, ValueError, csv.Error) as error:
        raise UsageRefused(f"{file} cannot be read: {error}.") from error
    for number, line in enumerate(lines, 2):
        cells = {str(key).strip().lower(): value.strip() for key, value in line.items() if isinstance(value, str)}
        name, time = (next((cells[key] for key in keys if key in cells), "") for keys in (NAME_COLUMNS, _TIMES))
        if not name:
            raise UsageRefused(f"{file}:{number}: there is no student.", remedy="Name the columns `name` and `time`.")
        if time:
            try:
                moment = datetime.fromisoformat(time)
            except ValueError:
                remedy = "Write it like `2026-11-30 23:59`."
                raise UsageRefused(f"{file}:{number}: {time} is not a time.", remedy=remedy) from None
            yield (name, cells.get("attempt", "")), _in_utc(moment, zone, file)
