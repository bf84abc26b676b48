"""``grade attack``: grade canned cheats against cases, and report which of them pass and what to change.

The cheats solve nothing, so none of them may pass. They need no model, and know of a case what its author knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graders.cli import console
from graders.cli.help import command_app, examples
from graders.cli.options import (
    HostOption,
    IdOption,
    JobsOption,
    PathsArgument,
    ProfileOption,
    RuntimeOption,
    TagOption,
    option,
)
from graders.errors import CaseRefused, ExitCode, exit_code_of_results

if TYPE_CHECKING:
    from rich.text import Text

    from graders.authoring.attack.attempts import CaseAttack, TriedCheat
    from graders.grading.grader import Grader

_COLOURS = {"passed": "red", "failed": "green", "error": "magenta", "did not fit": "dim"}

app = command_app()


@app.command(epilog=examples("grade attack cases/add-auth", "grade attack my-case --cheat 'exit/*' --jobs 2 --json"))
def attack(
    paths: PathsArgument,
    ids: IdOption = None,
    tags: TagOption = None,
    cheats: Annotated[
        list[str] | None, option(None, "--cheat GLOB", "Only cheats whose name matches, such as 'exit/*'. Repeatable.")
    ] = None,
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per case, one per line.")] = False,
    jobs: JobsOption = 2,
    profile: ProfileOption = "default",
    runtime: RuntimeOption = None,
    host: HostOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print results only.")] = False,
) -> None:
    """Try canned cheats on cases.

    Each cheat is graded like a submission, and solves nothing. Prints which of them pass, and what to change in the
    case. Ends with 0 if no cheat passes, 1 if one does, 4 if something could not be graded.
    """
    from graders.authoring.attack.attempts import AttackOutcome, plan_attack
    from graders.cli.interruption import interruptible
    from graders.cli.progress import progress_on
    from graders.cli.selection import load_and_select, selection_of
    from graders.grading.grader import Grader

    chosen = load_and_select(paths, selection_of(ids, tags, None, None)).chosen
    if not chosen.cases:
        raise CaseRefused("There is no case to attack.")
    # A case is the same for every target.
    cases = {(case.place, case.id): replace(case, target=None, use_target=None) for case in chosen.cases}
    work = [plan_attack(case, cheats or ()) for case in cases.values()]
    progress = progress_on(count=sum(len(job.gradings) for job in work), quiet=quiet)
    outcomes: list[AttackOutcome] = []
    with (
        Grader(host=host, profile=profile, runtime=runtime, emit=progress.take) as grader,
        interruptible(grader, progress.warn) as interruption,
    ):
        grader.engine.info()
        with progress:
            for job, attempts in _graded(grader, work, jobs):
                if interruption.requested:
                    break
                outcomes.append(job.outcome(attempts))
                with progress.paused():
                    _print(job, attempts, as_json=json_lines)
    if interruption.requested:
        console.warn(f"interrupted: {len(work) - len(outcomes)} of {len(work)} cases were not attacked")
        raise typer.Exit(ExitCode.INTERRUPTED)
    passed = outcomes.count(AttackOutcome.PASSED)
    if not quiet:
        console.say(f"{console.counted(len(outcomes), 'case')}: a cheat passes {passed} of them")
    not_graded = bool(chosen.errors) or AttackOutcome.NOT_GRADED in outcomes
    raise typer.Exit(exit_code_of_results(failed=bool(passed), not_graded=not_graded))


def _graded(
    grader: Grader, jobs: list[CaseAttack], at_a_time: int
) -> Iterator[tuple[CaseAttack, tuple[TriedCheat, ...]]]:
    """Grade everything that is planned. Yield each case when all its gradings are there; leave out those cut off."""
    from graders.grading.task import Task

    tasks = (Task(job.case, submission) for job in jobs for submission in job.gradings)
    results = grader.grade_many(tasks, jobs=at_a_time)
    for job in jobs:
        graded = list(islice(results, len(job.gradings)))
        if len(graded) < len(job.gradings):
            return
        yield job, job.attempts(graded)


def _print(job: CaseAttack, attempts: tuple[TriedCheat, ...], *, as_json: bool) -> None:
    from graders.reports.terminal import output, print_lines

    if as_json:
        print(console.json_line(_described(job, attempts)), flush=True)
    else:
        print_lines(output(), _report(job, attempts))


def _described(job: CaseAttack, attempts: tuple[TriedCheat, ...]) -> dict[str, Any]:
    return {
        "case": job.case.id,
        "place": str(job.case.place),
        "outcome": job.outcome(attempts),
        "cheats": [attempt._asdict() for attempt in attempts],
        "wall_seconds": round(sum(attempt.wall_seconds for attempt in attempts), 3),
    }


def _report(job: CaseAttack, attempts: tuple[TriedCheat, ...]) -> Iterator[Text]:
    from rich.text import Text

    from graders.reports.escaping import visible
    from graders.reports.terminal import Cell, Column, output, table

    outcome = job.outcome(attempts)
    yield Text.assemble((outcome.word, f"bold {_COLOURS[outcome]}"), "  ", (visible(job.case.id), "bold"))
    fitting = [attempt for attempt in attempts if attempt.outcome != "did not fit"]
    rows = [
        (
            Cell(attempt.cheat),
            Cell(attempt.outcome, _COLOURS[attempt.outcome]),
            Cell("" if attempt.score is None else f"{attempt.score:.3f}"),
            Cell(visible(attempt.reason if attempt.outcome == "error" else attempt.about)),
        )
        for attempt in fitting
    ]
    columns = [Column("cheat"), Column("verdict"), Column("score", right=True), Column("what it does", least=20)]
    yield from table(columns, rows, output())
    if misfits := [attempt.cheat for attempt in attempts if attempt.outcome == "did not fit"]:
        yield Text(f"  Did not fit: {', '.join(misfits)}.", "dim")
    for remedy, cheats in job.remedies(attempts).items():
        yield Text(f"  {', '.join(cheats)}:")
        yield Text(f"    {visible(remedy)}", "yellow")
