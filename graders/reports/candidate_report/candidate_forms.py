"""The report formats for candidates. No other reports are made for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from gradebox.graders.reports import candidate_report
from gradebox.graders.reports.candidate_report.candidate_junit import candidate_junit
from gradebox.graders.reports.candidate_report.candidate_markdown import candidate_markdown, counted_results, title_of
from gradebox.graders.reports.candidate_report.candidate_page import marks
from gradebox.graders.reports.candidate_report.candidate_record import CandidateRecord, candidate_record
from gradebox.graders.reports.escaping import visible
from gradebox.graders.reports.markdown_report import MAX_BYTES
from gradebox.graders.reports.report_settings import ReportSettings
from gradebox.graders.runs.saved_run import SavedRun

Form: TypeAlias = Callable[[SavedRun, ReportSettings], Iterator[str]]


def candidate_records(run: SavedRun, settings: ReportSettings) -> Iterator[CandidateRecord]:
    """Yield the record of each verdict of a run that its candidate may see."""
    return (candidate_record(run, verdict, after=settings.after) for verdict in run.verdicts.values())


def candidate_lines(records: Iterator[CandidateRecord]) -> Iterator[str]:
    """Yield the records as lines for a terminal or a log."""
    listed = list(records)
    for record in listed:
        yield f"{visible(title_of(record))}: {record.verdict}, {marks(record.points, record.of)}\n"
        yield from (f"  {visible(sentence)}\n" for sentence in record.told)
        for check in record.checks:
            said = ", ".join(filter(None, (check.verdict, marks(check.points, check.of), check.message)))
            yield f"  {visible(check.name)}: {visible(said)}\n"
        if record.hidden_checks:
            yield f"  hidden checks: {record.hidden_checks}, {marks(record.hidden_points, record.hidden_of)}\n"
    yield f"{counted_results(listed)}\n"


FORMS: Mapping[str, Form] = {
    "candidate": candidate_report.report,
    "junit": lambda run, settings: candidate_junit(candidate_records(run, settings)),
    "markdown": lambda run, settings: candidate_markdown(candidate_records(run, settings), MAX_BYTES),
    "text": lambda run, settings: candidate_lines(candidate_records(run, settings)),
}
