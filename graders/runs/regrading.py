"""Scores a run again from what was kept of it: with other weights, gates or thresholds, and without any container.

What happened cannot change any more, so only what is decided by it may: where a command, the submission or a file that
a command names is not what it was, the verdict is an `error` that says so, never a guess.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from graders.answer_files import with_its_code
from graders.conductor import Happened
from graders.errors import GraderError
from graders.files import read_files
from graders.grader import Task
from graders.grading import decide
from graders.handed_over import handed_over
from graders.plan import Plan, make_plan
from graders.result import Graded, VerdictDocument
from graders.runs.basis import WORKSPACE, basis_of
from graders.runs.identity import content_key, key_for
from graders.runs.outcomes import Outcomes, words
from graders.runs.reading import SavedRun, graded_of
from graders.steps import Step
from graders.submission import Submission, digest, lay
from graders.verdict import Status, Verdict


@dataclass(frozen=True, slots=True)
class Regraded:
    """A verdict, and what the same outcomes mean now."""

    before: VerdictDocument
    graded: Graded


def regrade(run: SavedRun, tasks: Iterable[Task], runners: Mapping[str, str]) -> Iterator[Regraded]:
    """Score every verdict of a run again, in its order; what it has none of is passed over.

    Args:
        run: What was kept.
        tasks: What it was asked, with the cases as they are now.
        runners: Source of the item runners.

    Raises:
        RunRefused: If what was kept cannot be read.
    """
    for task in tasks:
        before = run.verdicts.get(key_for(task.case.id, task.case.target, task.submission.name, task.repeat))
        if before is not None:
            yield Regraded(before, _again(run, before, task, runners))


def _again(run: SavedRun, before: VerdictDocument, task: Task, runners: Mapping[str, str]) -> Graded:
    graded = replace(graded_of(before), id=secrets.token_hex(8), reused="")
    case, submission = task.case, task.submission
    outcomes = run.outcomes(before)
    if outcomes is None:
        return _refused(graded, "nothing was kept that it could be scored by")
    if not isinstance(submission, Submission):
        return _refused(graded, "what a target made is not kept")
    if case.image is not None and case.image != before.image:
        return _refused(graded, f"it ran in the image {before.image}, and the case names {case.image} now")
    try:
        submission = with_its_code(case, submission)
        files = read_files(case)
        laid = lay(files.workspace, submission)
        told = handed_over(submission, files.workspace, laid.tree)
        plan = make_plan(case, files, laid.tree, image=before.image, runners=runners, handed_over=told)
        changed = _changed(plan, submission, outcomes)
        if changed:
            return _refused(graded, changed)
        content = content_key(
            case,
            files,
            submission,
            image=before.image_id,
            runners=runners,
            sandbox=f"{before.profile} {before.runtime}",
        )
        return replace(
            graded,
            verdict=decide(case, submission, plan, _happened(plan, outcomes)),
            content=content,
            tags=case.tags,
            category=case.category,
            changes=told["file_changes"],
            memory_limit_bytes=case.limits.memory_bytes,
            happened=outcomes,
        )
    except (GraderError, OSError) as error:
        return _refused(graded, f"its files cannot be read any more: {error}")


def _happened(plan: Plan, outcomes: Outcomes) -> Happened:
    """Return what happened as the outcome of the steps that are planned now: weights of items are in them."""
    planned = _planned(plan)
    return Happened(
        done={
            name: [
                replace(one, step=_with_tokens(step, one.step)) for one, step in zip(done, planned[name], strict=False)
            ]
            for name, done in outcomes.done.items()
        },
        faults=list(outcomes.faults),
        failures=list(outcomes.failures),
        tampering=list(outcomes.tampering),
    )


def _with_tokens(planned: Step, ran: Step) -> Step:
    # Tokens are made anew with every plan; those that count were sent.
    items = tuple(replace(new, token=old.token) for new, old in zip(planned.items, ran.items, strict=True))
    return replace(planned, token=ran.token, items=items)


def _planned(plan: Plan) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = defaultdict(list)
    for stage in plan.stages:
        found[stage.check or ""] += stage.steps
    return found


def _changed(plan: Plan, submission: Submission, outcomes: Outcomes) -> str:
    """Say what is not as it was when the commands ran; empty if everything is.

    Raises:
        OSError: If a file that a command names cannot be read any more.
    """
    if digest(submission) != outcomes.submission:
        return "the submission has changed since"
    planned = _planned(plan)
    for name, done in outcomes.done.items():
        # What follows a setup that failed was never run.
        wanted = planned[name][: len(done)]
        if [_command(one.step) for one in done] != list(map(_command, wanted)):
            return f"the commands of {name} have changed since"
    basis = basis_of(plan)
    if basis[WORKSPACE] != outcomes.basis.get(WORKSPACE):
        return "the workspace, or a file that the case's own commands name, has changed since"
    for name in outcomes.done:
        if name in basis and basis[name] != outcomes.basis.get(name):
            return f"a file or an item of {name} has changed since"
    missing = [name for name in planned if name not in outcomes.done]
    if missing and not (outcomes.faults or outcomes.failures):
        return f"{missing[0]} has never been run"
    return ""


def _command(step: Step) -> tuple[object, ...]:
    return step.role, words(step.argv), step.cwd, dict(step.env), len(step.items)


def _refused(graded: Graded, why: str) -> Graded:
    reason = f"it cannot be scored again: {why}; grade it anew"
    verdict = Verdict(Status.ERROR, None, None, None, graded.verdict.threshold, (), reasons=(reason,))
    return replace(graded, verdict=verdict, own_steps=(), happened=None)
