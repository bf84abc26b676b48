"""What ``grade`` and ``grade plan`` do: load, grade, print, store. Prints; the exit code is returned."""

from __future__ import annotations

import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import structlog
from rich.console import Console
from rich.markup import escape
from rich.tree import Tree as Outline

from graders.case import Case
from graders.errors import CaseRefused, ExitCode, UsageRefused
from graders.files import read_files, read_runners
from graders.grader import Grader, Task, image_of
from graders.loading import Loaded, load
from graders.plan import Plan, make_plan
from graders.progress import Progress
from graders.reports.text import print_verdict, summary, visible
from graders.result import Graded, as_json
from graders.steps import Stage
from graders.store import Store
from graders.submission import STDIN, UNTOUCHED, Submission, lay, read_submission
from graders.verdict import Status
from sandbox import image_recipes

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for; see ``grade --help``."""

    cases: tuple[Path, ...]
    submissions: tuple[str, ...] = ()
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
    cases = [case for one in loaded for case in one.cases]
    if not cases:
        raise CaseRefused("There is no case to grade.")
    tasks = [Task(case, submission) for case in cases for submission in _submissions(request, case)]
    graded, interrupted = _grade(request, tasks, errors)
    if not request.quiet:
        errors.print(summary(graded))
    broken = any(one.broken for one in loaded)
    return ExitCode.INTERRUPTED if interrupted else exit_code(graded, broken=broken)


def _grade(request: Request, tasks: list[Task], errors: Console) -> tuple[list[Graded], bool]:
    output = Console(highlight=False, soft_wrap=False)
    progress = Progress(errors, count=len(tasks), quiet=request.quiet)
    results: list[Graded] = []
    with (
        Grader(host=request.host, runtime=request.runtime, emit=progress.take) as grader,
        _interruptible(grader) as stopped,
    ):
        grader.engine.info()
        asked = {"cases": request.cases, "submissions": request.submissions, "reference": request.reference}
        store = Store(request.runs, asked)
        try:
            with progress:
                for graded in grader.grade_many(tasks, jobs=request.jobs):
                    if stopped.is_set() and graded.verdict.status is Status.ERROR:
                        # It was cut off by us, so it has no verdict.
                        continue
                    store.add(graded)
                    results.append(graded)
                    progress.pause()
                    if request.json_lines:
                        print(as_json(graded, store.id), flush=True)
                    else:
                        print_verdict(output, graded)
        finally:
            store.close()
        if stopped.is_set():
            errors.print(f"interrupted: {len(tasks) - len(results)} of {len(tasks)} were not graded", style="yellow")
        if not request.quiet:
            errors.print(f"run directory: {escape(str(store.directory))}", style="dim")
    return results, stopped.is_set()


@contextmanager
def _interruptible(grader: Grader) -> Iterator[threading.Event]:
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


def _submissions(request: Request, case: Case) -> list[Submission]:
    if request.reference:
        if case.reference is None:
            raise UsageRefused(
                f"The case {case.id} has no reference.", remedy=f"Put the solution into {case.directory / 'reference'}."
            )
        return [read_submission(case.reference, name="reference")]
    if request.submissions.count(STDIN) > 1:
        raise UsageRefused("Standard input can be read only once.")
    found = [read_submission(path) for path in request.submissions] or [UNTOUCHED]
    names = [submission.name for submission in found]
    if len(set(names)) < len(names):
        # Their paths tell them apart where their last components do not.
        found = [read_submission(path, name=path) for path in request.submissions]
    return found


def complain(loaded: list[Loaded], console: Console) -> None:
    """Print what is wrong with case files, and end here if nothing of them can be graded.

    Raises:
        CaseRefused: If no case is left.
    """
    mistakes = [diagnostic for one in loaded for diagnostic in one.diagnostics]
    for diagnostic in mistakes:
        console.print(visible(str(diagnostic)), markup=False, soft_wrap=True)
    count = sum(len(one.errors) for one in loaded)
    if count and not any(one.cases for one in loaded):
        raise CaseRefused(f"{count} mistake{'s' if count > 1 else ''} in the case; nothing was graded.")


def exit_code(results: list[Graded], *, broken: bool = False) -> ExitCode:
    """Return the exit code that a set of verdicts asks for."""
    statuses = {graded.verdict.status for graded in results}
    if broken or Status.ERROR in statuses:
        return ExitCode.NOT_GRADED
    if not statuses:
        return ExitCode.NOTHING_SELECTED
    return ExitCode.FAILED if statuses - {Status.PASSED} else ExitCode.PASSED


def show_plan(path: Path, submission: str | None) -> None:
    """Print what would run for a case."""
    loaded = load(path)
    errors = Console(stderr=True, highlight=False)
    complain([loaded], errors)
    runners = read_runners(image_recipes.find_images_directory())
    for case in loaded.cases:
        files = read_files(case)
        laid = lay(files.workspace, read_submission(submission) if submission else UNTOUCHED)
        if laid.problem:
            errors.print(visible(laid.problem), style="red", markup=False)
        plan = make_plan(case, files, laid.tree, image=image_of(case), runners=runners)
        Console(highlight=False, soft_wrap=True).print(_outline(plan))


def _outline(plan: Plan) -> Outline:
    case, limits = plan.case, plan.limits
    outline = Outline(f"[bold]{escape(case.id)}[/] in {escape(plan.image)}")
    outline.add(
        f"limits: memory {limits.memory_bytes >> 20} MiB, {limits.cpus:g} cpus, {limits.pids} processes, "
        f"workspace {limits.disk_bytes >> 20} MiB, network {limits.network}, {case.timeout_seconds:g} s in all"
    )
    outline.add(f"workspace: {sum(1 for _ in plan.laid.files())} files, {plan.laid.size_bytes} bytes")
    if plan.restored:
        outline.add("put back before every stage: " + escape(", ".join(entry.path for entry in plan.restored)))
    for stage in (plan.setup, *plan.stages, plan.teardown):
        if stage is not None:
            _add_stage(outline, stage)
    return outline


def _add_stage(outline: Outline, stage: Stage) -> None:
    branch = outline.add(f"[bold]{escape(stage.name)}[/] as user {stage.uid}")
    files = [entry.path for entry in stage.delivered if entry.kind == "file"]
    if files:
        branch.add("delivered: " + escape(", ".join(files)))
    for step in stage.steps:
        words = [word if len(word) <= 100 else f"{word[:40]}[...]" for word in step.argv]
        branch.add(escape(f"{step.role}: {visible(shlex.join(words))}  ({step.wall_seconds:g} s)"))
    sys.stdout.flush()
