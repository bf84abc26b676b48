"""Adds a run to a job of GitHub Actions: a report in the summary of the step, and annotations at its cases.

GitHub shows ten annotations of each kind for a step, so no more are written. A failed verdict is an error, and one that
could not be graded is a warning. A notice has the counts. Errors here do not make a run fail: its verdicts are final.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from gradebox.graders.model.case import Place
from gradebox.graders.reports import markdown_report
from gradebox.graders.reports.candidate_report.candidate_forms import candidate_records
from gradebox.graders.reports.candidate_report.candidate_markdown import candidate_markdown, counted_results, title_of
from gradebox.graders.reports.candidate_report.candidate_page import marks
from gradebox.graders.reports.ci_log import write_command
from gradebox.graders.reports.escaping import inert, plain_line
from gradebox.graders.reports.report_settings import AS_USUAL, ReportSettings
from gradebox.graders.reports.verdict_names import VerdictNames
from gradebox.graders.runs.saved_run import SavedRun

PER_KIND = 10
# GitHub's limit for all summaries of one step together; it drops a larger file entirely.
SUMMARY_MAX = 1024 * 1024
# With less space than this, no summary is written.
_LEAST = 4096
_KINDS = {"failed": "error", "error": "warning"}


def publish(
    run: SavedRun,
    places: Mapping[str, Place],
    environ: Mapping[str, str] = os.environ,
    settings: ReportSettings = AS_USUAL,
) -> str:
    """Write the summary and the annotations if this is a job of GitHub Actions.

    `places` has the place of each case by id. Returns why there is no summary; empty if there is one.
    """
    if environ.get("GITHUB_ACTIONS") != "true":
        return ""
    workspace = Path(environ.get("GITHUB_WORKSPACE") or Path.cwd())
    for line in (
        annotated_for_candidates(run, settings) if settings.for_candidates else annotated(run, places, workspace)
    ):
        write_command(line)
    summary = environ.get("GITHUB_STEP_SUMMARY")
    try:
        return _append(run, Path(summary), settings) if summary else ""
    except OSError as error:
        return f"The summary {summary} cannot be written: {error.strerror}."


def annotated(run: SavedRun, places: Mapping[str, Place], workspace: Path) -> Iterator[str]:
    """Yield the workflow commands for a run, a line each."""
    names = VerdictNames(run.verdicts)
    counts: Counter[str] = Counter()
    found: dict[str, list[str]] = {status: [] for status in _KINDS}
    for verdict in run.verdicts.values():
        status = verdict.verdict
        counts[status] += 1
        if status in found and len(found[status]) < PER_KIND:
            title = f"{names.name(verdict)}: {'failed' if status == 'failed' else 'could not be graded'}"
            message = "; ".join(verdict.reasons) or title
            place = places.get(verdict.case)
            found[status].append(command(_KINDS[status], message, title=title, place=place, workspace=workspace))
    for lines in found.values():
        yield from lines
    yield command("notice", f"{markdown_report.counted(counts)}. Run {run.id}.", title="gradebox")


def annotated_for_candidates(run: SavedRun, settings: ReportSettings) -> Iterator[str]:
    """Yield workflow commands with what candidates may see. They have no places, since a case's path may be hidden."""
    records = list(candidate_records(run, settings))
    for kind, verdict in (("error", "failed"), ("warning", "could not be graded")):
        for record in [one for one in records if one.verdict == verdict][:PER_KIND]:
            wrong = [check.name for check in record.checks if check.verdict == "failed"]
            message = "; ".join(filter(None, (*record.told, marks(record.points, record.of), ", ".join(wrong))))
            yield command(kind, message, title=f"{title_of(record)}: {verdict}")
    yield command("notice", counted_results(records), title="gradebox")


def command(kind: str, message: str, *, title: str, place: Place | None = None, workspace: Path | None = None) -> str:
    """Return one workflow command: an ``error``, ``warning`` or ``notice``, whose message becomes one line.

    A place outside of `workspace`, the directory of the checkout, is omitted.
    """
    properties = {"title": inert(plain_line(title, 200))}
    if place is not None and workspace is not None and place.file.resolve().is_relative_to(workspace.resolve()):
        file = place.file.resolve().relative_to(workspace.resolve())
        properties |= {"file": plain_line(str(file), 1000), "line": str(max(1, place.line))}
    described = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {described}::{_data(inert(plain_line(message)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _append(run: SavedRun, summary: Path, settings: ReportSettings) -> str:
    # Other calls in this step may have written to the file.
    left = SUMMARY_MAX - (summary.stat().st_size if summary.exists() else 0)
    if left < _LEAST:
        return f"The summary {summary} is full: GitHub takes at most {SUMMARY_MAX // 1024} KiB per step."
    with summary.open("a", encoding="utf-8") as stream:
        most = min(markdown_report.MAX_BYTES, left)
        for_candidates = candidate_markdown(candidate_records(run, settings), most)
        stream.writelines(for_candidates if settings.for_candidates else markdown_report.sized(run, most))
    return ""
