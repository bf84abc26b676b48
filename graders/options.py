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
ProfileOption = Annotated[
    str,
    typer.Option(
        "--profile",
        help="What sandboxes may do: default, or strict (gVisor where the engine has it, fewer system calls, smaller "
        "limits where a case sets none).",
        metavar="NAME",
    ),
]
RuntimeOption = Annotated[
    str | None, typer.Option("--runtime", help="OCI runtime of the sandboxes, such as runsc.", metavar="NAME")
]
JobsOption = Annotated[
    int, typer.Option("--jobs", "-j", min=1, max=256, help="How many sandboxes at a time.", metavar="N")
]
AutoJobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        max=256,
        help="How many sandboxes at a time; without it, as the engine's processors and memory allow.",
        metavar="N",
    ),
]
RepeatOption = Annotated[
    int,
    typer.Option(
        "--repeat", min=1, max=1000, help="Grade everything so often, and name what does not agree.", metavar="N"
    ),
]
FailFastOption = Annotated[
    bool, typer.Option("--fail-fast", help="Begin nothing new after the first verdict that is not passed.")
]
ResumeOption = Annotated[
    Path | None,
    typer.Option("--resume", help="Go on with a run: its directory. What it has verdicts of is kept.", metavar="RUN"),
]
RerunOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rerun",
        help="With --resume: find these verdicts anew: failed or error. May be given again.",
        metavar="VERDICT",
    ),
]
ReportOption = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        help="Write a report when the run is over, such as junit=results.xml or html=report.html. May be given again.",
        metavar="FORMAT=PATH",
    ),
]
ReuseOption = Annotated[
    bool,
    typer.Option(
        "--reuse",
        help="Take verdicts of earlier runs below --runs where case, submission, image and version are the same.",
    ),
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
DisplayOption = Annotated[
    str,
    typer.Option("--display", help="How progress is shown on stderr: auto, live, plain or none.", metavar="HOW"),
]
VerboseOption = Annotated[
    int,
    typer.Option("--verbose", "-v", count=True, help="Tell every verdict in full, and log cases; twice, commands too."),
]
LogFormatOption = Annotated[
    str, typer.Option("--log-format", help="How the log on stderr is written: text or json.", metavar="FORMAT")
]
