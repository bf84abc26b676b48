"""``grade check``: grade a case's reference, workspace and submissions, and report whether the case is fair.

The reference and the untouched workspace are graded as often as requested, each submission of ``submissions/`` once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from gradebox.graders.cli import check_report, console
from gradebox.graders.cli.commands.mutants import LeastOption
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.cli.options import (
    ExcludeTagOption,
    HostOption,
    IdOption,
    IsolationOption,
    JobsOption,
    PathsArgument,
    ProfileOption,
    QuietOption,
    RuntimeOption,
    TagOption,
    TimeFactorOption,
    WeakerOption,
    WhereOption,
    option,
)
from gradebox.graders.errors import CaseRefused, ExitCode, exit_code_of_results

if TYPE_CHECKING:
    from gradebox.graders.authoring.attack.attempts import CaseAttack
    from gradebox.graders.authoring.case_quality import CheckedCase
    from gradebox.graders.authoring.mutants.experiment import Experiment
    from gradebox.graders.authoring.quality_gradings import Quality, QualityPlan, SubjectResult
    from gradebox.graders.cli.progress import Progress
    from gradebox.graders.grading.grader import Grader
    from gradebox.graders.runs.run_grader import RunGrader

RepeatOption = Annotated[
    int, option(None, "--repeat -n N", "How often to grade the reference. Use 20 before publishing.", min=1, max=1000)
]
AttackOption = Annotated[
    bool, typer.Option("--attack/--no-attack", help="Also try the cheats of `grade attack` on a case that is fair.")
]
SubmissionsOption = Annotated[
    bool, typer.Option("--submissions/--no-submissions", help="Also grade the submissions kept with the case.")
]
LeaksOption = Annotated[
    bool, typer.Option("--leaks/--no-leaks", help="Also search image, workspace and environment for the answer.")
]
UnderLoadOption = Annotated[
    bool, typer.Option("--under-load", help="Also grade the reference of a fair case while all processors are busy.")
]
WriteOption = Annotated[
    bool, typer.Option("--write", help="Write the `isolation` that works for the reference into each case file.")
]
MutantsOption = Annotated[
    int,
    option(
        None,
        "--mutants N",
        "Also try N mutants of the reference on a fair case, such as 60. Needs gradebox[mutants].",
        min=0,
        max=100_000,
    ),
]

app = command_app()


@app.command(epilog=examples("grade check cases/add-auth", "grade check cases --repeat 20 --jobs 4"))
def check(
    paths: PathsArgument,
    ids: IdOption = None, tags: TagOption = None, excluded: ExcludeTagOption = None, where: WhereOption = None,
    repeat: RepeatOption = 3,
    submissions: SubmissionsOption = True,
    attack: AttackOption = True, leaks: LeaksOption = True, under_load: UnderLoadOption = False,
    mutants: MutantsOption = 0, least: LeastOption = 0.0,
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per case, one per line.")] = False,
    jobs: JobsOption = 1,
    profile: ProfileOption = "default", runtime: RuntimeOption = None, host: HostOption = None,
    weaker: WeakerOption = "", time_factor: TimeFactorOption = 1.0, isolation: IsolationOption = None,
    write: WriteOption = False,
    quiet: QuietOption = False,
) -> None:  # fmt: skip
    """Prove that cases are fair.

    The reference must pass with score 1. The untouched workspace must fail. Controls must fail on the reference.
    Repeats must agree. Each submission in submissions/ must get its verdict from verdicts.yaml. No file that a
    candidate can read may hold the answer. No cheat of `grade attack` may pass. Exits with 0 if all cases are proven
    (or fair, with --no-attack), 1 if a case is not, 4 if something could not be graded.
    """
    from gradebox.graders.authoring.attack.attempts import plan_attack
    from gradebox.graders.authoring.mutants.experiment import plan_mutants
    from gradebox.graders.authoring.quality_gradings import plan_gradings
    from gradebox.graders.authoring.written_isolation import write_isolation
    from gradebox.graders.cli.display import progress_on
    from gradebox.graders.cli.interruption import interruptible
    from gradebox.graders.cli.selection import load_and_select, selection_of
    from gradebox.graders.runs.run_grader import RunGrader

    chosen = load_and_select(paths, selection_of(ids, tags, excluded, where), time_factor, isolation).chosen
    if not chosen.cases:
        raise CaseRefused("There is no case to check.")
    # A case is the same for every target, and its reference does not come from a target.
    cases = {(case.place, case.id): replace(case, target=None, use_target=None) for case in chosen.cases}
    work = [plan_gradings(case, repeat, submissions=submissions) for case in cases.values()]
    attacks = [plan_attack(case) if attack else None for case in cases.values()]
    experiments = [plan_mutants(case, mutants) if mutants else None for case in cases.values()]
    counts = [len(job.gradings) for job in (*work, *attacks) if job] + [job.count for job in experiments if job]
    progress = progress_on(count=sum(counts), quiet=quiet)
    found: Counter[Quality] = Counter()
    own = RunGrader(host=host, profile=profile, runtime=runtime, accept_weaker=weaker)
    with own.wired(emit=progress.take) as grader, interruptible(grader, progress.warn) as interruption:
        grader.engine.info()
        with progress:
            for job, cheats, experiment in zip(work, attacks, experiments, strict=True):
                checked = _checked(grader, job, cheats, jobs, progress, leaks=leaks)
                checked = _loaded(grader, checked, job) if under_load else checked
                checked = _noticed(grader, checked, experiment, jobs, least)
                if interruption.requested or checked is None:
                    break
                found[checked.quality] += 1
                with progress.paused():
                    check_report.show(checked, repeat=repeat if json_lines else 0)
                    if write and (written := write_isolation(checked.case)):
                        console.note(written)
    if interruption.requested:
        console.warn(f"interrupted: {len(work) - found.total()} of {len(work)} cases were not checked")
        raise typer.Exit(ExitCode.INTERRUPTED)
    raise typer.Exit(_summarised(found, broken=bool(chosen.errors), quiet=quiet))


def _summarised(found: Counter[Quality], *, broken: bool, quiet: bool) -> ExitCode:
    from gradebox.graders.authoring.quality_gradings import Quality

    if not quiet:
        counts = ", ".join(f"{found[kind]} {check_report.TITLES[kind]}" for kind in Quality if found[kind])
        console.say(f"{console.counted(found.total(), 'case')}: {counts}")
    failed = bool(found[Quality.UNFAIR] + found[Quality.CHEATED])
    return exit_code_of_results(failed=failed, not_graded=broken or bool(found[Quality.NOT_GRADED]))


def _checked(
    grader: RunGrader, job: QualityPlan, cheats: CaseAttack | None, jobs: int, progress: Progress, *, leaks: bool
) -> CheckedCase | None:
    """Run the planned gradings, and cheats if the case is fair. Return None if the grader was stopped."""
    from gradebox.graders.authoring import case_quality
    from gradebox.graders.authoring.leaks import case_search
    from gradebox.graders.authoring.quality_gradings import Quality

    job = job._replace(case=grader.settle(job.case)).on(grader.engine.info())
    results = _graded(grader, job, jobs)
    if results and case_quality.depends_on_surroundings(results):
        more = _graded(grader, job.one_at_a_time(), jobs)
        results = results and more and (*results, *more)
    if results is None:
        return None
    findings = (*job.findings, *case_quality.find_problems(job.case, results))
    checked = case_quality.CheckedCase(job.case, results, findings)
    if leaks and (search := case_search.search_case(grader.engine, job.case, grader.image_of, lambda: grader.stopped)):
        checked = checked._replace(search=search, findings=(*findings, *case_search.problems(search)))
    if cheats is None or checked.quality is not Quality.FAIR:
        return checked
    progress.cheats = True
    tried = cheats.carried_out(grader, jobs=jobs)
    progress.cheats = False
    if tried is None:
        return None
    return checked._replace(tried=tried, findings=(*checked.findings, *case_quality.find_cheats(tried)))


def _loaded(grader: RunGrader, checked: CheckedCase | None, job: QualityPlan) -> CheckedCase | None:
    """Grade the reference under load, if the case is fair. Return None if the grader was stopped."""
    from gradebox.graders.authoring.quality_gradings import Quality
    from gradebox.graders.authoring.under_load import LOAD_SECONDS, busy, effects_of_load

    if checked is None or checked.quality not in {Quality.FAIR, Quality.PROVEN}:
        return checked
    image = grader.image_of(checked.case)
    with busy(grader.engine, lambda limits: grader.sandbox_spec(image, limits, LOAD_SECONDS)):
        found = _graded(grader, job._replace(case=checked.case).under_load(), jobs=1)
    if found is None:
        return None
    results = (*checked.results, *found)
    effects = effects_of_load(checked.case, results)
    return checked._replace(results=results, findings=(*checked.findings, *effects))


def _graded(grader: Grader, job: QualityPlan, jobs: int) -> tuple[SubjectResult, ...] | None:
    """Return a result for each planned grading, None if the grader was stopped."""
    from gradebox.graders.authoring.quality_gradings import SubjectResult
    from gradebox.graders.grading.task import Task

    tasks = (Task(planned.case(job.case), planned.submission) for planned in job.gradings)
    graded = list(grader.grade_many(tasks, jobs=jobs))
    if len(graded) < len(job.gradings):
        return None
    pairs = zip(job.gradings, graded, strict=True)
    return tuple(SubjectResult(p.subject, p.repeat, result, p.expected, p.changed) for p, result in pairs)


def _noticed(
    grader: Grader, checked: CheckedCase | None, job: Experiment | None, jobs: int, least: float
) -> CheckedCase | None:
    """Grade mutants, if there are any to grade and the case is fair. Return None if the grader was stopped."""
    from gradebox.graders.authoring.mutants.experiment import find_weakness
    from gradebox.graders.authoring.quality_gradings import Quality

    if checked is None or job is None or checked.quality not in {Quality.FAIR, Quality.PROVEN}:
        return checked
    noticed = job.carried_out(grader, jobs=jobs)
    if noticed is None:
        return None
    return checked._replace(noticed=noticed, findings=(*checked.findings, *find_weakness(noticed, least)))
