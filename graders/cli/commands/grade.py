"""``grade`` itself: load cases, grade submissions, and end with the exit code of the verdicts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.grade_options import (
    AnswersOption,
    AutoJobsOption,
    CaseOption,
    CollectOnlyOption,
    DiskOption,
    DisplayOption,
    DurationsOption,
    ExitZeroOption,
    FailedFirstOption,
    FailFastOption,
    JudgeBudgetOption,
    JudgeOption,
    KeepSubmissionsOption,
    LastFailedOption,
    LimitOption,
    LogFormatOption,
    MaxFailOption,
    MaxWallOption,
    NameFromOption,
    NameOption,
    ReferenceOption,
    RepeatOption,
    ReportOption,
    RerunOption,
    ResumeOption,
    ReuseOption,
    RunsOption,
    SampleOption,
    SeedOption,
    ShardOption,
    StripOption,
    SubmissionOption,
    SubmissionsOption,
    TargetsOption,
    VerboseOption,
)
from gradebox.graders.cli.help import Grade, command_app, examples, one_of
from gradebox.graders.cli.options import (
    AfterOption,
    AudienceOption,
    CourseOption,
    ExcludeTagOption,
    HostOption,
    IdOption,
    IsolationOption,
    JsonLinesOption,
    NotPassed,
    ProfileOption,
    QuietOption,
    RosterOption,
    RuntimeOption,
    StrictLayoutOption,
    TagOption,
    TimeFactorOption,
    UnreadableOption,
    WeakerOption,
    WhereOption,
)
from gradebox.graders.errors import CaseRefused, ExitCode, NothingSelected, UsageRefused, exit_code_of_results, forgiven
from gradebox.graders.reports.report_settings import Audience, ReportSettings

if TYPE_CHECKING:
    from gradebox.graders.cli.run_output import OutputOptions
    from gradebox.graders.runs.request import Request
    from gradebox.graders.runs.tasks import Tasks

app = command_app(name="grade", cls=Grade, add_completion=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"grade {version('gradebox')}")
        raise typer.Exit


VersionOption = Annotated[
    bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
]


@app.callback(
    invoke_without_command=True,
    epilog=examples(
        "grade --case cases/add-auth --reference",
        "grade --case cases/add-auth --submission work/",
        "git diff | grade --case cases/add-auth --submission - --json",
        "grade --case cases --answers answers.jsonl --jobs 4 --report html=report.html",
        "grade --resume latest",
    ),
)
def grade(
    context: typer.Context,
    case: CaseOption = None, submission: SubmissionOption = None, folder: SubmissionsOption = None,
    name_from: NameFromOption = None, strip: StripOption = None, reference: ReferenceOption = False,
    answers: AnswersOption = None, targets: TargetsOption = None,
    strict_layout: StrictLayoutOption = False, unreadable: UnreadableOption = "failed",
    judge: JudgeOption = None, judge_budget: JudgeBudgetOption = None,
    ids: IdOption = None, tags: TagOption = None, excluded: ExcludeTagOption = None, where: WhereOption = None,
    limit: LimitOption = None, sample: SampleOption = None, seed: SeedOption = None,
    last_failed: LastFailedOption = False, collect_only: CollectOnlyOption = False,
    jobs: AutoJobsOption = None, repeat: RepeatOption = 1, shard: ShardOption = None,
    fail_fast: FailFastOption = False, maxfail: MaxFailOption = None, failed_first: FailedFirstOption = False,
    max_wall: MaxWallOption = None, disk: DiskOption = None,
    resume: ResumeOption = None, rerun: RerunOption = None, reuse: ReuseOption = False,
    profile: ProfileOption = "default", runtime: RuntimeOption = None, host: HostOption = None,
    weaker: WeakerOption = "", time_factor: TimeFactorOption = 1.0, isolation: IsolationOption = None,
    runs: RunsOption = Path("runs"), name: NameOption = "", keep_submissions: KeepSubmissionsOption = None,
    json_lines: JsonLinesOption = False, reports: ReportOption = None, exit_zero: ExitZeroOption = False,
    audience: AudienceOption = Audience.AUTHOR, after: AfterOption = False, course: CourseOption = None,
    roster: RosterOption = None,
    display: DisplayOption = "auto", quiet: QuietOption = False, verbose: VerboseOption = 0,
    durations: DurationsOption = 0, log_format: LogFormatOption = "text", _version: VersionOption = False,
) -> None:  # fmt: skip
    """Grade untrusted code in throwaway Docker containers.

    Verdicts are printed on stdout, and kept with all evidence in a run directory. Exits with 0 if all passed, 1 if one
    failed, 4 if something could not be graded.
    """
    if context.invoked_subcommand is not None:
        return
    from gradebox.graders.cli.selection import selection_of
    from gradebox.graders.model.crossing import Isolation
    from gradebox.graders.model.verdict import Status
    from gradebox.graders.runs.history.run_names import find_run
    from gradebox.graders.runs.kept.keeper import size_of
    from gradebox.graders.runs.request import Request, disk_of

    settings = ReportSettings(audience, after, course, roster)
    shown = _shown(reports or (), display, log_format, json_lines, quiet, verbose, durations, settings)
    request = Request(
        cases=tuple(case or ()), submissions=tuple(submission or ()), reference=reference,
        folder=folder, name_from=name_from, strip=strip,
        answers=answers, targets=targets, judge=judge, judge_budget=judge_budget,
        selection=selection_of(ids, tags, excluded, where, limit=limit, sample=sample, seed=seed),
        last_failed=last_failed, failed_first=failed_first, max_failures=1 if fail_fast else maxfail,
        jobs=jobs, repeat=repeat, shard=shard_named(shard), max_wall_seconds=max_wall, disk=disk_of(disk),
        rerun=frozenset(Status(one_of(NotPassed, "--rerun", word)) for word in rerun or ()),
        resume=None if resume is None else find_run(resume, runs), reuse=reuse,
        profile=profile, runtime=runtime, host=host, accept_weaker=weaker, time_factor=time_factor,
        isolation=isolation and one_of(Isolation, "--isolation", isolation),
        strict_layout=strict_layout, unreadable=one_of(NotPassed, "--unreadable", unreadable).value,
        runs=runs, name=name, added=context.obj,
        keep_submissions=None if keep_submissions is None else size_of(keep_submissions),
    )  # fmt: skip
    code = _graded(request, shown, collect_only=collect_only)
    raise typer.Exit(forgiven(code) if exit_zero else code)


def _graded(request: Request, shown: OutputOptions, *, collect_only: bool) -> ExitCode:
    """Return what `grade_all` returns. If candidates read the output, mistakes in cases are not quoted."""
    try:
        return grade_all(request, shown, collect_only=collect_only)
    except CaseRefused as refused:
        if not shown.settings.for_candidates:
            raise
        raise CaseRefused("A case cannot be graded.", remedy="`grade validate` says why.") from refused


def _shown(
    reports: Sequence[str],
    display: str,
    log_format: str,
    json_lines: bool,
    quiet: bool,
    verbose: int,
    durations: int,
    settings: ReportSettings,
) -> OutputOptions:
    """Return how a run is shown, and configure the log."""
    from gradebox.graders.cli.display import Display
    from gradebox.graders.cli.logs import LogFormat, configure
    from gradebox.graders.cli.run_output import OutputOptions
    from gradebox.graders.reports.report_formats import parse_report_options

    if settings.for_candidates and (json_lines or verbose):
        raise UsageRefused("--json and --verbose are for authors: they show everything.", remedy="Remove --audience.")
    console.hide_findings(hidden=settings.for_candidates)
    configure(verbose=verbose, form=one_of(LogFormat, "--log-format", log_format))
    return OutputOptions(
        reports=parse_report_options([*reports]), json_lines=json_lines,
        display=one_of(Display, "--display", display), quiet=quiet, verbose=verbose, durations=durations,
        settings=settings,
    )  # fmt: skip


def shard_named(text: str | None) -> str | None:
    """Return the shard that ``--shard`` names, None without the option. Raises UsageRefused if it is not a shard."""
    if text is None:
        return None
    from gradebox.graders.runs.shards import shard_of

    return str(shard_of(text, os.environ))


def _remark_on_class(request: Request, settings: ReportSettings) -> None:
    if request.hand_ins and settings.roster and not settings.for_candidates:
        from gradebox.graders.reports.gradebook_report.roster import remarks

        console.warn(*remarks(settings.roster, {one.student for one in request.hand_ins}))


def grade_all(request: Request, options: OutputOptions, *, collect_only: bool = False) -> ExitCode:
    """Grade every case with every submission and return the exit code of the verdicts; or only list them.

    Raises GraderError if something on the command line or in a case is wrong, and SandboxError if no engine answers.
    """
    from gradebox.graders.cli.run_output import RunOutput, carry_out
    from gradebox.graders.cli.selection import load_and_select, with_judges, with_submissions
    from gradebox.graders.reports.report_formats import check_reports
    from gradebox.graders.runs.added_options import hooks
    from gradebox.graders.runs.request import continued
    from gradebox.graders.runs.reuse import EarlierRuns, Reuse
    from gradebox.graders.runs.run import Run
    from gradebox.graders.runs.tasks import tasks_of

    request.refuse_contradictions()
    saved = None
    if request.resume is not None:
        from gradebox.graders.runs.saved_run import read_run

        saved = read_run(request.resume)
        request = continued(request, saved)
        request.refuse_contradictions()
        if saved.other_version:
            console.warn(f"gradebox {saved.other_version} started this run: verdicts of that version are graded again")
    check_reports(options.reports, options.settings)
    loaded, chosen = load_and_select(request.cases, request.selection, **request.of_cases)
    chosen = with_judges(chosen, request.judge)
    if not chosen.cases:
        raise CaseRefused("There is no case to grade.")
    request = with_submissions(request, chosen.cases)
    _remark_on_class(request, options.settings)
    tasks = tasks_of(request, chosen.cases, chosen.left_out).repeated(request.repeat)
    console.print_diagnostics(tasks.diagnostics)
    if not tasks:
        raise CaseRefused("There is nothing to grade.")
    request, tasks = _after_failures(request, tasks.only(request.gradings))
    whole = len(tasks)
    tasks = tasks.of_shard(request, chosen.cases)
    if request.shard is not None and not options.quiet:
        here = f"{len(tasks)} of" if tasks else "nothing to grade; the other shards have all of"
        console.note(f"shard {request.shard}: {here} {console.counted(whole, 'grading')}")
    if collect_only:
        from gradebox.graders.cli.collected import print_collected

        listed = print_collected(tasks, saved, as_json=options.json_lines, quiet=options.quiet)
        return exit_code_of_results(not_graded=bool(chosen.errors) or tasks.broken, nothing=not listed)
    if any(case.judge for case in chosen.cases):
        from gradebox.graders.judges.judge_file import refuse_unready

        refuse_unready(chosen.cases, os.environ, request.judge_budget)
    reuse = Reuse(saved, request.rerun, EarlierRuns(request.runs) if request.reuse else None)
    workers = min((one.suite.workers for one in loaded if one.suite and one.suite.workers), default=None)
    listeners = [listener(request, chosen.cases) for listener in hooks(request.added, "listener")]
    output = RunOutput(options, len(tasks), listeners, show_profile=request.profile != "default")
    run = Run(request, chosen, tasks, reuse, output.take, workers)
    if carry_out(run, output):
        return ExitCode.INTERRUPTED
    totals = run.totals
    not_graded = totals.not_graded or bool(chosen.errors) or tasks.broken
    return exit_code_of_results(failed=totals.failed, not_graded=not_graded, nothing=bool(tasks) and not totals.count)


def _after_failures(request: Request, tasks: Tasks) -> tuple[Request, Tasks]:
    """Apply ``--lf`` and ``--ff``: return the request and its tasks: what did not pass last time, first or alone.

    Raises NothingSelected if none of those is among the tasks.
    """
    if not (request.last_failed or request.failed_first):
        return request, tasks
    from gradebox.graders.runs.history.last_failures import last_failures

    run, gradings = last_failures(request.runs)
    if not gradings:
        console.note(f"everything passed in {run}: grading all" if run else "there is no earlier run: grading all")
        return request, tasks
    if not request.last_failed:
        return request, tasks.first(gradings)
    request = replace(request, gradings=tuple(sorted(gradings)))
    tasks = tasks.only(gradings)
    if not tasks:
        raise NothingSelected(f"Nothing that did not pass in {run} is selected here.")
    return request, tasks
