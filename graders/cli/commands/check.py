"""``grade check``: grade what a case says about itself, and report whether the case is fair.

The reference and the untouched workspace are graded as often as requested, each submission of ``submissions/`` once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import groupby, islice
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from graders.cli import console
from graders.cli.help import command_app, examples
from graders.cli.options import (
    ExcludeTagOption,
    HostOption,
    IdOption,
    JobsOption,
    PathsArgument,
    ProfileOption,
    RuntimeOption,
    TagOption,
)
from graders.errors import CaseRefused, ExitCode, GraderError, exit_code_of_results
from graders.reports.escaping import visible

if TYPE_CHECKING:
    from rich.text import Text

    from graders.authoring.proof import Finding, Outcome, Subject, Trial
    from graders.authoring.written_verdicts import WrittenVerdict
    from graders.grading.grader import Grader
    from graders.model.case import Case
    from graders.model.submission import Submission

_TITLES = {"proven": "proven", "unfair": "unfair", "not_graded": "not graded"}
_COLOURS = {"proven": "green", "unfair": "red", "not_graded": "magenta", "warning": "yellow"}

app = command_app()


class _Planned(NamedTuple):
    """One grading of a case."""

    subject: Subject
    repeat: int
    submission: Submission
    wanted: WrittenVerdict | None = None


class _Job(NamedTuple):
    """The gradings of one case, and the findings before anything ran."""

    case: Case
    planned: tuple[_Planned, ...]
    findings: tuple[Finding, ...]


@app.command(epilog=examples("grade check cases/add-auth", "grade check cases --repeat 20 --jobs 4"))
def check(
    paths: PathsArgument,
    ids: IdOption = None,
    tags: TagOption = None,
    excluded: ExcludeTagOption = None,
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat",
            "-n",
            min=1,
            max=1000,
            help="How often to grade the reference. Use 20 before publishing.",
            metavar="N",
        ),
    ] = 3,
    submissions: Annotated[
        bool, typer.Option("--submissions/--no-submissions", help="Also grade the submissions kept with the case.")
    ] = True,
    json_lines: Annotated[bool, typer.Option("--json", help="Print one JSON object per case, one per line.")] = False,
    jobs: JobsOption = 1,
    profile: ProfileOption = "default",
    runtime: RuntimeOption = None,
    host: HostOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print results only.")] = False,
) -> None:
    """Prove that cases are fair.

    The reference must pass with score 1. The untouched workspace must fail. Controls must fail on the reference.
    Repeats must agree. Each submission in submissions/ must get its verdict from verdicts.yaml. Ends with 0 if all
    cases are proven, 1 if a case is not fair, 4 if something could not be graded.
    """
    from rich.console import Group

    from graders.authoring.case_quality import prove
    from graders.authoring.proof import Outcome, outcome
    from graders.cli.interruption import interruptible
    from graders.cli.progress import progress_on
    from graders.cli.selection import load_and_select, selection_of
    from graders.grading.grader import Grader
    from graders.reports.terminal import output, print_trimmed

    chosen = load_and_select(paths, selection_of(ids, tags, excluded)).chosen
    if not chosen.cases:
        raise CaseRefused("There is no case to check.")
    # A case is the same for every target, and its reference does not come from a target.
    cases = {case.place: replace(case, target=None, use_target=None) for case in chosen.cases}
    work = [_job(case, repeat, submissions=submissions) for case in cases.values()]
    progress = progress_on(count=sum(len(job.planned) for job in work), quiet=quiet)
    found: Counter[Outcome] = Counter()
    with (
        Grader(host=host, profile=profile, runtime=runtime, emit=progress.take) as grader,
        interruptible(grader, progress.warn) as interruption,
    ):
        grader.engine.info()
        with progress:
            for job, trials in _graded(grader, work, jobs):
                if interruption.requested:
                    break
                findings = (*job.findings, *prove(job.case, trials))
                found[outcome(findings)] += 1
                with progress.paused():
                    if json_lines:
                        print(_as_json(job.case, repeat, trials, findings), flush=True)
                    else:
                        print_trimmed(output(), Group(*_report(job.case, trials, findings)))
    if interruption.requested:
        console.warn(f"interrupted: {len(work) - found.total()} of {len(work)} cases were not checked")
        raise typer.Exit(ExitCode.INTERRUPTED)
    if not quiet:
        counts = ", ".join(f"{found[kind]} {_TITLES[kind]}" for kind in Outcome if found[kind])
        console.say(f"{console.counted(found.total(), 'case')}: {counts}")
    not_graded = bool(chosen.errors or found[Outcome.NOT_GRADED])
    raise typer.Exit(exit_code_of_results(failed=bool(found[Outcome.UNFAIR]), not_graded=not_graded))


def _job(case: Case, repeat: int, *, submissions: bool) -> _Job:
    """Plan the gradings of a case, and find what prevents them."""
    from graders.authoring.proof import Finding, Level, Subject
    from graders.authoring.written_verdicts import read_kept
    from graders.documents.diagnostics import Findings, Severity
    from graders.model.submission import UNTOUCHED
    from graders.submissions.source import REFERENCE, read_submission

    findings: list[Finding] = []
    mistakes = Findings()
    kept = read_kept(case, mistakes)
    for found in mistakes:
        level = Level.UNFAIR if found.severity is Severity.ERROR else Level.WARNING
        findings.append(Finding(level, f"{found.place}: {found.message}.", found.hint))
    planned: list[_Planned] = []
    reference = _reference(case, findings)
    if reference is not None:
        wanted = kept.verdicts.get(REFERENCE)
        planned += [_Planned(Subject.REFERENCE, n, reference, wanted) for n in range(1, repeat + 1)]
    planned += [_Planned(Subject.UNTOUCHED, n, UNTOUCHED) for n in range(1, repeat + 1)]
    for name, path in kept.paths.items() if submissions else ():
        try:
            submission = read_submission(path, name=name)
        except GraderError as error:
            findings.append(Finding(Level.NOT_GRADED, error.message, error.remedy, name))
        else:
            planned.append(_Planned(Subject.SUBMISSION, 1, submission, kept.verdicts.get(name)))
    return _Job(case, tuple(planned), tuple(findings))


def _reference(case: Case, findings: list[Finding]) -> Submission | None:
    from graders.authoring.proof import Finding, Level
    from graders.cases.case_file import CASE_FILES
    from graders.submissions.source import REFERENCE, read_reference

    try:
        reference = read_reference(case)
    except GraderError as error:
        findings.append(Finding(Level.NOT_GRADED, error.message, error.remedy, REFERENCE))
        return None
    if reference is None:
        message = "There is no reference, so nothing shows that the case can be passed."
        of_its_own = case.place.file.name in CASE_FILES
        where = f"Put a solution into {case.directory / REFERENCE}" if of_its_own else f"Write one at {case.place}"
        findings.append(Finding(Level.UNFAIR, message, f"{where}, or name it with `reference_solution`."))
    return reference


def _graded(grader: Grader, jobs: list[_Job], at_a_time: int) -> Iterator[tuple[_Job, list[Trial]]]:
    """Grade everything that is planned. Yield each case when all its gradings are there; leave out those cut off."""
    from graders.authoring.proof import Trial
    from graders.grading.task import Task

    tasks = (Task(job.case, planned.submission) for job in jobs for planned in job.planned)
    results = grader.grade_many(tasks, jobs=at_a_time)
    for job in jobs:
        graded = list(islice(results, len(job.planned)))
        if len(graded) < len(job.planned):
            return
        yield job, [Trial(p.subject, p.repeat, one, p.wanted) for p, one in zip(job.planned, graded, strict=True)]


def _as_json(case: Case, repeat: int, trials: list[Trial], findings: tuple[Finding, ...]) -> str:
    from graders.authoring.proof import outcome

    return json.dumps(
        {
            "case": case.id,
            "place": str(case.place),
            "outcome": outcome(findings),
            "repeat": repeat,
            "findings": [asdict(finding) for finding in findings],
            "runs": [
                {
                    "subject": trial.subject,
                    "submission": trial.graded.submission,
                    "repeat": trial.repeat,
                    "verdict": trial.graded.verdict.status,
                    "score": trial.graded.verdict.score,
                    "written": trial.wanted.verdict if trial.wanted else None,
                    "checks": {check.name: check.score for check in trial.graded.verdict.checks},
                }
                for trial in trials
            ],
            "wall_seconds": round(sum(trial.graded.wall_seconds for trial in trials), 3),
        }
    )


def _report(case: Case, trials: list[Trial], findings: tuple[Finding, ...]) -> Iterator[Text]:
    from rich.text import Text

    from graders.authoring.proof import Level, outcome

    kind = outcome(findings)
    yield Text.assemble((_TITLES[kind].upper(), f"bold {_COLOURS[kind]}"), "  ", (visible(case.id), "bold"))
    for line in _observations(
        trials, {finding.submission for finding in findings if finding.level is not Level.WARNING}
    ):
        yield Text(f"  {visible(line)}")
    for finding in findings:
        word = "warning" if finding.level is Level.WARNING else "error"
        yield Text.assemble((f"  {word}: ", _COLOURS[finding.level]), visible(finding.message))
        if finding.remedy:
            yield Text(f"    {visible(finding.remedy)}", "dim")


def _observations(trials: list[Trial], wrong: set[str]) -> Iterator[str]:
    """Yield what was run and what was seen, a sentence each.

    Args:
        trials: All of a case.
        wrong: Names of submissions that did not get their written verdict.
    """
    from graders.authoring.case_quality import controls
    from graders.authoring.proof import Subject

    for subject, group in groupby(trials, lambda trial: trial.subject):
        found = list(group)
        if subject is Subject.SUBMISSION:
            as_written = sum(trial.graded.submission not in wrong for trial in found)
            kept = console.counted(len(found), "submission")
            yield f"{as_written} of {kept} got the verdict that is written in verdicts.yaml."
            continue
        name = "reference" if subject is Subject.REFERENCE else "untouched workspace"
        scores = {trial.graded.verdict.score: None for trial in found}
        listed = ", ".join("none" if score is None else f"{score:.3f}" for score in scores)
        verb = "passed" if subject is Subject.REFERENCE else "failed"
        count = sum(trial.graded.verdict.status == verb for trial in found)
        yield f"The {name} {verb} in {count} of {console.counted(len(found), 'run')} (score {listed})."
        ran, failed = controls(found[0])
        if subject is Subject.REFERENCE and ran:
            yield f"{failed} of {ran} controls failed on the reference, as they must."
