"""What ``grade`` and ``grade plan`` do: load, grade, print, store. Prints; the exit code is returned."""

from __future__ import annotations

import os
import shlex
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from types import FrameType

import structlog
from rich.console import Console
from rich.markup import escape
from rich.tree import Tree as Outline

from graders.answer_files import with_its_code
from graders.case import Case
from graders.errors import CaseRefused, ExitCode, UsageRefused
from graders.files import read_files, read_runners
from graders.grader import Grader, image_of
from graders.loading import Diagnostic, Loaded, load
from graders.plan import Plan, make_plan
from graders.progress import Progress
from graders.reference_solution import reference_of
from graders.reports.text import output, print_trimmed, print_verdict, summary, visible
from graders.result import Graded, as_json, without_evidence
from graders.selection import EVERYTHING, Selection, choose
from graders.steps import Role, Stage
from graders.store import Store
from graders.submission import STDIN, UNTOUCHED, Submission, lay, read_submission
from graders.tasks import Tasks, with_answers, with_submissions, with_targets
from graders.verdict import Status
from sandbox import image_recipes
from sandbox.archive import Kind
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
    graded, interrupted = _grade(request, tasks, errors)
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


def _grade(request: Request, tasks: Tasks, errors: Console) -> tuple[list[Graded], bool]:
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
        try:
            with progress:
                for graded in grader.grade_many(tasks, jobs=request.jobs):
                    if stopped.is_set() and graded.verdict.status is Status.ERROR:
                        # It was cut off by us, so it has no verdict.
                        continue
                    store.add(graded)
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


def show_plan(path: Path, submission: str | None) -> ExitCode:
    """Print what would run for a case, and return the exit code: of several cases, some may be broken."""
    handed_in = read_submission(submission) if submission else UNTOUCHED
    loaded = load(path)
    errors = Console(stderr=True, highlight=False)
    complain([loaded], errors)
    runners = read_runners(image_recipes.find_images_directory())
    for case in loaded.cases:
        files = read_files(case)
        laid = lay(files.workspace, with_its_code(case, handed_in))
        if laid.problem:
            errors.print(visible(laid.problem), style="red", markup=False, soft_wrap=True)
        plan = make_plan(case, files, laid.tree, image=image_of(case), runners=runners)
        console = output()
        if not console.is_terminal:
            console.width = _UNFOLDED
        print_trimmed(console, _outline(plan))
    return ExitCode.NOT_GRADED if loaded.errors else ExitCode.PASSED


def _outline(plan: Plan) -> Outline:
    case, limits = plan.case, plan.limits
    outline = Outline(f"[bold]{escape(case.id)}[/] in {escape(visible(plan.image))}")
    outline.add(
        f"limits: memory {limits.memory_bytes >> 20} MiB, cpus {limits.cpus:g}, processes {limits.pids}, "
        f"workspace {limits.disk_bytes >> 20} MiB, network {limits.network}, {case.timeout_seconds:g} s in all"
    )
    outline.add(f"workspace: {sum(1 for _ in plan.laid.files())} files, {plan.laid.size_bytes} bytes")
    if plan.restored:
        restored = ", ".join(entry.path for entry in plan.restored)
        outline.add("put back before every stage: " + escape(visible(restored)))
    stages = [stage for stage in (plan.setup, *plan.stages, plan.teardown) if stage is not None]
    for _, group in groupby(stages, _alike):
        _add_stages(outline, list(group))
    return outline


def _alike(stage: Stage) -> object:
    """Return what items of one check that are run alike have in common; other stages have nothing."""
    step = stage.steps[0]
    return (stage.check, step.argv, step.wall_seconds, stage.delivered) if step.role is Role.ITEM else stage.uid


def _add_stages(outline: Outline, stages: list[Stage]) -> None:
    first, count = stages[0], len(stages)
    if count == 1:
        title = f"[bold]{escape(visible(first.name))}[/] as user {first.uid}"
    else:
        users = f"users {first.uid} to {stages[-1].uid}"
        title = f"[bold]{escape(visible(first.check or first.name))}[/]: {count} items, each by itself, as {users}"
    branch = outline.add(title)
    files = [entry.path for entry in first.delivered if entry.kind is not Kind.DIRECTORY]
    if files:
        branch.add("delivered: " + escape(visible(", ".join(_summed_up(files)))))
    for step in first.steps:
        # The source of an item runner is the last argument; it says nothing about the item.
        words = (*step.argv[:-1], "...") if step.role is Role.ITEM else step.argv
        branch.add(escape(f"{step.role}: {visible(shlex.join(words))}  ({step.wall_seconds:g} s)"))


def _summed_up(paths: list[str]) -> Iterator[str]:
    """Yield files as they are, and what lies in one directory as its name and a count."""
    for top, group in groupby(paths, lambda path: path.partition("/")[0]):
        below = list(group)
        yield below[0] if len(below) == 1 else f"{top}/ ({len(below)} files)"
