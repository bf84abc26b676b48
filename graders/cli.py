"""The ``grade`` command: reads the command line, calls the rest, prints, and alone decides the exit code.

Verdicts go to stdout, everything else to stderr. Modules that take long to import are imported by the commands that
need them, so that ``grade --help`` answers at once.
"""

from __future__ import annotations

import io
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from graders import case_cli, report_cli
from graders.errors import ExitCode, GraderError, Interrupted, UsageRefused
from graders.options import (
    AnswersOption,
    AutoJobsOption,
    CaseOption,
    DisplayOption,
    ExcludeTagOption,
    FailFastOption,
    HostOption,
    IdOption,
    LeaderboardOption,
    LogFormatOption,
    ProfileOption,
    ReferenceOption,
    RepeatOption,
    ReportOption,
    RerunOption,
    ResumeOption,
    ReuseOption,
    RuntimeOption,
    SubmissionOption,
    TagOption,
    TargetsOption,
    VerboseOption,
)
from sandbox.errors import SandboxError

if TYPE_CHECKING:
    from graders.doctor import Finding

_Kind = TypeVar("_Kind", bound=StrEnum)

app = typer.Typer(
    name="grade",
    no_args_is_help=False,
    add_completion=False,
    # Plain help: it reads the same in a pipe and on a narrow terminal.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    pretty_exceptions_enable=False,
)
images_app = typer.Typer(help="Build, list and remove the images that cases are graded in.", no_args_is_help=True)
app.add_typer(images_app, name="images")
case_cli.add_to(app)
report_cli.add_to(app)


@app.callback(invoke_without_command=True)
def grade(
    context: typer.Context,
    case: CaseOption = None,
    submission: SubmissionOption = None,
    reference: ReferenceOption = False,
    answers: AnswersOption = None,
    targets: TargetsOption = None,
    leaderboard: LeaderboardOption = None,
    ids: IdOption = None,
    tags: TagOption = None,
    excluded: ExcludeTagOption = None,
    json_lines: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per verdict on stdout, a line each.")
    ] = False,
    jobs: AutoJobsOption = None,
    repeat: RepeatOption = 1,
    fail_fast: FailFastOption = False,
    resume: ResumeOption = None,
    rerun: RerunOption = None,
    reuse: ReuseOption = False,
    reports: ReportOption = None,
    runs: Annotated[Path, typer.Option("--runs", help="Where the run directory is made.", metavar="DIR")] = Path(
        "runs"
    ),
    profile: ProfileOption = "default",
    runtime: RuntimeOption = None,
    host: HostOption = None,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="End with 0 whatever the verdicts are, for pipelines that read them.")
    ] = False,
    display: DisplayOption = "auto",
    verbose: VerboseOption = 0,
    log_format: LogFormatOption = "text",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print verdicts only.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    """Grade untrusted code in throwaway Docker containers.

    Example: grade --case cases/add-auth --submission work/
    """
    if context.invoked_subcommand is not None:
        return
    if version:
        from importlib.metadata import version as installed  # noqa: PLC0415

        typer.echo(f"grade {installed('gradebox')}")
        return
    if not case and resume is None:
        raise UsageRefused("Name a case with --case.", remedy="`grade --help` shows an example.")
    sources = {"--submission": submission, "--reference": reference, "--answers": answers, "--targets": targets}
    given = [name for name, value in sources.items() if value]
    if len(given) > 1:
        raise UsageRefused(f"{' and '.join(given)} exclude each other.")
    if reuse and repeat > 1:
        raise UsageRefused("--reuse and --repeat exclude each other.")
    from graders.commands import grade_all, rerun_of  # noqa: PLC0415
    from graders.logs import LogFormat, configure  # noqa: PLC0415
    from graders.progress import Display  # noqa: PLC0415
    from graders.reports.saving import wanted_of  # noqa: PLC0415
    from graders.runs.request import Request  # noqa: PLC0415
    from graders.selection import Selection  # noqa: PLC0415

    configure(verbose=verbose, form=one_of(LogFormat, "--log-format", log_format))
    code = grade_all(
        Request(
            cases=tuple(case or ()),
            submissions=tuple(submission or ()),
            answers=answers,
            targets=targets,
            leaderboard=leaderboard,
            selection=Selection(tuple(ids or ()), tuple(tags or ()), tuple(excluded or ())),
            reference=reference,
            repeat=repeat,
            fail_fast=fail_fast,
            resume=resume,
            rerun=rerun_of(rerun or [], resume=resume),
            reuse=reuse,
            reports=wanted_of(reports or []),
            json_lines=json_lines,
            jobs=jobs,
            runs=runs,
            profile=profile,
            runtime=runtime,
            host=host,
            display=one_of(Display, "--display", display),
            verbose=verbose,
            quiet=quiet,
        )
    )
    raise typer.Exit(ExitCode.PASSED if exit_zero and code is not ExitCode.INTERRUPTED else code)


