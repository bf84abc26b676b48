"""The commands of ``grade`` for those who write cases: validate, list, check, plan, init and schema.

Only their options are here; what they do is imported when they are called, so that ``grade --help`` answers at once.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from graders.cli.help import examples, one_of
from graders.cli.options import (
    ExcludeTagOption,
    HostOption,
    IdOption,
    JobsOption,
    PathsArgument,
    ProfileOption,
    RuntimeOption,
    TagOption,
)

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object per line on stdout.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Leave out the count at the end.")]


class SchemaKind(StrEnum):
    """What there is a schema of."""

    CASE = "case"
    SUITE = "suite"
    VERDICT = "verdict"


class InitLanguage(StrEnum):
    """In which languages a new case can be written."""

    PYTHON = "python"
    BASH = "bash"


def validate(
    paths: PathsArgument,
    strict: Annotated[bool, typer.Option("--strict", help="Let warnings count as errors.")] = False,
    json_lines: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Say everything that is wrong with case files.

    Each mistake has its file:line:column. No engine is needed.
    """
    from graders.cli.commands.validate import validate as validate_paths  # noqa: PLC0415

    raise typer.Exit(validate_paths(paths, strict=strict, json_lines=json_lines, quiet=quiet))


def list_cases(
    paths: PathsArgument,
    ids: IdOption = None,
    tags: TagOption = None,
    excluded: ExcludeTagOption = None,
    json_lines: JsonOption = False,
) -> None:
    """List cases with their tags, checks and places."""
    from graders.cases.select import Selection  # noqa: PLC0415
    from graders.cli.commands.validate import show_cases  # noqa: PLC0415

    selection = Selection(tuple(ids or ()), tuple(tags or ()), tuple(excluded or ()))
    raise typer.Exit(show_cases(paths, selection, json_lines=json_lines))


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            help="Of what: case, suite or verdict.", metavar="KIND", autocompletion=lambda: list(SchemaKind)
        ),
    ] = "case",
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Describe every field of cases and suites in Markdown instead.")
    ] = False,
) -> None:
    """Print the JSON Schema (draft-07) of case files, suites or verdicts.

    Editors complete and check case files with it.
    """
    from graders.cli.commands.validate import show_schema  # noqa: PLC0415

    show_schema(one_of(SchemaKind, "KIND", kind), as_markdown=as_markdown)


def init(
    directory: Annotated[Path, typer.Argument(help="Where the case is made; its name becomes the id.", metavar="DIR")],
    language: Annotated[
        str,
        typer.Option(
            "--language",
            "-l",
            help="What the candidate writes: python or bash.",
            metavar="LANGUAGE",
            autocompletion=lambda: list(InitLanguage),
        ),
    ] = "python",
) -> None:
    """Write a commented case that can be graded at once.

    Nothing that is there is overwritten.
    """
    from graders.cli.commands.init import write_case  # noqa: PLC0415

    write_case(directory, one_of(InitLanguage, "--language", language))


def check(
    paths: PathsArgument,
    ids: IdOption = None,
    tags: TagOption = None,
    excluded: ExcludeTagOption = None,
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat",
            "-n",
            min=1,
            max=1000,
            help="How often the reference is graded; 20 before publishing.",
            metavar="N",
        ),
    ] = 3,
    submissions: Annotated[
        bool, typer.Option("--submissions/--no-submissions", help="Grade the submissions kept with the case, too.")
    ] = True,
    json_lines: JsonOption = False,
    jobs: JobsOption = 1,
    profile: ProfileOption = "default",
    runtime: RuntimeOption = None,
    host: HostOption = None,
    quiet: QuietOption = False,
) -> None:
    """Prove that cases are fair.

    The reference must pass with score 1, the untouched workspace must fail, controls must fail on the reference,
    repeats must agree, and submissions/ must get what its verdicts.yaml says. Ends with 0 if all is proven, 1 if a case
    is not fair, 4 if something could not be graded.
    """
    from graders.cases.select import Selection  # noqa: PLC0415
    from graders.cli.commands.check import CheckRequest, check_all  # noqa: PLC0415

    code = check_all(
        CheckRequest(
            paths=tuple(paths),
            selection=Selection(tuple(ids or ()), tuple(tags or ()), tuple(excluded or ())),
            repeat=repeat,
            submissions=submissions,
            json_lines=json_lines,
            jobs=jobs,
            profile=profile,
            runtime=runtime,
            host=host,
            quiet=quiet,
        )
    )
    raise typer.Exit(code)


def plan(
    case: Annotated[Path, typer.Argument(help="A case: its directory or file.", metavar="PATH")],
    submission: Annotated[
        str | None, typer.Option("--submission", "-s", help="As for grading.", metavar="PATH")
    ] = None,
) -> None:
    """Show what would run for a case, without running it."""
    from graders.cli.commands.plan import show_plan  # noqa: PLC0415

    raise typer.Exit(show_plan(case, submission))


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for name, command, shown in (
        ("init", init, ("grade init my-case", "grade init my-case --language bash")),
        ("validate", validate, ("grade validate cases", "grade validate my-case/case.yaml --strict")),
        ("plan", plan, ("grade plan cases/add-auth", "grade plan cases/add-auth --submission work/")),
        ("check", check, ("grade check cases/add-auth", "grade check cases --repeat 20 --jobs 4")),
        ("list", list_cases, ("grade list cases --tag python", "grade list cases -k 'auth-*' --json")),
        ("schema", schema, ("grade schema case > case.schema.json", "grade schema verdict")),
    ):
        app.command(name, rich_help_panel="Commands for cases", epilog=examples(*shown))(command)
