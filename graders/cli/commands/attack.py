"""``grade attack``: grade canned cheats against cases, and report which of them pass and what to change.

The cheats solve nothing, so none of them may pass. They need no model, and know of a case what its author knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import (
    HostOption,
    IdOption,
    JobsOption,
    PathsArgument,
    ProfileOption,
    QuietOption,
    RuntimeOption,
    TagOption,
    WeakerOption,
    option,
)
from gradebox.graders.errors import CaseRefused, ExitCode, exit_code_of_results

if TYPE_CHECKING:
    from rich.text import Text

    from gradebox.graders.authoring.attack.attempts import TriedCheat
    from gradebox.graders.model.case import Case

_COLOURS = {"passed": "red", "failed": "green", "error": "magenta", "did not fit": "dim"}

app = command_app()


@app.command(epilog=examples("grade attack cases/add-auth", "grade attack my-case --cheat 'exit/*' --jobs 2 --json"))
def attack(
    paths: PathsArgument,
    ids: IdOption = None, tags: TagOption = None,
    cheats: Annotated[
        list[str] | None, option(None, "--cheat GLOB", "Only cheats whose name matches, such as 'exit/*'. Repeatable.")
    ] = None,
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per case, one per line.")] = False,
    jobs: JobsOption = 2,
    profile: ProfileOption = "default", runtime: RuntimeOption = None, host: HostOption = None,
    weaker: WeakerOption = "",
    quiet: QuietOption = False,
) -> None:  # fmt: skip
    """Try canned cheats on cases.

    Each cheat is graded like a submission, and solves nothing. Prints which of them pass, and what to change in the
    case. Exits with 0 if no cheat passes, 1 if one does, 4 if something could not be graded.
    """
    from gradebox.graders.authoring.attack.attempts import AttackOutcome, outcome_of, plan_attack
    from gradebox.graders.cli.display import progress_on
    from gradebox.graders.cli.interruption import interruptible
    from gradebox.graders.cli.selection import load_and_select, selection_of
    from gradebox.graders.runs.run_grader import RunGrader

    chosen = load_and_select(paths, selection_of(ids, tags, None, None)).chosen
    if not chosen.cases:
        raise CaseRefused("There is no case to attack.")
    # A case is the same for every target.
    cases = {(case.place, case.id): replace(case, target=None, use_target=None) for case in chosen.cases}
    work = [plan_attack(case, cheats or ()) for case in cases.values()]
    progress = progress_on(count=sum(len(job.gradings) for job in work), quiet=quiet)
    progress.cheats = True
    outcomes: list[AttackOutcome] = []
    own = RunGrader(host=host, profile=profile, runtime=runtime, accept_weaker=weaker)
    with own.wired(emit=progress.take) as grader, interruptible(grader, progress.warn) as interruption:
        grader.engine.info()
        with progress:
            for job in work:
                tried = job.carried_out(grader, jobs=jobs)
                if interruption.requested or tried is None:
                    break
                outcomes.append(outcome_of(tried))
                with progress.paused():
                    _print(job.case, tried, as_json=json_lines)
    if interruption.requested:
        console.warn(f"interrupted: {len(work) - len(outcomes)} of {len(work)} cases were not attacked")
        raise typer.Exit(ExitCode.INTERRUPTED)
    passed = outcomes.count(AttackOutcome.PASSED)
    if not quiet:
        console.say(f"{console.counted(len(outcomes), 'case')}: a cheat passes {passed} of them")
    not_graded = bool(chosen.errors) or AttackOutcome.NOT_GRADED in outcomes
    raise typer.Exit(exit_code_of_results(failed=bool(passed), not_graded=not_graded))


def _print(case: Case, tried: tuple[TriedCheat, ...], *, as_json: bool) -> None:
    from gradebox.graders.reports.terminal import output, print_lines

    if as_json:
        print(console.json_line(_described(case, tried)), flush=True)
    else:
        print_lines(output(), _report(case, tried))


def _described(case: Case, tried: tuple[TriedCheat, ...]) -> dict[str, Any]:
    from gradebox.graders.authoring.attack.attempts import outcome_of

    return {
        "case": case.id,
        "place": str(case.place),
        "outcome": outcome_of(tried),
        "cheats": [each._asdict() for each in tried],
        "wall_seconds": round(sum(each.wall_seconds for each in tried), 3),
    }


def _report(case: Case, tried: tuple[TriedCheat, ...]) -> Iterator[Text]:
    from rich.text import Text

    from gradebox.graders.authoring.attack.attempts import NO_FIT, by_remedy, outcome_of
    from gradebox.graders.reports import wording
    from gradebox.graders.reports.escaping import visible
    from gradebox.graders.reports.terminal import Cell, Column, output, table

    outcome = outcome_of(tried)
    yield Text.assemble((outcome.word, f"bold {_COLOURS[outcome]}"), "  ", (visible(case.id), "bold"))
    fitting = [each for each in tried if each.outcome != NO_FIT]
    rows = [
        (
            Cell(each.cheat),
            Cell(each.outcome, _COLOURS[each.outcome]),
            Cell(wording.score(each.score)),
            Cell(visible(each.reason if each.outcome == "error" else each.about)),
        )
        for each in fitting
    ]
    columns = [Column("cheat"), Column("verdict"), Column("score", right=True), Column("what it does", least=20)]
    yield from table(columns, rows, output())
    if misfits := [each.cheat for each in tried if each.outcome == NO_FIT]:
        yield Text(f"  Did not fit: {', '.join(misfits)}.", "dim")
    for remedy, cheats in by_remedy(tried).items():
        yield Text(f"  {', '.join(each.cheat for each in cheats)}:")
        yield Text(f"    {visible(remedy)}", "yellow")
