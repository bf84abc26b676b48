"""``grade report``: print a report of a run, or write it to a file, without any engine."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from gradebox.graders.cli import completion
from gradebox.graders.cli.help import command_app, examples, listed
from gradebox.graders.cli.options import (
    AfterOption,
    AudienceOption,
    CourseOption,
    OutputOption,
    RosterOption,
    RunArgument,
    option,
)
from gradebox.graders.reports.report_formats import check_audience, check_format, formats, pieces, save_report
from gradebox.graders.reports.report_settings import Audience, ReportSettings

FormatOption = Annotated[
    str, option(None, "--format -f FORMAT", f"{listed(formats(), 'or')}.", autocompletion=completion.report_formats)
]
OpenOption = Annotated[bool, typer.Option("--open", help="Open the file of --output in the browser.")]

app = command_app()


@app.command(epilog=examples("grade report latest", "grade report latest -f html -o report.html --open"))
def report(
    run: RunArgument,
    form: FormatOption = "text",
    place: OutputOption = None,
    audience: AudienceOption = Audience.AUTHOR,
    after: AfterOption = False,
    course: CourseOption = None,
    roster: RosterOption = None,
    opens: OpenOption = False,
) -> None:
    """Write a report on a run.

    No engine is needed.
    """
    from gradebox.graders.cli import console
    from gradebox.graders.cli.browser import open_file
    from gradebox.graders.errors import UsageRefused
    from gradebox.graders.reports.gradebook_report.roster import remarks
    from gradebox.graders.runs.history.run_names import find_run
    from gradebox.graders.runs.saved_run import read_run

    settings = ReportSettings(audience, after, course, roster)
    check_format(form)
    check_audience([form], settings)
    found = read_run(find_run(run))
    if not settings.for_candidates:
        students = {str(verdict.origin.get("student") or verdict.submission) for verdict in found.verdicts.values()}
        console.warn(*remarks(roster, students))
    if place is not None:
        save_report(found, form, place, settings)
        if opens and (problem := open_file(place)):
            console.warn(problem)
        return
    if opens:
        raise UsageRefused("--open needs a file to open.", remedy="Name it with -o, such as -o report.html.")
    if form != "text" and isinstance(sys.stdout, io.TextIOWrapper):
        # Whatever the locale: how a file is encoded is a part of its format.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    for piece in pieces(found, form, settings):
        sys.stdout.write(piece)
