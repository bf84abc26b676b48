"""``grade plan``: show what would run for a case, without running it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graders.cli import console
from graders.cli.help import command_app, examples
from graders.errors import exit_code_of_results
from graders.reports.escaping import visible

if TYPE_CHECKING:
    from rich.tree import Tree as Outline

    from graders.model.plan import Plan, Stage

app = command_app()


@app.command(epilog=examples("grade plan cases/add-auth", "grade plan cases/add-auth --submission work/"))
def plan(
    case: Annotated[Path, typer.Argument(help="A case: its directory or file.", metavar="PATH")],
    submission: Annotated[
        str | None, typer.Option("--submission", "-s", help="The submission, as for grading.", metavar="PATH")
    ] = None,
) -> None:
    """Show what would run for a case, without running it."""
    from graders.cli.selection import load_all
    from graders.grading.image_choice import image_of
    from graders.grading.prepare import prepare
    from graders.model.submission import UNTOUCHED
    from graders.reports.terminal import output, print_trimmed
    from graders.submissions.source import read_submission

    work = read_submission(submission) if submission else UNTOUCHED
    (loaded,) = load_all([case])
    for one in loaded.cases:
        prepared = prepare(one, work, image=image_of(one))
        if prepared.problem:
            console.warn(prepared.problem)
        print_trimmed(output(whole_lines=True), _outline(prepared))
    raise typer.Exit(exit_code_of_results(not_graded=bool(loaded.errors)))


def _outline(plan: Plan) -> Outline:
    from rich.markup import escape
    from rich.tree import Tree as Outline

    case, limits = plan.case, plan.limits
    outline = Outline(f"[bold]{escape(case.id)}[/] in {escape(visible(plan.image))}")
    outline.add(
        f"limits: memory {limits.memory_bytes >> 20} MiB, cpus {limits.cpus:g}, processes {limits.pids}, "
        f"workspace {limits.disk_bytes >> 20} MiB, network {limits.network}, {case.whole_seconds:g} s in all"
    )
    outline.add(f"workspace: {sum(1 for _ in plan.laid.files())} files, {plan.laid.size_bytes} bytes")
    if plan.restored:
        restored = ", ".join(entry.path for entry in plan.restored)
        outline.add("restored before every stage: " + escape(visible(restored)))
    for _, group in groupby(plan.every_stage, _alike):
        _add_stages(outline, list(group))
    return outline


def _alike(stage: Stage) -> object:
    """Return what the items of one check share if they run alike; other stages share nothing."""
    from graders.model.plan import Role

    step = stage.steps[0]
    return (stage.check, step.argv, step.limit_seconds, stage.delivered) if step.role is Role.ITEM else stage.user


def _add_stages(outline: Outline, stages: list[Stage]) -> None:
    from rich.markup import escape

    from graders.checks import evaluation
    from graders.model.plan import User
    from sandbox.archive import EntryKind

    first, count = stages[0], len(stages)
    if count == 1:
        title = f"[bold]{escape(visible(first.name))}[/] as user {first.user}"
    else:
        users = f"users {first.user} to {stages[-1].user}"
        title = f"[bold]{escape(visible(first.check or first.name))}[/]: {count} items, one by one, as {users}"
    if judged := evaluation.judged(first.steps):
        title += f", judged {judged}"
    branch = outline.add(title)
    files = [entry.path for entry in first.delivered if entry.kind is not EntryKind.DIRECTORY]
    if files:
        branch.add("delivered: " + escape(visible(", ".join(_summed_up(files)))))
    for step in first.steps:
        # Each item has a source of its own.
        words = (*step.command[:-1], "...") if step.items else step.command
        user = "" if step.user is User.SHARED else f" as {step.user}"
        branch.add(escape(f"{step.role}{user}: {visible(shlex.join(words))}  ({step.limit_seconds:g} s)"))


def _summed_up(paths: list[str]) -> Iterator[str]:
    """Yield single files by name, and the files of one directory as its name and their count."""
    for top, group in groupby(paths, lambda path: path.partition("/")[0]):
        below = list(group)
        yield below[0] if len(below) == 1 else f"{top}/ ({len(below)} files)"
