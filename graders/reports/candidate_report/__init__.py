"""What each candidate may see of a run: a page and a JSON file for each submission, ``--report candidate=DIR``.

Each is safe to hand out: it is made from `candidate_record` alone, and names no other submission.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from gradebox.graders.documents.paths import file_name
from gradebox.graders.reports.candidate_report.candidate_page import candidate_page
from gradebox.graders.reports.candidate_report.candidate_record import CandidateRecord, candidate_record
from gradebox.graders.reports.report_settings import AS_USUAL, ReportSettings
from gradebox.graders.runs.saved_run import SavedRun


class Handout(NamedTuple):
    """What is handed out for one submission."""

    name: str  # Of the submission, with its target if it has one.
    records: tuple[CandidateRecord, ...]

    def as_json(self) -> str:
        value: dict[str, Any] = {"schema_version": 1, "submission": self.name}
        return json.dumps(value | {"results": [asdict(one) for one in self.records]})


def handouts(run: SavedRun, settings: ReportSettings) -> Iterator[Handout]:
    """Yield what is handed out for each submission, in the order of the run."""
    keys: dict[str, list[Any]] = {}
    for key in run.verdicts:
        keys.setdefault(f"{key.submission} ({key.target})" if key.target else key.submission, []).append(key)
    for name, own in keys.items():
        records = (candidate_record(run, run.verdicts[key], after=settings.after) for key in own)
        yield Handout(name, tuple(records))


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
        page = candidate_page(one.name, one.records)
        place.with_name(f"{place.name}.html").write_text(page, "utf-8", "replace", newline="")


write_with_settings = write
