"""What ``grade`` and ``grade plan`` do: load, grade, print, store. Prints; the exit code is returned."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path

from rich.console import Console

from graders.cases import Diagnostic, Loaded, load
from graders.cases.select import choose
from graders.documents.suggest import suggestion
from graders.errors import CaseRefused, ExitCode, UsageRefused
from graders.grading.internal_error import sentence_of_bug
from graders.model.case import Case
from graders.model.submission import UNTOUCHED, Submission
from graders.model.verdict import Status
from graders.reports.ci_log import commands_stopped
from graders.reports.escaping import visible
from graders.reports.github import publish
from graders.reports.registry import check_places
from graders.runs.asked import continued
from graders.runs.reading import read_run
from graders.runs.request import Request
from graders.runs.reuse import Before, Earlier
from graders.runs.run import Run
from graders.runs.statistics import Totals
from graders.runs.tasks import (
    Tasks,
    with_answers,
    with_submissions,
    with_targets,
)
from graders.submissions.source import read_reference, submission_readers

_RERUN = {"failed": Status.FAILED, "error": Status.ERROR}


def grade_all(request: Request) -> ExitCode:
    """Grade every case with every submission and return the exit code that the verdicts ask for.

    Raises:
        GraderError: If something on the command line or in a case is wrong.
        SandboxError: If no engine answers.
    """
    errors = Console(stderr=True, highlight=False)
    saved = read_run(request.resume) if request.resume is not None else None
    if saved is not None:
        request = continued(request, saved)
        if saved.other_version:
            sentence = f"the run was begun by gradebox {saved.other_version}: what that version graded is found anew"
            warn([sentence], errors)
    check_places(request.reports)
    loaded = [load(path) for path in request.cases]
    complain(loaded, errors)
    chosen = choose(loaded, request.selection)
    warn(chosen.idle, errors)
    if not chosen.cases:
        raise CaseRefused("There is no case to grade.")
    tasks = tasks_of(request, chosen.cases, chosen.left_out).repeated(request.repeat)
    say(tasks.diagnostics, errors)
    if not tasks:
        raise CaseRefused("There is nothing to grade.")
    before = Before(saved, request.rerun, Earlier(request.runs) if request.reuse else None)
    workers = min((one.suite.workers for one in loaded if one.suite and one.suite.workers), default=None)
    run = Run(request, chosen, tasks, before, errors, workers)
    with commands_stopped():
        run.carry_out()
    _publish(run, chosen.cases, errors)
    if run.interrupted:
        warn([str(run.lost)] if run.lost else [], errors)
        return ExitCode.INTERRUPTED
    if run.lost is not None:
        raise run.lost
    return exit_code(run.totals, broken=bool(chosen.errors) or tasks.broken)


def _publish(run: Run, cases: Sequence[Case], errors: Console) -> None:
    """Add the run to the job of a CI system in which this process runs."""
    if run.directory is None or os.environ.get("GITHUB_ACTIONS") != "true":
        return
    complaint = publish(read_run(run.directory), {case.id: case.place for case in cases})
    if complaint:
        warn([complaint], errors)


def rerun_of(words: Iterable[str], *, resume: Path | None) -> frozenset[Status]:
    """Return the verdicts that are to be found anew.

    Raises:
        UsageRefused: If there is none of a name, or no run to continue.
    """
    statuses = frozenset(words)
    unknown = statuses - _RERUN.keys()
    if unknown:
        wrong = min(unknown)
        raise UsageRefused(f"--rerun takes failed or error, not {wrong}.", remedy=suggestion(wrong, _RERUN))
    if statuses and resume is None:
        raise UsageRefused("--rerun needs --resume RUN.", remedy="It says which verdicts of that run are found anew.")
    return frozenset(_RERUN[word] for word in statuses)


def tasks_of(request: Request, cases: Sequence[Case], left_out: Container[str] = ()) -> Tasks:
    """Return what is to be graded.

    Args:
        request: What was asked.
        cases: Those that are meant.
        left_out: Ids of those that are not, which a file of answers may answer all the same.

    Raises:
        GraderError: If something that is named cannot be read.
    """
    if request.answers is not None:
        return with_answers(cases, request.answers, left_out)
    readers = submission_readers(request.submissions, sentence_of_bug)
    if request.reference or readers:
        return with_submissions(cases, lambda case: _submissions(request, case, readers))
    if request.targets is not None and all(case.target is None for case in cases):
        raise UsageRefused(
            "No case names a target.", remedy="Write `execution: {target: NAME}` into the case or its suite."
        )
    return with_targets(cases, os.environ, request.targets)


def _submissions(
    request: Request, case: Case, readers: list[Callable[[], Submission]]
) -> list[Callable[[], Submission]]:
    if not request.reference:
        return readers or [lambda: UNTOUCHED]
    reference = read_reference(case)
    if reference is None:
        raise UsageRefused(
            f"The case {case.id} has no reference.", remedy=f"Put the solution into {case.directory / 'reference'}."
        )
    return [lambda: reference]


def complain(loaded: list[Loaded], console: Console) -> None:
    """Print what is wrong with case files, and end here if nothing of them can be graded.

    Raises:
        CaseRefused: If no case is left.
    """
    say((diagnostic for one in loaded for diagnostic in one.diagnostics), console)
    count = sum(len(one.errors) for one in loaded)
    if count and not any(one.cases for one in loaded):
        raise CaseRefused(f"{count} mistake{'s' if count > 1 else ''} in the case; nothing was graded.")


def say(diagnostics: Iterable[Diagnostic], console: Console) -> None:
    """Print what is wrong, a line each."""
    for diagnostic in diagnostics:
        console.print(visible(str(diagnostic)), markup=False, soft_wrap=True)


def warn(sentences: Iterable[str], console: Console) -> None:
    """Print what may be a mistake and keeps nothing from going on, a line each."""
    for sentence in sentences:
        console.print(visible(sentence), style="yellow", markup=False, soft_wrap=True)


def exit_code(totals: Totals, *, broken: bool = False) -> ExitCode:
    """Return the exit code that a set of verdicts asks for."""
    statuses = totals.statuses.keys()
    if broken or Status.ERROR in statuses:
        return ExitCode.NOT_GRADED
    if not statuses:
        return ExitCode.NOTHING_SELECTED
    return ExitCode.FAILED if statuses - {Status.PASSED} else ExitCode.PASSED
