"""What ``grade check`` does: grade what a case says about itself, and tell whether the case is fair. Prints.

The reference and the untouched workspace are graded as often as asked, each submission of ``submissions/`` once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import groupby, islice
from pathlib import Path

from rich.console import Console, Group
from rich.text import Text

from graders.authoring.case_quality import controls, prove
from graders.authoring.proof import (
    Finding,
    Level,
    Outcome,
    Subject,
    Trial,
    outcome,
)
from graders.authoring.written_verdicts import WrittenVerdict, read_kept
from graders.cases import load
from graders.cases.case_file import CASE_FILES
from graders.cases.select import EVERYTHING, Selection, choose
from graders.cli.commands.grade import complain, warn
from graders.cli.interruption import interruptible
from graders.cli.progress import progress_on
from graders.documents.diagnostics import Findings, Severity
from graders.errors import CaseRefused, ExitCode, GraderError
from graders.grading.grader import Grader
from graders.grading.task import Task
from graders.model.case import Case
from graders.model.submission import UNTOUCHED, Submission
from graders.reports.escaping import visible
from graders.reports.terminal import output, print_trimmed
from graders.submissions.source import REFERENCE, read_reference, read_submission
from sandbox import profiles

_STYLES = {Outcome.PROVEN: "green", Outcome.UNFAIR: "red", Outcome.NOT_GRADED: "magenta"}
_LEVEL_STYLES = {Level.UNFAIR: "red", Level.NOT_GRADED: "magenta", Level.WARNING: "yellow"}
_TITLES = {Outcome.PROVEN: "PROVEN", Outcome.UNFAIR: "UNFAIR", Outcome.NOT_GRADED: "NOT GRADED"}


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What the command line asks for; see ``grade check --help``."""

    paths: tuple[Path, ...]
    selection: Selection = EVERYTHING
    repeat: int = 3
    submissions: bool = True
    json_lines: bool = False
    jobs: int = 1
    profile: str = profiles.DEFAULT.name
    runtime: str | None = None
    host: str | None = None
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class _Planned:
    """One grading that is to be done."""

    subject: Subject
    repeat: int
    submission: Submission
    wanted: WrittenVerdict | None = None


@dataclass(frozen=True, slots=True)
class _Job:
    """What is to be done for one case; `findings` is what was found before anything ran."""

    case: Case
    planned: tuple[_Planned, ...]
    findings: tuple[Finding, ...]


def check_all(request: CheckRequest, grader: Grader | None = None) -> ExitCode:
    """Prove cases and return the exit code that the proofs ask for.

    Raises:
        GraderError: If something on the command line or in a case is wrong.
        SandboxError: If no engine answers.
    """
    errors = Console(stderr=True, highlight=False)
    loaded = [load(path) for path in request.paths]
    complain(loaded, errors)
    chosen = choose(loaded, request.selection)
    warn(chosen.idle, errors)
    if not chosen.cases:
        raise CaseRefused("There is no case to check.")
    # Whatever target it is for, a case is the same; its own reference answers no target.
    cases = {case.place: replace(case, target=None, use_target=None) for case in chosen.cases}
    jobs = [_job(case, request) for case in cases.values()]
    progress = progress_on(errors, count=sum(len(job.planned) for job in jobs), quiet=request.quiet)
    grader = grader or Grader(host=request.host, profile=request.profile, runtime=request.runtime, emit=progress.take)
    found: list[Outcome] = []

    def tell(sentence: str) -> None:
        with progress.paused():
            errors.print(sentence, style="yellow")

    with grader, interruptible(grader, tell) as interruption:
        grader.engine.info()
        with progress:
            for job, trials in _graded(grader, jobs, request.jobs):
                if interruption.asked:
                    break
                findings = (*job.findings, *prove(job.case, trials))
                found.append(outcome(findings))
                with progress.paused():
                    if request.json_lines:
                        print(_as_json(job.case, request.repeat, trials, findings), flush=True)
                    else:
                        print_trimmed(output(), Group(*_told(job.case, trials, findings)))
    if interruption.asked:
        errors.print(f"interrupted: {len(jobs) - len(found)} of {len(jobs)} cases were not proven", style="yellow")
        return ExitCode.INTERRUPTED
    if not request.quiet:
        counts = ", ".join(f"{found.count(kind)} {_TITLES[kind].lower()}" for kind in Outcome if kind in found)
        errors.print(f"{len(found)} case{'s' if len(found) > 1 else ''}: {counts}")
    if chosen.errors or Outcome.NOT_GRADED in found:
        return ExitCode.NOT_GRADED
    return ExitCode.FAILED if Outcome.UNFAIR in found else ExitCode.PASSED


