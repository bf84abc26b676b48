"""Options of ``grade`` itself only, in the order of its help; options shared with other commands are in `options`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from gradebox.graders.cli import completion
from gradebox.graders.cli.options import INPUT, MESSAGES, RESULTS, RUN, SELECTION, NotPassed, option

_input, _cases, _run, _results, _messages = (
    partial(option, panel) for panel in (INPUT, SELECTION, RUN, RESULTS, MESSAGES)
)


CaseOption = Annotated[list[Path] | None, _input("--case -c PATH", "A case: its directory or file. Repeatable.")]
SubmissionOption = Annotated[
    list[str] | None,
    _input(
        "--submission -s PATH",
        "A submission: a directory laid over the workspace, or a file: a unified diff, a zip or tar archive, an "
        "answer, a transcript or a source file. - reads a file from stdin. Repeatable, also as -s DIR/*. Default: the "
        "untouched workspace.",
    ),
]
SubmissionsOption = Annotated[
    Path | None,
    _input(
        "--submissions DIR",
        "Grade every directory, archive, notebook and file in this folder as a submission, such as those of a class.",
    ),
]
NameFromOption = Annotated[
    str | None,
    _input(
        "--name-from REGEX",
        "With --submissions: finds the student in the path of an entry, by the group `name`, otherwise the first "
        "group, otherwise the whole match. A group `attempt` tells attempts apart.",
    ),
]
StripOption = Annotated[
    int | None,
    _input(
        "--strip N",
        "With --submissions: number of directory levels between the folder and the submissions. Default: detected.",
        min=0,
        max=20,
    ),
]
ReferenceOption = Annotated[bool, _input("--reference", "Grade the case's own reference solution.")]
AnswersOption = Annotated[
    Path | None,
    _input(
        "--answers PATH",
        "Where submissions come from: a file of JSON lines with one answer each, a run that AgentV recorded, or a "
        "leaderboard's tree of recorded conversations.",
    ),
]
TargetsOption = Annotated[
    Path | None,
    _input("--targets FILE", "File that defines the targets. Default: targets.yaml beside the suite or case."),
]
JudgeOption = Annotated[
    Path | None, _input("--judge FILE", "File that defines the judges. Overrides cases and suites.")
]
JudgeBudgetOption = Annotated[
    str | None,
    _run(
        "--judge-budget AMOUNT",
        "Spending limit for judges, such as 2.50usd or 200000tokens. No request is made beyond it.",
    ),
]
AutoJobsOption = Annotated[
    int | None,
    _run(
        "--jobs -j N",
        "How many gradings run at a time. Default: the suite's `workers`, otherwise one for each CPU of the engine, "
        "and more if that is faster and fits into its memory.",
        min=1,
        max=256,
    ),
]
RepeatOption = Annotated[
    int, _run("--repeat N", "Grade everything N times and report results that differ.", min=1, max=1000)
]
ShardOption = Annotated[
    str | None,
    _run(
        "--shard I/N",
        "Grade only part I of N, such as 2/8. auto asks the scheduler: Kubernetes, Slurm, AWS "
        "Batch, GitLab, Buildkite, CircleCI. `grade merge` puts the parts together.",
    ),
]
MaxWallOption = Annotated[
    float | None,
    _run(
        "--max-wall SECONDS",
        "Stop the run after this time. Submissions not graded by then have no verdict; `--resume` continues the run.",
        min=0.001,
    ),
]
FailFastOption = Annotated[
    bool, _run("--fail-fast -x", "Start nothing new after the first verdict that is not passed.")
]
MaxFailOption = Annotated[
    int | None, _run("--maxfail N", "Start nothing new after N verdicts that are not passed.", min=1)
]
LimitOption = Annotated[int | None, _cases("--limit N", "Only the first N of these cases.", min=1)]
SampleOption = Annotated[int | None, _cases("--sample N", "Only N of these cases, drawn by --seed.", min=1)]
SeedOption = Annotated[int | None, _cases("--seed S", "Random seed of --sample. Default: 0.", min=0)]
LastFailedOption = Annotated[
    bool, _cases("--lf", "Only what did not pass in the latest run; everything if all of it passed.")
]
FailedFirstOption = Annotated[bool, _run("--ff", "Begin with what did not pass in the latest run.")]
CollectOnlyOption = Annotated[bool, _cases("--collect-only", "List what would be graded, and grade nothing.")]
DurationsOption = Annotated[
    int, _messages("--durations N", "Print the N gradings that took longest.", min=0, show_default=False)
]
ResumeOption = Annotated[
    str | None,
    _run(
        "--resume RUN",
        "Continue a run: latest, its name, the beginning of its name, or its path. Existing verdicts are kept.",
        autocompletion=completion.runs,
    ),
]
RerunOption = Annotated[
    list[str] | None,
    _run(
        "--rerun VERDICT",
        "With --resume: also grade submissions with this verdict again: failed or error. Repeatable.",
        autocompletion=lambda: list(NotPassed),
    ),
]
ReuseOption = Annotated[
    bool,
    _run(
        "--reuse", "Take verdicts from earlier runs below --runs if case, submission, image and version are the same."
    ),
]
DiskOption = Annotated[
    str | None,
    _run(
        "--disk SIZE",
        "Limit the disk space of the images that the run builds or pulls, such as 100g. Gradings are ordered by image, "
        "and an image is removed after its last one.",
    ),
]
KeepSubmissionsOption = Annotated[
    str | None,
    _results(
        "--keep-submissions SIZE",
        "Keep submissions of up to this size in the run directory, for `grade regrade --execute`; none keeps none. "
        "Default: 16MiB.",
    ),
]
RunsOption = Annotated[Path, _results("--runs DIR", "Where to create the run directory.")]
NameOption = Annotated[
    str, _results("--name NAME", "Name of the run and its directory. Default: the time of its start.")
]
ReportOption = Annotated[
    list[str] | None,
    _results(
        "--report FORMAT=PATH",
        "Write a report when the run is over, such as junit=results.xml or html=report.html. Repeatable.",
    ),
]
ExitZeroOption = Annotated[
    bool, _results("--exit-zero", "Exit with 0 regardless of the verdicts. For pipelines that read them.")
]
DisplayOption = Annotated[
    str,
    _messages(
        "--display HOW",
        "How to show progress on stderr: auto, live, plain, none, or dots (one character for each verdict).",
        autocompletion=completion.displays,
    ),
]
VerboseOption = Annotated[
    int,
    _messages(
        "--verbose -v",
        "Print every verdict in full, and log cases. Twice: also log commands.",
        count=True,
        show_default=False,
    ),
]
LogFormatOption = Annotated[
    str,
    _messages(
        "--log-format FORMAT", "Format of the log on stderr: text or json.", autocompletion=completion.log_formats
    ),
]
