"""The commands of ``grade`` for runs that are over: report, show, compare and regrade.

Only their options are here; what they do is imported when they are called, so that ``grade --help`` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graders.cli import completion
from graders.cli.help import examples
from graders.cli.options import JsonLinesOption, QuietOption
from graders.errors import ExitCode

RunArgument = Annotated[Path, typer.Argument(help="A run directory.", metavar="RUN")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]


def report(
    run: RunArgument,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="text, json, csv, markdown, junit or html.",
            metavar="FORMAT",
            autocompletion=completion.report_formats,
        ),
    ] = "text",
    place: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where it is written; stdout without it.", metavar="FILE")
    ] = None,
) -> None:
    """Report a run, now or any time later.

    No engine is needed.
    """
    from graders.cli.commands.report import write_report  # noqa: PLC0415

    write_report(run, form, place)


def show(
    run: RunArgument,
    case: Annotated[str, typer.Argument(help="Id of a case, or how it begins where only one does.", metavar="CASE")],
    submission: Annotated[
        str | None, typer.Option("--submission", "-s", help="Only this submission of it.", metavar="NAME")
    ] = None,
    target: Annotated[str | None, typer.Option("--target", help="Only what this target made.", metavar="NAME")] = None,
    repeat: Annotated[int | None, typer.Option("--repeat", min=1, help="Only this repeat of it.", metavar="N")] = None,
) -> None:
    """Show all that a run knows of a case.

    Each command, how it ended, and what it printed.
    """
    from graders.cli.commands.report import show_case  # noqa: PLC0415

    show_case(run, case, submission, target, repeat)


def compare(
    before: Annotated[Path, typer.Argument(help="The run that is compared with.", metavar="RUN")],
    after: Annotated[Path, typer.Argument(help="The run that is compared.", metavar="RUN")],
    common: Annotated[
        bool, typer.Option("--common", help="Leave out what only one of the runs has a verdict of.")
    ] = False,
    json_object: JsonOption = False,
) -> None:
    """Say what changed from one run to another.

    A paired test says whether chance alone would change as much. Ends with 1 if something passed before and does not
    any more, or has no verdict any more.
    """
    from graders.cli.commands.report import compare_runs  # noqa: PLC0415

    raise typer.Exit(compare_runs(before, after, common=common, as_json_object=json_object))


def regrade(
    run: RunArgument,
    runs: Annotated[
        Path | None, typer.Option("--runs", help="Where the new run directory is made.", metavar="DIR")
    ] = None,
    json_lines: JsonLinesOption = False,
    quiet: QuietOption = False,
) -> None:
    """Score a run again after weights, gates or thresholds changed.

    Nothing is run. The new verdicts go into a run directory of their own.
    """
    from graders.cli.commands.report import regrade_run  # noqa: PLC0415

    code: ExitCode = regrade_run(run, runs, json_lines=json_lines, quiet=quiet)
    raise typer.Exit(code)


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    run = "runs/20260131-142501-3f9c2a"
    for name, command, shown in (
        ("report", report, (f"grade report {run}", f"grade report {run} -f html -o report.html")),
        ("show", show, (f"grade show {run} add-auth", f"grade show {run} add-auth -s model-a --repeat 2")),
        ("compare", compare, ("grade compare runs/monday runs/tuesday",)),
        ("regrade", regrade, (f"grade regrade {run}",)),
    ):
        app.command(name, rich_help_panel="Commands for runs", epilog=examples(*shown))(command)
