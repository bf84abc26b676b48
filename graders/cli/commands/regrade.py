"""``grade regrade``: score a run again after its cases changed, or grade the submissions that it kept again."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.grade_options import (
    AutoJobsOption,
    DisplayOption,
    FailFastOption,
    JudgeBudgetOption,
    JudgeOption,
    KeepSubmissionsOption,
    MaxWallOption,
    ReportOption,
    ShardOption,
    VerboseOption,
)
from gradebox.graders.cli.help import CommandWithPluginOptions, command_app, examples, one_of
from gradebox.graders.cli.options import HostOption, IdOption, JsonLinesOption, QuietOption, RunArgument, option
from gradebox.graders.errors import CaseRefused, UsageRefused, exit_code_of_results
from gradebox.graders.model.verdict import Status

if TYPE_CHECKING:
    from gradebox.graders.runs.request import Request

_MOST_KEYS = 5

app = command_app()

JudgmentsOption = Annotated[
    Path | None,
    option(
        None,
        "--judgments FILE",
        "Replies to questions that no judge has answered, as `grade export-judgments` writes them.",
    ),
]
ExecuteOption = Annotated[
    bool, option(None, "--execute", "Run the kept submissions again, with the cases as they are now.")
]
CaseOption = Annotated[
    list[Path] | None, option(None, "--case -c PATH", "With --execute: the cases, if they have moved.")
]
OnlyOption = Annotated[
    str | None,
    option(
        None,
        "--only VERDICT,...",
        "With --execute: only submissions with this verdict: passed, failed, error, not_judged.",
    ),
]


@app.command(
    cls=CommandWithPluginOptions,
    epilog=examples(
        "grade regrade latest",
        "grade regrade latest --judgments replies.jsonl",
        "grade regrade latest --execute --only failed,error",
    ),
)
def regrade(
    context: typer.Context,
    run: RunArgument,
    execute: ExecuteOption = False, cases: CaseOption = None, only: OnlyOption = None, ids: IdOption = None,
    jobs: AutoJobsOption = None, shard: ShardOption = None,
    host: HostOption = None, fail_fast: FailFastOption = False,
    max_wall: MaxWallOption = None, judge: JudgeOption = None, judge_budget: JudgeBudgetOption = None,
    keep_submissions: KeepSubmissionsOption = None, reports: ReportOption = None,
    runs: Annotated[
        Path | None, typer.Option("--runs", help="Where to create the new run directory.", metavar="DIR")
    ] = None,
    judgments: JudgmentsOption = None,
    json_lines: JsonLinesOption = False, quiet: QuietOption = False,
    display: DisplayOption = "auto", verbose: VerboseOption = 0,
) -> None:  # fmt: skip
    """Score a run again after weights, requirements or thresholds changed, or judges replied.

    Runs nothing and asks no judge. With --execute, it runs the kept submissions of the run again. The new verdicts go
    into a run directory of their own.
    """
    if not execute:
        _refuse_options_of_execute(context)
        raise typer.Exit(_score_again(run, runs, judgments, json_lines=json_lines, quiet=quiet))
    if judgments is not None:
        raise UsageRefused("--judgments and --execute cannot be combined.", remedy="Score the new run again with it.")
    from gradebox.graders.cli.commands.grade import grade_all, shard_named
    from gradebox.graders.cli.display import Display
    from gradebox.graders.cli.logs import LogFormat, configure
    from gradebox.graders.cli.run_output import OutputOptions
    from gradebox.graders.cli.selection import selection_of
    from gradebox.graders.reports.report_formats import parse_report_options
    from gradebox.graders.runs.history.run_names import find_run
    from gradebox.graders.runs.kept.keeper import size_of

    configure(verbose=verbose, form=LogFormat.TEXT)
    request = replace(
        _request_of(find_run(run), cases, runs, judge), selection=selection_of(ids, None, None, None), only=_only(only),
        jobs=jobs, shard=shard_named(shard), host=host, added=context.obj,
        max_failures=1 if fail_fast else None, max_wall_seconds=max_wall, judge_budget=judge_budget,
        keep_submissions=None if keep_submissions is None else size_of(keep_submissions),
    )  # fmt: skip
    options = OutputOptions(
        reports=parse_report_options(reports or []), json_lines=json_lines,
        display=one_of(Display, "--display", display), quiet=quiet, verbose=verbose,
    )  # fmt: skip
    raise typer.Exit(grade_all(request, options))


def _refuse_options_of_execute(context: typer.Context) -> None:
    """Refuse options that mean nothing where nothing is run. Raises UsageRefused."""
    shared = {"run", "execute", "runs", "judgments", "json_lines", "quiet"}
    given = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name not in shared
        and getattr(context.get_parameter_source(parameter.name or ""), "name", "") == "COMMANDLINE"
    ]
    if given:
        need = "needs" if len(given) == 1 else "need"
        raise UsageRefused(f"{' and '.join(given)} {need} --execute.", remedy="Without it, nothing is run.")


def _request_of(run: Path, cases: list[Path] | None, runs: Path | None, judge: Path | None) -> Request:
    """Return the request that grades what a run kept, in the way of that run."""
    from gradebox.graders.runs.request import Request, of_saved
    from gradebox.graders.runs.saved_run import read_run

    saved = read_run(run, light=True)
    before = of_saved(Request(cases=(), resume=run), saved)
    return Request(
        cases=tuple(cases or before.cases), work_of=run, runs=runs or before.runs, judge=judge or before.judge,
        profile=before.profile, runtime=before.runtime, **before.of_cases,
    )  # fmt: skip


def _only(text: str | None) -> frozenset[Status]:
    words = [word.strip() for word in (text or "").split(",") if word.strip()]
    return frozenset(one_of(Status, "--only", word) for word in words)


def _score_again(run: Path, runs: Path | None, judgments: Path | None, *, json_lines: bool, quiet: bool) -> int:
    from gradebox.graders.cli.selection import load_run
    from gradebox.graders.judges.recorded_judge import read_judgments
    from gradebox.graders.model.verdict_document import as_json
    from gradebox.graders.reports.terminal import output
    from gradebox.graders.reports.text_report import print_verdict
    from gradebox.graders.runs.regrade import regrade as regrade_run
    from gradebox.graders.runs.statistics import Totals
    from gradebox.graders.runs.store import Store

    saved, request, selected, tasks = load_run(run)
    dependent = any(case.depends_on for case in selected.cases)
    given = None if judgments is None else read_judgments(judgments)
    asked: set[str] = set()
    results = regrade_run(saved, tasks, dependent=dependent, broken=selected.broken, judgments=given, asked=asked)
    first = next(results, None)
    if first is None:
        # Before there is a run directory, which would be an empty one.
        raise CaseRefused(
            f"{run} has no verdict for its current cases and submissions.", remedy="Nothing was scored again."
        )
    terminal = output()
    totals = Totals()
    changed = 0
    store = Store.create(runs or request.runs, {**saved.requested, "regraded": saved.id})
    try:
        for one in chain((first,), results):
            store.add(one.result, saved.evidence.work(one.result.submission_hash))
            totals.add(one.result)
            changed += one.result.verdict.status != one.before.verdict
            if json_lines:
                print(as_json(one.result, store.id), flush=True)
            elif one.result.verdict.status != one.before.verdict:
                print_verdict(terminal, one.result)
    finally:
        store.close()
    _warn_of_unknown(judgments, set(given or ()) - asked)
    gone = len(saved.verdicts) - totals.count
    if gone:
        console.warn(f"{gone} of {len(saved.verdicts)} verdicts were not scored: their case or submission is gone")
    if not quiet:
        console.say(f"{changed} of {totals.count} verdicts changed")
        console.note(*totals.tries.sentences(), f"run directory: {store.directory}")
        console.print_counts(totals.statuses, "scored again")
    broken = bool(selected.errors or gone or tasks.broken)
    return exit_code_of_results(failed=totals.failed, not_graded=totals.not_graded or broken)


def _warn_of_unknown(judgments: Path | None, keys: set[str]) -> None:
    """Print the keys of replies to no question of the run."""
    listed = ", ".join(sorted(keys)[:_MOST_KEYS]) + (", ..." if len(keys) > _MOST_KEYS else "")
    if keys:
        console.warn(f"{judgments}: {console.counted(len(keys), 'key')} of no question of this run: {listed}")
