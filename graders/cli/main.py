"""The ``grade`` command: reads the command line, calls the rest, prints, and alone decides the exit code.

Verdicts go to stdout, everything else to stderr. Modules that take long to import are imported by the commands that
need them, so that ``grade --help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import typer

from graders.cli.commands import case_cli, engine_cli, report_cli
from graders.cli.help import (
    Commands,
    UsageMistake,
    examples,
    one_of,
    refused,
)
from graders.cli.options import (
    AnswersOption,
    AutoJobsOption,
    CaseOption,
    DisplayOption,
    ExcludeTagOption,
    ExitZeroOption,
    FailFastOption,
    HostOption,
    IdOption,
    JsonLinesOption,
    LeaderboardOption,
    LogFormatOption,
    ProfileOption,
    QuietOption,
    ReferenceOption,
    RepeatOption,
    ReportOption,
    RerunOption,
    ResumeOption,
    ReuseOption,
    RunsOption,
    RuntimeOption,
    SubmissionOption,
    TagOption,
    TargetsOption,
    VerboseOption,
    VersionOption,
)
from graders.cli.streams import guard
from graders.errors import (
    ExitCode,
    GraderError,
    Interrupted,
    OutputLost,
    ReaderGone,
    UsageRefused,
)
from graders.reports.ci_log import harmless_streams
from sandbox.errors import SandboxError

app = typer.Typer(
    name="grade",
    cls=Commands,
    no_args_is_help=False,
    # Plain help: it reads the same in a pipe and on a narrow terminal.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    pretty_exceptions_enable=False,
)
case_cli.add_to(app)
report_cli.add_to(app)
engine_cli.add_to(app)


@app.callback(
    invoke_without_command=True,
    epilog=examples(
        "grade --case cases/add-auth --reference",
        "grade --case cases/add-auth --submission work/",
        "git diff | grade --case cases/add-auth --submission - --json",
        "grade --case cases --answers answers.jsonl --jobs 4 --report html=report.html",
        "grade --resume runs/20260131-142501-3f9c2a",
    ),
)
def grade(
    context: typer.Context,
    case: CaseOption = None,
    submission: SubmissionOption = None,
    reference: ReferenceOption = False,
    answers: AnswersOption = None,
    targets: TargetsOption = None,
    ids: IdOption = None,
    tags: TagOption = None,
    excluded: ExcludeTagOption = None,
    jobs: AutoJobsOption = None,
    repeat: RepeatOption = 1,
    fail_fast: FailFastOption = False,
    resume: ResumeOption = None,
    rerun: RerunOption = None,
    reuse: ReuseOption = False,
    profile: ProfileOption = "default",
    runtime: RuntimeOption = None,
    host: HostOption = None,
    runs: RunsOption = Path("runs"),
    json_lines: JsonLinesOption = False,
    reports: ReportOption = None,
    leaderboard: LeaderboardOption = None,
    exit_zero: ExitZeroOption = False,
    display: DisplayOption = "auto",
    quiet: QuietOption = False,
    verbose: VerboseOption = 0,
    log_format: LogFormatOption = "text",
    version: VersionOption = False,
) -> None:
    """Grade untrusted code in throwaway Docker containers.

    Verdicts are printed on stdout, and kept with all evidence in a run directory. Ends with 0 if all passed, 1 if one
    failed, 4 if something could not be graded.
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
    from graders.cases.select import Selection  # noqa: PLC0415
    from graders.cli.commands.grade import grade_all, rerun_of  # noqa: PLC0415
    from graders.cli.logs import LogFormat, configure  # noqa: PLC0415
    from graders.cli.progress import Display  # noqa: PLC0415
    from graders.reports.registry import parse_report_options  # noqa: PLC0415
    from graders.runs.request import Request  # noqa: PLC0415

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
            reports=parse_report_options(reports or []),
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


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code. Raises nothing but `ReaderGone` and `OutputLost`."""
    try:
        code = app(args=arguments, prog_name="grade", standalone_mode=False)
    except SystemExit as end:
        if isinstance(end.__context__, OSError):
            # A pipe broke that is none of ours (`streams`), and Typer would end with the code of a failed verdict.
            return _bug(end.__context__)
        # Typer ends so after it has answered a shell that completes words.
        return end.code if isinstance(end.code, int) else ExitCode.PASSED
    except (Interrupted, KeyboardInterrupt, typer.Abort):
        _say("Interrupted.", "")
        return ExitCode.INTERRUPTED
    except UsageMistake as mistake:
        return _refuse(refused(mistake))
    except GraderError as error:
        return _refuse(error)
    except SandboxError as error:
        _say(error.message, error.remedy)
        return ExitCode.NOT_GRADED
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a message
        return _bug(error)
    return code if isinstance(code, int) else ExitCode.PASSED


def _refuse(error: GraderError) -> int:
    _say(error.message, error.remedy)
    return error.exit_code


def _say(message: str, remedy: str) -> None:
    from graders.reports.escaping import visible  # noqa: PLC0415

    text = f"grade: {visible(message)}"
    typer.echo(text if os.environ.get("NO_COLOR") else typer.style(text, fg="red"), err=True)
    if remedy:
        typer.echo(f"  {visible(remedy)}", err=True)


def _bug(error: Exception) -> int:
    from graders.grading.internal_error import write_bug_report  # noqa: PLC0415

    place = write_bug_report(error)
    _say(f"This is a bug of ours: {type(error).__name__}: {error}", f"Please report it with the file {place}.")
    return ExitCode.BUG


def main() -> None:
    """Run the command line of this process."""
    guard()
    try:
        with harmless_streams():
            code = run(sys.argv[1:])
        sys.stdout.flush()
        sys.stderr.flush()
    except ReaderGone:
        code = ExitCode.READER_GONE
    except OutputLost as lost:
        _say(lost.message, "")
        code = ExitCode.NOT_GRADED
    sys.exit(code)
