"""What ``grade`` and ``grade plan`` do: load, grade, print, store. Prints; the exit code is returned."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import FrameType

import structlog
from rich.console import Console

from graders.case import Case
from graders.dependencies import in_order
from graders.errors import CaseRefused, ExitCode, UsageRefused
from graders.grader import Grader
from graders.leaderboard.answers import Leaderboard
from graders.loading import Diagnostic, Loaded, load
from graders.progress import Progress
from graders.reference_solution import reference_of
from graders.reports.text import output, print_verdict, summary, visible
from graders.result import Graded, as_json, without_evidence
from graders.selection import EVERYTHING, Selection, choose
from graders.store import Store
from graders.submission import STDIN, UNTOUCHED, Submission, read_submission
from graders.tasks import Tasks, with_answers, with_submissions, with_targets
from graders.verdict import Status
from sandbox.engine import EngineInfo

log = structlog.get_logger()

_UNFOLDED = 100_000


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for; see ``grade --help``."""

    cases: tuple[Path, ...]
    submissions: tuple[str, ...] = ()
    answers: Path | None = None
    targets: Path | None = None
    leaderboard: Path | None = None
    selection: Selection = EVERYTHING
    reference: bool = False
    json_lines: bool = False
    jobs: int = 1
    runs: Path = Path("runs")
    runtime: str | None = None
    host: str | None = None
    quiet: bool = False


def grade_all(request: Request) -> ExitCode:
    """Grade every case with every submission and return the exit code that the verdicts ask for.

    Raises:
        GraderError: If something on the command line or in a case is wrong.
        SandboxError: If no engine answers.
    """
    errors = Console(stderr=True, highlight=False)
    loaded = [load(path) for path in request.cases]
    complain(loaded, errors)
    chosen = choose(loaded, request.selection)
    if not chosen.cases:
        raise CaseRefused("There is no case to grade.")
    tasks = _tasks(request, chosen.cases)
    _say(tasks.diagnostics, errors)
    if not tasks:
        raise CaseRefused("There is nothing to grade.")
    graded, interrupted = _grade(request, chosen.cases, tasks, errors)
    if not request.quiet:
        errors.print(summary(graded))
    return ExitCode.INTERRUPTED if interrupted else exit_code(graded, broken=bool(chosen.errors) or tasks.broken)


def _tasks(request: Request, cases: Sequence[Case]) -> Tasks:
    if request.answers is not None:
        return with_answers(cases, request.answers)
    handed_in = _handed_in(request)
    if request.reference or handed_in:
        return with_submissions(cases, lambda case: _submissions(request, case, handed_in))
    if request.targets is not None and all(case.target is None for case in cases):
        raise UsageRefused(
            "No case names a target.", remedy="Write `execution: {target: NAME}` into the case or its suite."
        )
    return with_targets(cases, os.environ, request.targets)


def _grade(request: Request, cases: Sequence[Case], tasks: Tasks, errors: Console) -> tuple[list[Graded], bool]:
    console = output()
    progress = Progress(errors, count=len(tasks), quiet=request.quiet)
    results: list[Graded] = []
    with (
        Grader(host=request.host, runtime=request.runtime, emit=progress.take) as grader,
        interruptible(grader) as stopped,
    ):
        _check_runtime(request.runtime, grader.engine.info())
        asked = {
            "cases": request.cases,
            "submissions": request.submissions,
            "reference": request.reference,
            "answers": request.answers,
            "targets": request.targets,
        }
        store = Store(request.runs, asked)
        leaderboard = (
            Leaderboard(request.leaderboard, request.answers, cases) if request.leaderboard is not None else None
        )
        try:
            with progress:
                dependent = any(case.depends_on for case in cases)
                grade_many = partial(grader.grade_many, jobs=request.jobs)
                for task, graded in in_order(tasks, dependent=dependent, grade_many=grade_many):
                    if stopped.is_set() and graded.verdict.status is Status.ERROR:
                        # It was cut off by us, so it has no verdict.
                        continue
                    store.add(graded)
                    if leaderboard is not None:
                        leaderboard.add(task.case, task.submission, graded)
                    results.append(without_evidence(graded))
                    progress.pause()
                    if request.json_lines:
                        print(as_json(graded, store.id), flush=True)
                    else:
                        print_verdict(console, graded)
        finally:
            store.close()
        if stopped.is_set():
            errors.print(f"interrupted: {len(tasks) - len(results)} of {len(tasks)} were not graded", style="yellow")
        if not request.quiet:
            errors.print(f"run directory: {store.directory}", style="dim", markup=False, soft_wrap=True)
    return results, stopped.is_set()


def _check_runtime(runtime: str | None, engine: EngineInfo) -> None:
    if runtime and engine.runtimes and runtime not in engine.runtimes:
        raise UsageRefused(
            f"The engine has no runtime {runtime}.",
            remedy=f"It has {', '.join(engine.runtimes)}.",
        )


@contextmanager
def interruptible(grader: Grader) -> Iterator[threading.Event]:
    """Let the first SIGINT or SIGTERM end the run in good order, and the second one at once."""
    stopped = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt from None
        stopped.set()
        # Not in the handler itself: the main thread may hold a lock of the client that `stop` needs.
        threading.Thread(target=grader.stop, name="stop", daemon=True).start()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _handed_in(request: Request) -> list[Submission]:
    """Read the submissions of the command line, each once: standard input can be read only once."""
    if "" in request.submissions:
        # A variable of the shell that was not set; as a path it would be the working directory.
        raise UsageRefused("--submission is empty.", remedy="Name a directory or a diff.")
    for path, count in Counter(request.submissions).items():
        if count > 1:
            raise UsageRefused(f"The submission {path} is named twice.", remedy="Name it once.")
    found = [read_submission(path) for path in request.submissions]
    names = Counter(submission.name for submission in found)
    # Their paths tell them apart where their last components do not.
    return [
        replace(submission, name=path) if names[submission.name] > 1 and path != STDIN else submission
        for path, submission in zip(request.submissions, found, strict=True)
    ]


def _submissions(request: Request, case: Case, handed_in: list[Submission]) -> list[Submission]:
    if not request.reference:
        return handed_in or [UNTOUCHED]
    reference = reference_of(case)
    if reference is None:
        raise UsageRefused(
            f"The case {case.id} has no reference.", remedy=f"Put the solution into {case.directory / 'reference'}."
        )
    return [reference]


def complain(loaded: list[Loaded], console: Console) -> None:
    """Print what is wrong with case files, and end here if nothing of them can be graded.

    Raises:
        CaseRefused: If no case is left.
    """
    _say((diagnostic for one in loaded for diagnostic in one.diagnostics), console)
    count = sum(len(one.errors) for one in loaded)
    if count and not any(one.cases for one in loaded):
        raise CaseRefused(f"{count} mistake{'s' if count > 1 else ''} in the case; nothing was graded.")


def _say(diagnostics: Iterable[Diagnostic], console: Console) -> None:
    for diagnostic in diagnostics:
        console.print(visible(str(diagnostic)), markup=False, soft_wrap=True)


def exit_code(results: list[Graded], *, broken: bool = False) -> ExitCode:
    """Return the exit code that a set of verdicts asks for."""
    statuses = {graded.verdict.status for graded in results}
    if broken or Status.ERROR in statuses:
        return ExitCode.NOT_GRADED
    if not statuses:
        return ExitCode.NOTHING_SELECTED
    return ExitCode.FAILED if statuses - {Status.PASSED} else ExitCode.PASSED
