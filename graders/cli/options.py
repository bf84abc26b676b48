"""Options of ``grade``, those that several commands share among them, declared once so that they read alike everywhere.

A section is where the help of ``grade`` itself shows an option; the help of other commands is short, and has none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graders.cli import completion

_WHAT = "What is graded"
_WHICH = "Which cases of it"
_SANDBOXES = "In what"
_RUN = "How the run goes"
_RESULTS = "What it leaves"
_TOLD = "What is told meanwhile"

CaseOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--case", "-c", help="A case's directory or file. May be given again.", metavar="PATH", rich_help_panel=_WHAT
    ),
]
SubmissionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--submission",
        "-s",
        help="What to grade: a directory laid over the workspace, a file with a unified diff, - for a diff on "
        "stdin, or an answer (a file that ends in .md or .jl). May be given again. Without one, the untouched "
        "workspace is graded.",
        metavar="PATH",
        rich_help_panel=_WHAT,
    ),
]
AnswersOption = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        help="What to grade: a file of JSON lines, each an answer to a case, or a leaderboard's tree of recorded "
        "conversations.",
        metavar="PATH",
        rich_help_panel=_WHAT,
    ),
]
LeaderboardOption = Annotated[
    Path | None,
    typer.Option(
        "--leaderboard",
        help="Where to write evaluations of definition.toml cases, under the leaderboard's names.",
        metavar="DIR",
        rich_help_panel=_RESULTS,
    ),
]
TargetsOption = Annotated[
    Path | None,
    typer.Option(
        "--targets",
        help="Where the targets are defined that cases are given to; else targets.yaml beside the suite or case.",
        metavar="FILE",
        rich_help_panel=_WHAT,
    ),
]
ReferenceOption = Annotated[
    bool, typer.Option("--reference", help="Grade the case's own reference solution.", rich_help_panel=_WHAT)
]
HostOption = Annotated[
    str | None,
    typer.Option(
        "--host",
        "-H",
        help="Address of the engine; DOCKER_HOST without it.",
        metavar="URL",
        rich_help_panel=_SANDBOXES,
    ),
]
ProfileOption = Annotated[
    str,
    typer.Option(
        "--profile",
        help="What sandboxes may do: default, or strict (gVisor where the engine has it, fewer system calls, smaller "
        "limits where a case sets none).",
        metavar="NAME",
        rich_help_panel=_SANDBOXES,
        autocompletion=completion.profiles,
    ),
]
RuntimeOption = Annotated[
    str | None,
    typer.Option(
        "--runtime", help="OCI runtime of the sandboxes, such as runsc.", metavar="NAME", rich_help_panel=_SANDBOXES
    ),
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
        help="How many sandboxes at a time; else a suite's `workers`, or as the engine's processors and memory allow.",
        metavar="N",
        rich_help_panel=_RUN,
    ),
]
RepeatOption = Annotated[
    int,
    typer.Option(
        "--repeat",
        min=1,
        max=1000,
        help="Grade everything so often, and name what does not agree.",
        metavar="N",
        rich_help_panel=_RUN,
    ),
]
FailFastOption = Annotated[
    bool,
    typer.Option(
        "--fail-fast", help="Begin nothing new after the first verdict that is not passed.", rich_help_panel=_RUN
    ),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(
        "--resume",
        help="Go on with a run: its directory. What it has verdicts of is kept.",
        metavar="RUN",
        rich_help_panel=_RUN,
    ),
]
RerunOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rerun",
        help="With --resume: find these verdicts anew: failed or error. May be given again.",
        metavar="VERDICT",
        rich_help_panel=_RUN,
        autocompletion=lambda: ["failed", "error"],
    ),
]
ReportOption = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        help="Write a report when the run is over, such as junit=results.xml or html=report.html. May be given again.",
        metavar="FORMAT=PATH",
        rich_help_panel=_RESULTS,
    ),
]
ReuseOption = Annotated[
    bool,
    typer.Option(
        "--reuse",
        help="Take verdicts of earlier runs below --runs where case, submission, image and version are the same.",
        rich_help_panel=_RUN,
    ),
]
PathsArgument = Annotated[
    list[Path], typer.Argument(help="Cases and suites: their directories or files.", metavar="PATH")
]
IdOption = Annotated[
    list[str] | None,
    typer.Option(
        "-k",
        help="Only cases whose id matches, such as 'auth-*'. May be given again.",
        metavar="GLOB",
        rich_help_panel=_WHICH,
    ),
]
TagOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tag",
        help="Only cases with this tag. May be given again, for cases with any.",
        metavar="TAG",
        rich_help_panel=_WHICH,
    ),
]
ExcludeTagOption = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude-tag", help="No cases with this tag. May be given again.", metavar="TAG", rich_help_panel=_WHICH
    ),
]
DisplayOption = Annotated[
    str,
    typer.Option(
        "--display",
        help="How progress is shown on stderr: auto, live, plain or none.",
        metavar="HOW",
        rich_help_panel=_TOLD,
        autocompletion=completion.displays,
    ),
]
VerboseOption = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        help="Tell every verdict in full, and log cases; twice, commands too.",
        rich_help_panel=_TOLD,
        show_default=False,
    ),
]
LogFormatOption = Annotated[
    str,
    typer.Option(
        "--log-format",
        help="How the log on stderr is written: text or json.",
        metavar="FORMAT",
        rich_help_panel=_TOLD,
        autocompletion=completion.log_formats,
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print verdicts only.", rich_help_panel=_TOLD)]
RunsOption = Annotated[
    Path, typer.Option("--runs", help="Where the run directory is made.", metavar="DIR", rich_help_panel=_RESULTS)
]
JsonLinesOption = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object per verdict on stdout, a line each.", rich_help_panel=_RESULTS),
]
ExitZeroOption = Annotated[
    bool,
    typer.Option(
        "--exit-zero",
        help="End with 0 whatever the verdicts are, for pipelines that read them.",
        rich_help_panel=_RESULTS,
    ),
]
VersionOption = Annotated[bool, typer.Option("--version", help="Print the version and end.")]
