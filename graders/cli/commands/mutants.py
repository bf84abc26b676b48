"""``grade mutants``: grade small mistakes in the references of cases, and report which the checks do not notice."""

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

    from gradebox.graders.authoring.mutants.experiment import Noticed
    from gradebox.graders.model.case import Case

CountOption = Annotated[int, option(None, "--count N", "How many mutants to try for each case.", min=1, max=100_000)]
SeedOption = Annotated[int, option(None, "--seed N", "Random seed: the same seed selects the same mutants.", min=0)]
LeastOption = Annotated[
    float, option(None, "--min-caught SHARE", "Exit with 1 if a smaller share is caught, such as 0.9.", min=0, max=1)
]

app = command_app()


@app.command(epilog=examples("grade mutants cases/add-auth", "grade mutants my-case --jobs 4 --min-caught 0.9"))
def mutants(
    paths: PathsArgument,
    ids: IdOption = None, tags: TagOption = None,
    count: CountOption = 60, seed: SeedOption = 0, least: LeastOption = 0.0,
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per case, one per line.")] = False,
    jobs: JobsOption = 2,
    profile: ProfileOption = "default", runtime: RuntimeOption = None, host: HostOption = None,
    weaker: WeakerOption = "",
    quiet: QuietOption = False,
) -> None:  # fmt: skip
    """Measure which mistakes the checks of cases detect.

    Grades mutants: the reference with one small mistake each. Prints which of them pass, and lines that no check runs.
    Needs gradebox[mutants]. Exits with 1 if less than --min-caught is caught, 4 if something could not be graded,
    otherwise 0.
    """
    from gradebox.graders.authoring.mutants.experiment import plan_mutants
    from gradebox.graders.cli.display import progress_on
    from gradebox.graders.cli.interruption import interruptible
    from gradebox.graders.cli.selection import load_and_select, selection_of
    from gradebox.graders.runs.run_grader import RunGrader

    chosen = load_and_select(paths, selection_of(ids, tags, None, None)).chosen
    if not chosen.cases:
        raise CaseRefused("There is no case to make mutants of.")
    # A case is the same for every target.
    cases = {(case.place, case.id): replace(case, target=None, use_target=None) for case in chosen.cases}
    work = [plan_mutants(case, count, seed) for case in cases.values()]
    progress = progress_on(count=sum(job.count for job in work), quiet=quiet)
    found: list[Noticed] = []
    own = RunGrader(host=host, profile=profile, runtime=runtime, accept_weaker=weaker)
    with own.wired(emit=progress.take) as grader, interruptible(grader, progress.warn) as interruption:
        grader.engine.info()
        with progress:
            for job in work:
                noticed = job.carried_out(grader, jobs=jobs)
                if interruption.requested or noticed is None:
                    break
                found.append(noticed)
                with progress.paused():
                    _print(job.case, noticed, as_json=json_lines)
    if interruption.requested:
        console.warn(f"interrupted: mutants of {len(work) - len(found)} of {len(work)} cases were not graded")
        raise typer.Exit(ExitCode.INTERRUPTED)
    weak = sum(each.rate.share < least for each in found if not each.problem)
    if least and not quiet:
        console.say(f"{console.counted(len(found), 'case')}: {weak} caught less than {least:g}")
    not_graded = bool(chosen.errors) or any(each.problem or each.rate.errors for each in found)
    raise typer.Exit(exit_code_of_results(failed=bool(weak), not_graded=not_graded))


def _print(case: Case, noticed: Noticed, *, as_json: bool) -> None:
    from gradebox.graders.reports.terminal import output, print_lines

    if as_json:
        print(console.json_line({"case": case.id, "place": str(case.place), **described(noticed)}), flush=True)
    else:
        print_lines(output(), _report(case, noticed))


def described(noticed: Noticed) -> dict[str, Any]:
    rate = noticed.rate
    return {
        "caught": rate.passed,
        "tried": rate.judged,
        "errors": rate.errors,
        "interval": [round(bound, 4) for bound in rate.interval],
        "seed": noticed.seed,
        "mutants": noticed.found,
        "marked": noticed.marked,
        "problem": noticed.problem,
        "survivors": [
            {
                "file": each.mutant.path, "line": each.mutant.line, "function": each.mutant.function,
                "operator": each.mutant.operator, "from": each.mutant.before, "to": each.mutant.after,
                "reason": each.reason,
            }
            for _, group in noticed.by_function()
            for each in group
        ],
        "not_reached": noticed.not_reached,
        "caught_by": dict(noticed.by_check.most_common()),
        "idle_marks": [mark._asdict() for mark in noticed.idle],
    }  # fmt: skip


def _report(case: Case, noticed: Noticed) -> Iterator[Text]:
    from rich.text import Text

    from gradebox.graders.reports.escaping import visible

    yield Text.assemble(("MUTANTS", "bold"), "  ", (visible(case.id), "bold"))
    yield from lines(noticed)
    for mark in noticed.idle:
        yield Text.assemble(("  warning: ", "yellow"), visible(f"A mark fits no mutant: {mark.file}: {mark.after}"))


def lines(noticed: Noticed) -> Iterator[Text]:
    """Yield what was noticed: the share, the survivors, the lines that are not reached, and what to know of marks."""
    from rich.text import Text

    from gradebox.graders.reports.escaping import visible

    if noticed.problem:
        yield Text.assemble(("  error: ", "magenta"), visible(noticed.problem))
        return
    rate = noticed.rate
    low, high = rate.interval
    share = f"{rate.passed} of {rate.judged} mutants caught ({rate.share:.0%}, 95 % interval {low:.0%} to {high:.0%})"
    marked = f", {noticed.marked} marked as equivalent" if noticed.marked else ""
    count = len(noticed.graded) + noticed.marked
    yield Text(f"  {share}; a sample of {count} of {noticed.found} with seed {noticed.seed}{marked}.")
    for check, count in noticed.by_check.most_common(1):
        yield Text(f"  {visible(check)} caught most: {count}.")
    for (path, function), group in noticed.by_function():
        yield Text(f"  {visible(path)} {visible(function)}: {len(group)} not caught", "yellow")
        for each in group:
            yield from (Text(f"    {visible(line)}") for line in each.mutant.diff)
            if each.reason:
                yield Text(f"    {visible(each.reason)}", "dim")
    for path, numbers in noticed.not_reached.items():
        yield Text(f"  not reached: {visible(path)}, line {', '.join(map(str, numbers))}", "yellow")
    for each in [each for each in noticed.graded if each.verdict == "error"][:3]:
        yield Text.assemble(("  error: ", "magenta"), visible(f"{each.mutant.diff[0]}: {each.reason}"))