def _job(case: Case, request: CheckRequest) -> _Job:
    """Decide what is graded for a case, and find what keeps it from being graded."""
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
        planned += [_Planned(Subject.REFERENCE, n, reference, wanted) for n in range(1, request.repeat + 1)]
    planned += [_Planned(Subject.UNTOUCHED, n, UNTOUCHED) for n in range(1, request.repeat + 1)]
    for name, path in kept.paths.items() if request.submissions else ():
        try:
            submission = read_submission(path, name=name)
        except GraderError as error:
            findings.append(Finding(Level.NOT_GRADED, error.message, error.remedy, name))
        else:
            planned.append(_Planned(Subject.SUBMISSION, 1, submission, kept.verdicts.get(name)))
    return _Job(case, tuple(planned), tuple(findings))


def _reference(case: Case, findings: list[Finding]) -> Submission | None:
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
    """Grade all that is planned, and yield each case when the last of it is there; those cut off are not yielded."""
    tasks = (Task(job.case, planned.submission) for job in jobs for planned in job.planned)
    results = grader.grade_many(tasks, jobs=at_a_time)
    for job in jobs:
        graded = list(islice(results, len(job.planned)))
        if len(graded) < len(job.planned):
            return
        yield job, [Trial(p.subject, p.repeat, one, p.wanted) for p, one in zip(job.planned, graded, strict=True)]


def _as_json(case: Case, repeat: int, trials: list[Trial], findings: tuple[Finding, ...]) -> str:
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


def _told(case: Case, trials: list[Trial], findings: tuple[Finding, ...]) -> Iterator[Text]:
    kind = outcome(findings)
    yield Text.assemble((_TITLES[kind], f"bold {_STYLES[kind]}"), "  ", (visible(case.id), "bold"))
    for line in _seen(trials, {finding.submission for finding in findings if finding.level is not Level.WARNING}):
        yield Text(f"  {visible(line)}")
    for finding in findings:
        word = "warning" if finding.level is Level.WARNING else "error"
        yield Text.assemble((f"  {word}: ", _LEVEL_STYLES[finding.level]), visible(finding.message))
        if finding.remedy:
            yield Text(f"    {visible(finding.remedy)}", "dim")


def _seen(trials: list[Trial], wrong: set[str]) -> Iterator[str]:
    """Yield what was run and what was seen, a sentence each.

    Args:
        trials: All of a case.
        wrong: Names of submissions that did not get what is written.
    """
    for subject, group in groupby(trials, lambda trial: trial.subject):
        found = list(group)
        if subject is Subject.SUBMISSION:
            as_written = sum(trial.graded.submission not in wrong for trial in found)
            kept = "submission" if len(found) == 1 else "submissions"
            them = "it" if len(found) == 1 else "them"
            yield f"{as_written} of {len(found)} {kept} got the verdict that is written beside {them}."
            continue
        name = "reference" if subject is Subject.REFERENCE else "untouched workspace"
        scores = {trial.graded.verdict.score: None for trial in found}
        said = ", ".join("none" if score is None else f"{score:.3f}" for score in scores)
        verb = "passed" if subject is Subject.REFERENCE else "failed"
        count = sum(trial.graded.verdict.status == verb for trial in found)
        times = f"{count} of {len(found)} runs" if len(found) > 1 else f"{count} of 1 run"
        yield f"The {name} {verb} in {times} (score {said})."
        ran, failed = controls(found[0])
        if subject is Subject.REFERENCE and ran:
            yield f"{failed} of {ran} controls failed on it, as they must."
