"""``grade plan``: show what would run for a case, without running it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradebox.graders.cli import console
from gradebox.graders.cli.help import command_app, examples
from gradebox.graders.errors import exit_code_of_results
from gradebox.graders.reports.escaping import visible

if TYPE_CHECKING:
    from rich.tree import Tree as Outline

    from gradebox.graders.model.case import Case, CaseCheck
    from gradebox.graders.model.plan import Plan, ServicePlan, Stage
    from gradebox.graders.model.tree import Tree

app = command_app()


@app.command(epilog=examples("grade plan cases/add-auth", "grade plan cases/add-auth --submission work/"))
def plan(
    case: Annotated[Path, typer.Argument(help="A case: its directory or file.", metavar="PATH")],
    submission: Annotated[
        str | None, typer.Option("--submission", "-s", help="Plan for this submission.", metavar="PATH")
    ] = None,
) -> None:
    """Show what would run for a case, without running it."""
    from gradebox.graders.cli.selection import load_all
    from gradebox.graders.documents.diagnostics import Findings
    from gradebox.graders.grading.apart.settling import as_judged, can_be_apart
    from gradebox.graders.grading.image_choice import image_of
    from gradebox.graders.grading.prepare import prepare
    from gradebox.graders.model.crossing import Isolation
    from gradebox.graders.model.submission import UNTOUCHED
    from gradebox.graders.reports.terminal import output, print_trimmed
    from gradebox.graders.submissions.source import read_submission
    from gradebox.graders.targets.judge_targets import with_target_judges

    work = read_submission(submission) if submission else UNTOUCHED
    (loaded,) = load_all([case])
    for one in with_target_judges(loaded.cases, os.environ, findings := Findings()):
        is_open = one.is_open and one.has_reference and can_be_apart(one)
        judged = as_judged(one, Isolation.APART) if is_open else one
        prepared = prepare(judged, work, image=image_of(one))
        if problem := prepared.problem or prepared.submission.fault:
            console.warn(problem)
        else:
            console.note(*(f"note: {note}" for note in prepared.notes))
        print_trimmed(output(whole_lines=True), _outline(prepared, is_open=is_open))
    console.print_diagnostics(findings)
    raise typer.Exit(exit_code_of_results(not_graded=bool(loaded.errors)))


def _outline(plan: Plan, *, is_open: bool) -> Outline:
    from rich.markup import escape
    from rich.tree import Tree as Outline

    case, limits = plan.case, plan.limits
    outline = Outline(f"[bold]{escape(case.id)}[/] in {escape(visible(plan.image))}")
    outline.add(
        f"limits: memory {limits.memory_bytes >> 20} MiB, cpus {limits.cpus:g}, processes {limits.pids}, "
        f"workspace {limits.disk_bytes >> 20} MiB, network {limits.network}, {case.whole_seconds:g} s in all"
    )
    if is_open:
        outline.add("isolation: auto: judged apart as shown here if the reference passes so, otherwise in-process")
    outline.add(f"workspace: {_counted(plan.workspace)}")
    if plan.laid.entries != plan.workspace.entries:
        outline.add(f"with the submission: {_counted(plan.laid)}")
    for service in plan.services:
        _add_service(outline, service)
    checks = outline.add("checks")
    for check in case.checks:
        _add_check(checks, case, check)
    for number, turn in enumerate(case.turns, 1):
        for check in turn.checks:
            _add_check(checks, case, check, f" of turn {number}")
    if plan.restored:
        restored = ", ".join(entry.path for entry in plan.restored)
        outline.add("restored before every stage: " + escape(visible(restored)))
    for _, group in groupby(plan.every_stage, _alike):
        _add_stages(outline, list(group))
    return outline


def _add_service(outline: Outline, plan: ServicePlan) -> None:
    """Add a service: its container, its commands, and the files that only it has."""
    from rich.markup import escape

    service, limits, ready = plan.service, plan.service.limits, plan.service.ready
    image = service.image if isinstance(service.image, str) else f"an image of {service.image}"
    title = f"[bold]service {escape(service.name)}[/] in {escape(visible(image))}"
    branch = outline.add(f"{title}, {'reset for' if service.lasts else 'started for'} each submission")
    branch.add(f"limits: memory {limits.memory_bytes >> 20} MiB, cpus {limits.cpus:g}, processes {limits.pids}")
    if not ready.command:
        branch.add(escape(f"ready: {f'GET {ready.http} at ' if ready.http else ''}port {ready.port}"))
    _add_steps(branch, plan.stage)


def _counted(tree: Tree) -> str:
    return f"{console.counted(sum(1 for _ in tree.files()), 'file')}, {tree.size_bytes} bytes"


def _add_check(outline: Outline, case: Case, check: CaseCheck, of: str = "") -> None:
    """Add a check and those that it is made of, with how each is judged."""
    from rich.markup import escape

    from gradebox.graders.checks import evaluation

    words = ", ".join((check.type, f"weight {check.weight:g}", *(("required",) if check.required else ())))
    how = ", ".join(_judged_by(case, check)) or "gradebox, from what the submission left, answered or did"
    branch = outline.add(escape(visible(f"{check.name}{of} ({words}): judged by {how}")))
    for member in evaluation.members(check):
        _add_check(branch, case, member)


def _judged_by(case: Case, check: CaseCheck) -> Iterator[str]:
    from gradebox.graders.checks import evaluation
    from gradebox.graders.checks.items import Items

    if isinstance(check, Items):
        yield f"its {console.counted(len(check.items), 'item')}"
    elif any(evaluation.own_commands(check)):
        yield "its command"
    if evaluation.members(check):
        yield "its members"
    elif names := list(evaluation.references(check)):
        yield f"the result of {', '.join(names)}"
    if evaluation.asks_judge(check):
        names = [judge.name for judge in case.judge.judges] if case.judge else []
        yield f"the judge {', '.join(names)}" if names else "a judge (the case names none)"


def _alike(stage: Stage) -> object:
    """Return what the items of one check share if they run alike; other stages share nothing."""
    from gradebox.graders.model.plan import Role

    step = stage.steps[0]
    return (stage.check, step.argv, step.limit_seconds, stage.delivered) if step.role is Role.ITEM else stage.user


def _add_stages(outline: Outline, stages: list[Stage]) -> None:
    from rich.markup import escape

    from gradebox.graders.checks import evaluation

    first, count = stages[0], len(stages)
    if count == 1:
        title = f"[bold]{escape(visible(first.name))}[/] as user {first.user}"
    else:
        users = f"users {first.user} to {stages[-1].user}"
        title = f"[bold]{escape(visible(first.check or first.name))}[/]: {count} items, one by one, as {users}"
    if judged := evaluation.judged(first.steps):
        title += f", judged {judged}"
    _add_steps(outline.add(f"{title}, beside the service {first.beside}" if first.beside else title), first)


def _add_steps(branch: Outline, first: Stage) -> None:
    """Add what is delivered to a stage, and its commands."""
    from rich.markup import escape

    from gradebox.graders.model.plan import Role, User
    from gradebox.sandbox.archive import EntryKind

    files = [entry.path for entry in first.delivered if entry.kind is not EntryKind.DIRECTORY]
    if files:
        branch.add("delivered: " + escape(visible(", ".join(_summed_up(files)))))
    for step in first.steps:
        # Each item has a source of its own.
        words = (*step.command[:-1], "...") if step.items else step.command
        user = "" if step.user is User.SHARED else f" as {step.user}"
        # A service runs until it is ended.
        limit = "" if step.role is Role.SERVICE else f"  ({step.limit_seconds:g} s)"
        branch.add(escape(f"{step.role}{user}: {visible(shlex.join(words))}{limit}"))


def _summed_up(paths: list[str]) -> Iterator[str]:
    """Yield single files by name, and the files of one directory as its name and their count."""
    for top, group in groupby(paths, lambda path: path.partition("/")[0]):
        below = list(group)
        yield below[0] if len(below) == 1 else f"{top}/ ({len(below)} files)"
