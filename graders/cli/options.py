"""Options that several commands share, declared once so that they read alike everywhere.

A section is where the help of ``grade`` itself shows an option; the help of other commands is short, and has none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graders.cli import completion

INPUT = "What to grade"
SELECTION = "Which cases"
SANDBOX = "Sandbox"
RUN = "Run"
RESULTS = "Results"
MESSAGES = "Messages"

PathsArgument = Annotated[
    list[Path], typer.Argument(help="Cases and suites: their directories or files.", metavar="PATH")
]
IdOption = Annotated[
    list[str] | None,
    typer.Option(
        "-k",
        help="Only cases whose id matches, such as 'auth-*'. Repeatable.",
        metavar="GLOB",
        rich_help_panel=SELECTION,
    ),
]
TagOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tag",
        help="Only cases with this tag. Repeatable: cases with any of the tags.",
        metavar="TAG",
        rich_help_panel=SELECTION,
    ),
]
ExcludeTagOption = Annotated[
    list[str] | None,
    typer.Option("--exclude-tag", help="No cases with this tag. Repeatable.", metavar="TAG", rich_help_panel=SELECTION),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        help="Only cases with this value in a field, such as author=ann or metadata.level=hard. Repeatable.",
        metavar="FIELD=GLOB",
        rich_help_panel=SELECTION,
    ),
]
HostOption = Annotated[
    str | None,
    typer.Option(
        "--host",
        "-H",
        help="Address of the engine. Default: DOCKER_HOST, otherwise the local engine.",
        metavar="URL",
        rich_help_panel=SANDBOX,
    ),
]
ProfileOption = Annotated[
    str,
    typer.Option(
        "--profile",
        help="What sandboxes may do: default or strict. Strict means gVisor if the engine has it, fewer system calls, "
        "and smaller limits for cases that set none.",
        metavar="NAME",
        rich_help_panel=SANDBOX,
        autocompletion=completion.profiles,
    ),
]
RuntimeOption = Annotated[
    str | None,
    typer.Option(
        "--runtime", help="OCI runtime of the sandboxes, such as runsc.", metavar="NAME", rich_help_panel=SANDBOX
    ),
]
TimeFactorOption = Annotated[
    float,
    typer.Option(
        "--time-factor",
        min=0.01,
        max=100,
        help="Multiply every limit of time, such as by 3 on a slow machine.",
        metavar="X",
        rich_help_panel=SANDBOX,
    ),
]
JobsOption = Annotated[
    int, typer.Option("--jobs", "-j", min=1, max=256, help="How many sandboxes run at a time.", metavar="N")
]
RunArgument = Annotated[Path, typer.Argument(help="A run directory.", metavar="RUN")]
JsonLinesOption = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object per verdict on stdout, one per line.", rich_help_panel=RESULTS),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print verdicts only.", rich_help_panel=MESSAGES)]
