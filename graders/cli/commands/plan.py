"""What ``grade plan`` does: shows what would run for a case, and runs nothing. Prints."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.tree import Tree as Outline

from graders.cases import load
from graders.cli.commands.grade import complain
from graders.errors import ExitCode
from graders.grading.case_files import read_runners
from graders.grading.image_choice import image_of
from graders.grading.prepare import prepare
from graders.model.plan import Plan, Role, Stage
from graders.model.submission import UNTOUCHED
from graders.reports.escaping import visible
from graders.reports.terminal import output, print_trimmed
from graders.submissions.source import read_submission
from sandbox.archive import Kind
from sandbox.images import recipes

# Wider than any line: a file or a pipe gets every line whole.
_UNFOLDED = 10_000


def show_plan(path: Path, submission: str | None) -> ExitCode:
    """Print what would run for a case, and return the exit code: of several cases, some may be broken."""
    handed_in = read_submission(submission) if submission else UNTOUCHED
    loaded = load(path)
    errors = Console(stderr=True, highlight=False)
    complain([loaded], errors)
    runners = read_runners(recipes.find_images_directory())
    for case in loaded.cases:
        plan = prepare(case, handed_in, image=image_of(case), runners=runners)
        if plan.problem:
            errors.print(visible(plan.problem), style="red", markup=False, soft_wrap=True)
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
    for _, group in groupby(plan.every_stage, _alike):
        _add_stages(outline, list(group))
    return outline


def _alike(stage: Stage) -> object:
    """Return what items of one check that are run alike have in common; other stages have nothing."""
    step = stage.steps[0]
    return (stage.check, step.argv, step.wall_seconds, stage.delivered) if step.role is Role.ITEM else stage.user


def _add_stages(outline: Outline, stages: list[Stage]) -> None:
    first, count = stages[0], len(stages)
    if count == 1:
        title = f"[bold]{escape(visible(first.name))}[/] as user {first.user}"
    else:
        users = f"users {first.user} to {stages[-1].user}"
        title = f"[bold]{escape(visible(first.check or first.name))}[/]: {count} items, each by itself, as {users}"
    branch = outline.add(title)
    files = [entry.path for entry in first.delivered if entry.kind is not Kind.DIRECTORY]
    if files:
        branch.add("delivered: " + escape(visible(", ".join(_summed_up(files)))))
    for step in first.steps:
        # The source of an item runner is the last argument; it says nothing about the item.
        words = (*step.argv[:-1], "...") if step.role is Role.ITEM else step.command
        branch.add(escape(f"{step.role}: {visible(shlex.join(words))}  ({step.wall_seconds:g} s)"))


def _summed_up(paths: list[str]) -> Iterator[str]:
    """Yield files as they are, and what lies in one directory as its name and a count."""
    for top, group in groupby(paths, lambda path: path.partition("/")[0]):
        below = list(group)
        yield below[0] if len(below) == 1 else f"{top}/ ({len(below)} files)"
