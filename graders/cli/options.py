"""Options that several commands share, declared once so that their help is the same everywhere.

The help of ``grade`` itself shows options in sections. The help of other commands is short and has no sections.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from gradebox.graders.cli import completion
from gradebox.graders.reports.report_settings import Audience

INPUT = "What to grade"
SELECTION = "Which cases"
SANDBOX = "Sandbox"
RUN = "Run"
RESULTS = "Results"
MESSAGES = "Messages"


class NotPassed(StrEnum):
    """Verdicts that are not `passed`."""

    FAILED = "failed"
    ERROR = "error"


def option(panel: str | None, words: str, text: str, **settings: Any) -> Any:
    """Declare an option.

    `panel` is the section of the help, None in a short help. `words` has its names and the metavar, as in
    ``--jobs -j N``.
    """
    names = [word for word in words.split() if word.startswith("-")]
    metavar = " ".join(word for word in words.split() if not word.startswith("-")) or None
    return typer.Option(*names, help=text, metavar=metavar, rich_help_panel=panel, **settings)


def run_argument(text: str, metavar: str = "RUN") -> Any:
    """Declare an argument for a word that `find_run` understands."""
    return typer.Argument(help=text, metavar=metavar, autocompletion=completion.runs)


PathsArgument = Annotated[
    list[Path], typer.Argument(help="Cases and suites: their directories or files.", metavar="PATH")
]
IdOption = Annotated[
    list[str] | None,
    option(
        SELECTION,
        "-k WORDS",
        "Only cases whose id is or contains a word, or matches it, such as auth, 'auth-*' or 'auth and not slow'. "
        "Repeatable.",
        autocompletion=completion.cases,
    ),
]
TagOption = Annotated[
    list[str] | None,
    option(SELECTION, "--tag TAG", "Only cases with this tag. Repeatable: cases with any of the tags."),
]
ExcludeTagOption = Annotated[
    list[str] | None, option(SELECTION, "--exclude-tag TAG", "No cases with this tag. Repeatable.")
]
WhereOption = Annotated[
    list[str] | None,
    option(
        SELECTION,
        "--where FIELD=GLOB",
        "Only cases with this value in a field, such as author=ann or metadata.level=hard. Repeatable.",
    ),
]
StrictLayoutOption = Annotated[
    bool, option(INPUT, "--strict-layout", "Fail a submission without running it if none of its files fit the case.")
]
UnreadableOption = Annotated[
    str,
    option(
        INPUT,
        "--unreadable VERDICT",
        "Verdict of an unreadable submission, such as a broken archive: failed or error.",
        autocompletion=lambda: list(NotPassed),
    ),
]
HostOption = Annotated[
    str | None,
    option(
        SANDBOX,
        "--host --engine -H URL",
        "Engine: an address, `oci://runc` without a daemon, or `here`. Default: DOCKER_HOST, otherwise the local one.",
    ),
]
WeakerOption = Annotated[
    str,
    option(
        SANDBOX,
        "--accept-weaker NAME,...",
        "Protections that sandboxes may lack with --engine here: files, processes, ipc, network, limits or hidden. "
        "Verdicts name them.",
    ),
]
ProfileOption = Annotated[
    str,
    option(
        SANDBOX,
        "--profile NAME",
        "What sandboxes may do: default or strict. Strict means gVisor if the engine has it, fewer system calls, "
        "and smaller limits for cases that set none. strict! refuses to grade without gVisor.",
        autocompletion=completion.profiles,
    ),
]
RuntimeOption = Annotated[str | None, option(SANDBOX, "--runtime NAME", "OCI runtime of the sandboxes, such as runsc.")]
IsolationOption = Annotated[
    str | None,
    option(
        SANDBOX,
        "--isolation HOW",
        "Judge all cases apart, in-process or auto. Overrides cases and suites, but not checks.",
        autocompletion=completion.isolations,
    ),
]
TimeFactorOption = Annotated[
    float,
    option(
        SANDBOX, "--time-factor X", "Multiply every time limit, for example by 3 on a slow machine.", min=0.01, max=100
    ),
]
JobsOption = Annotated[int, option(None, "--jobs -j N", "How many sandboxes run at a time.", min=1, max=256)]
RunArgument = Annotated[
    Path, run_argument("A run: latest, latest~1, its name, the beginning of its name, or its path.")
]
JsonLinesOption = Annotated[
    bool, option(RESULTS, "--json", "Print one JSON object per verdict on stdout, one per line.")
]
AudienceOption = Annotated[
    Audience,
    option(
        RESULTS,
        "--audience WHO",
        "Who reads what is printed and reported: author or candidate. A candidate sees what cases make visible.",
    ),
]
AfterOption = Annotated[
    bool,
    option(RESULTS, "--after", "Also show candidates the parts with `visibility: after`. Use it after the deadline."),
]
CourseOption = Annotated[
    Path | None,
    option(
        RESULTS,
        "--course FILE",
        "How a class is marked: deadline, late submissions and attempts. Used in gradebooks and candidates' pages.",
    ),
]
RosterOption = Annotated[
    Path | None,
    option(
        RESULTS,
        "--roster CSV",
        "The students of a class. The gradebook lists all of them, and says who submitted nothing or is not listed.",
    ),
]
OutputOption = Annotated[Path | None, option(None, "--output -o FILE", "Where to write it. Default: stdout.")]
QuietOption = Annotated[bool, option(MESSAGES, "--quiet -q", "Print results only.")]