def one_of(kind: type[_Kind], option: str, word: str) -> _Kind:
    """Return the value that a word of the command line names.

    Raises:
        UsageRefused: If it names none.
    """
    try:
        return kind(word)
    except ValueError as error:
        raise UsageRefused(f"{option} takes {', '.join(kind)}, not {word}.") from error


@app.command()
def plan(
    case: Annotated[Path, typer.Argument(help="A case: its directory or file.", metavar="PATH")],
    submission: Annotated[
        str | None, typer.Option("--submission", "-s", help="As for grading.", metavar="PATH")
    ] = None,
) -> None:
    """Show what would run for a case, without running it.

    Example: grade plan cases/add-auth
    """
    from graders.plan_command import show_plan  # noqa: PLC0415

    raise typer.Exit(show_plan(case, submission))


@app.command()
def doctor(
    json_object: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    host: HostOption = None,
) -> None:
    """Check the engine and all else that grading needs.

    Whatever is wrong is said with its remedy. Example: grade doctor
    """
    from graders.doctor import examine, print_findings, worst  # noqa: PLC0415
    from graders.interruption import raising  # noqa: PLC0415

    with raising():
        findings: list[Finding] = examine(host)
    print_findings(findings, as_json=json_object)
    raise typer.Exit(worst(findings))


@images_app.command("build")
def images_build(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which images; all without a name.", metavar="[NAME]...")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Build anew what is current, too.")] = False,
    host: HostOption = None,
) -> None:
    """Build the images that are missing or stale.

    The first layer comes from a registry where one answers, else from Debian's packages. Example: grade images build
    python
    """
    from graders.image_commands import build  # noqa: PLC0415
    from graders.interruption import raising  # noqa: PLC0415

    with raising():
        build(names or [], force=force, host=host)


@images_app.command("list")
def images_list(
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per image, a line each.")] = False,
    host: HostOption = None,
) -> None:
    """List the images and their state.

    Example: grade images list
    """
    from graders.image_commands import show  # noqa: PLC0415
    from graders.interruption import raising  # noqa: PLC0415

    with raising():
        show(as_json=json_lines, host=host)


@images_app.command("rm")
def images_rm(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which images; all without a name.", metavar="[NAME]...")
    ] = None,
    host: HostOption = None,
) -> None:
    """Remove images from the engine.

    Example: grade images rm julia
    """
    from graders.image_commands import remove  # noqa: PLC0415
    from graders.interruption import raising  # noqa: PLC0415

    with raising():
        remove(names or [], host=host)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code. Raises nothing."""
    try:
        app(args=arguments, prog_name="grade")
    except SystemExit as end:
        # Typer ends so after every command, and after it has explained a mistake in the command line.
        return end.code if isinstance(end.code, int) else ExitCode.PASSED
    except (Interrupted, KeyboardInterrupt):
        _say("Interrupted.", "")
        return ExitCode.INTERRUPTED
    except GraderError as error:
        _say(error.message, error.remedy)
        return error.exit_code
    except SandboxError as error:
        _say(error.message, error.remedy)
        return ExitCode.NOT_GRADED
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a message
        return _bug(error)
    return ExitCode.PASSED


def _say(message: str, remedy: str) -> None:
    from graders.reports.text import visible  # noqa: PLC0415

    text = f"grade: {visible(message)}"
    typer.echo(text if os.environ.get("NO_COLOR") else typer.style(text, fg="red"), err=True)
    if remedy:
        typer.echo(f"  {visible(remedy)}", err=True)


def _bug(error: Exception) -> int:
    from graders.bug_report import write_bug_report  # noqa: PLC0415

    place = write_bug_report(error)
    _say(f"This is a bug of ours: {type(error).__name__}: {error}", f"Please report it with the file {place}.")
    return ExitCode.BUG


def main() -> None:
    """Run the command line of this process."""
    for stream in (sys.stdout, sys.stderr):
        # What a candidate printed must not end a run on a terminal that cannot show it.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))
