"""Options that several commands of ``grade`` share, declared once so that they read alike everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
AnswersOption = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        help="What to grade: a file of JSON lines, each an answer to a case, or a leaderboard's tree of recorded "
        "conversations.",
        metavar="PATH",
    ),
]
LeaderboardOption = Annotated[
    Path | None,
    typer.Option(
        "--leaderboard",
        help="Where to write evaluations of definition.toml cases, under the leaderboard's names.",
        metavar="DIR",
    ),
]
TargetsOption = Annotated[
    Path | None,
    typer.Option(
        "--targets",
        help="Where the targets are defined that cases are given to; else targets.yaml beside the suite or case.",
        metavar="FILE",
    ),
]
ReferenceOption = Annotated[bool, typer.Option("--reference", help="Grade the case's own reference solution.")]
HostOption = Annotated[
    str | None, typer.Option("--host", "-H", help="Address of the engine; DOCKER_HOST without it.", metavar="URL")
]
RuntimeOption = Annotated[
    str | None, typer.Option("--runtime", help="OCI runtime of the sandboxes, such as runsc.", metavar="NAME")
]
JobsOption = Annotated[
    int, typer.Option("--jobs", "-j", min=1, max=256, help="How many sandboxes at a time.", metavar="N")
]
PathsArgument = Annotated[
    list[Path], typer.Argument(help="Cases and suites: their directories or files.", metavar="PATH...")
]
IdOption = Annotated[
    list[str] | None,
    typer.Option("-k", help="Only cases whose id matches, such as 'auth-*'. May be given again.", metavar="GLOB"),
]
TagOption = Annotated[
    list[str] | None,
    typer.Option("--tag", help="Only cases with this tag. May be given again, for cases with any.", metavar="TAG"),
]
ExcludeTagOption = Annotated[
    list[str] | None,
    typer.Option("--exclude-tag", help="No cases with this tag. May be given again.", metavar="TAG"),
]
