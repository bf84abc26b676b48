"""The commands of ``grade`` for those who write cases: validate, list, schema, init and check.

Only their options are here; what they do is imported when they are called, so that ``grade --help`` answers at once.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from graders.options import (
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

    Each mistake has its file:line:column. No engine is needed. Example: grade validate cases
    """
    from graders.case_commands import validate as validate_paths  # noqa: PLC0415

    raise typer.Exit(validate_paths(paths, strict=strict, json_lines=json_lines, quiet=quiet))


def list_cases(
    paths: PathsArgument,
    ids: IdOption = None,
    tags: TagOption = None,
    excluded: ExcludeTagOption = None,
    json_lines: JsonOption = False,
) -> None:
    """List cases with their tags, checks and places.

    Example: grade list cases --tag python
    """
    from graders.case_commands import show_cases  # noqa: PLC0415
    from graders.selection import Selection  # noqa: PLC0415

    selection = Selection(tuple(ids or ()), tuple(tags or ()), tuple(excluded or ()))
    raise typer.Exit(show_cases(paths, selection, json_lines=json_lines))


def schema(
    kind: Annotated[SchemaKind, typer.Argument(help="Of what.")] = SchemaKind.CASE,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Describe every field of cases and suites in Markdown instead.")
    ] = False,
) -> None:
    """Print the JSON Schema (draft-07) of case files, suites or verdicts.

    Example: grade schema case > case.schema.json
    """
    from graders.case_commands import show_schema  # noqa: PLC0415

    show_schema(kind, as_markdown=as_markdown)


def init(
    directory: Annotated[Path, typer.Argument(help="Where the case is made; its name becomes the id.", metavar="DIR")],
    language: Annotated[
        InitLanguage, typer.Option("--language", "-l", help="What the case is about.")
    ] = InitLanguage.PYTHON,
) -> None:
    """Write a commented case that can be graded at once.

    Nothing that is there is overwritten. Example: grade init my-case
    """
    from graders.new_case import write_case  # noqa: PLC0415

    write_case(directory, language)


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
    is not fair, 4 if something could not be graded. Example: grade check cases/add-auth --repeat 20
    """
    from graders.check_command import CheckRequest, check_all  # noqa: PLC0415
    from graders.selection import Selection  # noqa: PLC0415

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


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("validate")(validate)
    app.command("list")(list_cases)
    app.command("check")(check)
    app.command("init")(init)
    app.command("schema")(schema)
