"""Reports for candidates: a page and a JSON file for each submission, ``--report candidate=DIR``.

They are safe to hand out: each is made only from `candidate_record`, and names no other submission.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from gradebox.graders.documents.paths import file_name
from gradebox.graders.grading.fingerprint import Key
from gradebox.graders.reports.candidate_report.candidate_page import candidate_page, marks
from gradebox.graders.reports.candidate_report.candidate_record import CandidateRecord, candidate_record
from gradebox.graders.reports.gradebook_report import gradebook_of
from gradebox.graders.reports.report_settings import AS_USUAL, ReportSettings
from gradebox.graders.runs.saved_run import SavedRun


class Standing(NamedTuple):
    """How a submission counts in its course."""

    submitted: str
    late_hours: float
    share: float
    total: float | None
    of: float
    counts: bool  # Whether it is the student's attempt that counts.

    def sentences(self) -> Iterator[str]:
        """Yield sentences that describe the standing."""
        if self.late_hours:
            yield f"Submitted {self.late_hours:g} hours late: {self.share:.0%} of the points count."
        yield f"Total: {marks(self.total, self.of)}."
        if not self.counts:
            yield "Another attempt counts."


class Handout(NamedTuple):
    """The report for the candidate of one submission."""

    name: str  # The name of the submission, with its target if it has one.
    records: tuple[CandidateRecord, ...]
    standing: Standing | None = None  # None without a course.

    def as_json(self) -> str:
        standing = self.standing._asdict() if self.standing else None
        value: dict[str, Any] = {"schema_version": 1, "submission": self.name, "standing": standing}
        return json.dumps(value | {"results": [asdict(one) for one in self.records]})

    def as_page(self) -> str:
        return candidate_page(self.name, self.records, *(self.standing.sentences() if self.standing else ()))


def handouts(run: SavedRun, settings: ReportSettings) -> Iterator[Handout]:
    """Yield the handout of each submission, in the order of the run."""
    standings = dict(_standings(run, settings)) if settings.course else {}
    keys: dict[str, list[Key]] = {}
    for key in run.verdicts:
        keys.setdefault(f"{key.submission} ({key.target})" if key.target else key.submission, []).append(key)
    for name, own in keys.items():
        records = (candidate_record(run, run.verdicts[key], after=settings.after) for key in own)
        yield Handout(name, tuple(records), standings.get(own[0].submission))


def _standings(run: SavedRun, settings: ReportSettings) -> Iterator[tuple[str, Standing]]:
    found = gradebook_of(run, settings)
    counting = {student.counts.submission for student in found.students}
    for one in found.attempts:
        submitted = one.submitted.isoformat(timespec="seconds") if one.submitted else ""
        hours = round(one.late_seconds / 3600, 2)
        yield (one.submission, Standing(submitted, hours, one.share, one.total, found.of, one.submission in counting))


def report(run: SavedRun, settings: ReportSettings = AS_USUAL) -> Iterator[str]:
    """Yield a line of JSON for each submission."""
    yield from (f"{one.as_json()}\n" for one in handouts(run, settings))


with_settings = report


def write(run: SavedRun, directory: Path, settings: ReportSettings = AS_USUAL) -> None:
    """Write a page and a JSON file for each submission. Raises OSError if they cannot be written."""
    directory.mkdir(parents=True, exist_ok=True)
    for one in handouts(run, settings):
        place = directory / file_name(one.name)
        place.with_name(f"{place.name}.json").write_text(f"{one.as_json()}\n", "ascii")
        place.with_name(f"{place.name}.html").write_text(one.as_page(), "utf-8", "replace", newline="")


write_with_settings = write
