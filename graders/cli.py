"""The ``grade`` command: reads the command line, calls the rest, prints, and alone decides the exit code.

Verdicts go to stdout, everything else to stderr. Modules that take long to import are imported by the commands that
need them, so that ``grade --help`` answers at once.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from graders.errors import ExitCode, GraderError, UsageRefused
from sandbox.errors import SandboxError

if TYPE_CHECKING:
    from graders.doctor import Finding

app = typer.Typer(
    name="grade",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    pretty_exceptions_enable=False,
)
images_app = typer.Typer(help="Build, list and remove the images that cases are graded in.", no_args_is_help=True)
app.add_typer(images_app, name="images")

CaseOption = Annotated[
    list[Path] | None,
    typer.Option("--case", "-c", help="A case's directory or file. May be given again.", metavar="PATH"),
]
SubmissionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--submission",
        "-s",
        help="What to grade: a directory laid over the workspace, a file with a unified diff, or - for a diff on "
        "stdin. May be given again. Without one, the untouched workspace is graded.",
        metavar="PATH",
    ),
]
ReferenceOption = Annotated[bool, typer.Option("--reference", help="Grade the case's own reference solution.")]
HostOption = Annotated[
    str | None, typer.Option("--host", "-H", help="Address of the engine; DOCKER_HOST without it.", metavar="URL")
]


@app.callback(invoke_without_command=True)
def grade(
    context: typer.Context,
    case: CaseOption = None,
    submission: SubmissionOption = None,
    reference: ReferenceOption = False,
    json_lines: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per verdict on stdout, a line each.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="How many sandboxes at a time.")] = 1,
    runs: Annotated[Path, typer.Option("--runs", help="Where the run directory is made.", metavar="DIR")] = Path(
        "runs"
    ),
    runtime: Annotated[
        str | None, typer.Option("--runtime", help="OCI runtime of the sandboxes, such as runsc.", metavar="NAME")
    ] = None,
    host: HostOption = None,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="End with 0 whatever the verdicts are, for pipelines that read them.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print verdicts only.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    """Grade untrusted code in throwaway Docker containers.

    **Example:** `grade --case cases/add-auth --submission work/`
    """
    if context.invoked_subcommand is not None:
        return
    if version:
        from importlib.metadata import version as installed  # noqa: PLC0415

        typer.echo(f"grade {installed('gradebox')}")
        return
    if not case:
        raise UsageRefused("Name a case with --case.", remedy="`grade --help` shows an example.")
    if reference and submission:
        raise UsageRefused("--reference and --submission exclude each other.")
    from graders.commands import Request, grade_all  # noqa: PLC0415

    code = grade_all(
        Request(
            cases=tuple(case),
            submissions=tuple(submission or ()),
            reference=reference,
            json_lines=json_lines,
            jobs=jobs,
            runs=runs,
            runtime=runtime,
            host=host,
            quiet=quiet,
        )
    )
    raise typer.Exit(ExitCode.PASSED if exit_zero and code is not ExitCode.INTERRUPTED else code)


@app.command()
def plan(
    case: Annotated[Path, typer.Argument(help="A case: its directory or file.")],
    submission: Annotated[
        str | None, typer.Option("--submission", "-s", help="As for grading.", metavar="PATH")
    ] = None,
) -> None:
    """Show what would run for a case, without running it.

    **Example:** `grade plan cases/add-auth`
    """
    from graders.commands import show_plan  # noqa: PLC0415

    show_plan(case, submission)


@app.command()
def doctor(
    json_object: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    host: HostOption = None,
) -> None:
    """Check the engine and all that grading needs, with a remedy for what is wrong.

    **Example:** `grade doctor`
    """
    from graders.doctor import examine, print_findings, worst  # noqa: PLC0415

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
    """Build images that are missing or stale, from a registry's base where one answers, else from Debian's packages.

    **Example:** `grade images build python`
    """
    from graders.image_commands import build  # noqa: PLC0415

    build(names or [], force=force, host=host)


@images_app.command("list")
def images_list(
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per image, a line each.")] = False,
    host: HostOption = None,
) -> None:
    """List the images, and whether the engine has them.

    **Example:** `grade images list`
    """
    from graders.image_commands import show  # noqa: PLC0415

    show(as_json=json_lines, host=host)


@images_app.command("rm")
def images_rm(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which images; all without a name.", metavar="[NAME]...")
    ] = None,
    host: HostOption = None,
) -> None:
    """Remove images from the engine.

    **Example:** `grade images rm julia`
    """
    from graders.image_commands import remove  # noqa: PLC0415

    remove(names or [], host=host)


class Interrupted(BaseException):
    """SIGINT or SIGTERM came while no run was there to take it in good order."""


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code. Raises nothing."""
    try:
        app(args=arguments, prog_name="grade")
    except SystemExit as end:
        # Typer ends so after every command, and after it has explained a mistake in the command line.
        return end.code if isinstance(end.code, int) else ExitCode.PASSED
    except (Interrupted, KeyboardInterrupt):
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
    typer.secho(f"grade: {message}", err=True, fg="red")
    if remedy:
        typer.echo(f"  {remedy}", err=True)


def _bug(error: Exception) -> int:
    from graders.bug_report import write_bug_report  # noqa: PLC0415

    place = write_bug_report(error)
    typer.secho(f"grade: This is a bug of ours: {type(error).__name__}: {error}", err=True, fg="red")
    typer.echo(f"  Please report it with the file {place}.", err=True)
    return ExitCode.BUG


def main() -> None:
    """Run the command line of this process."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise Interrupted

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    sys.exit(run(sys.argv[1:]))
