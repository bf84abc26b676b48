"""Scores a run again from what was kept of it: with other weights, gates or thresholds, and without any container.

What happened cannot change any more, so only what is decided by it may: where a command, the submission or a file that
a command names is not what it was, or a command would read something else, the check is an `error` that says so, never
a guess. Where that concerns all checks, so is the verdict. What depends on another case is decided by what that one
comes to now.
"""

from __future__ import annotations

import secrets
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from graders.checks.grader_io import handed_over
from graders.checks.judging import error
from graders.errors import GraderError
from graders.grading.basis import basis_of
from graders.grading.case_files import read_files
from graders.grading.execute import Observations
from graders.grading.fingerprint import Key, content_key, key_for
from graders.grading.grade import decide
from graders.grading.internal_error import sentence_of_bug
from graders.grading.planner import make_plan
from graders.grading.task import Task
from graders.model import verdict
from graders.model.evidence import Outcomes
from graders.model.plan import Plan
from graders.model.result import Result, VerdictDocument
from graders.model.submission import Submission, lay
from graders.model.verdict import Status, Verdict
from graders.runs.dependencies import in_order
from graders.runs.reading import SavedRun, graded_of
from graders.runs.staleness import changed_checks, changed_for_all, rejoined
from graders.submissions.answer import with_its_code


@dataclass(frozen=True, slots=True)
class Regraded:
    """A verdict, and what the same outcomes mean now."""

    before: VerdictDocument
    graded: Result


def regrade(
    run: SavedRun,
    tasks: Iterable[Task],
    runners: Mapping[str, str],
    *,
    dependent: bool = False,
    broken: Container[str] = (),
) -> Iterator[Regraded]:
    """Score every verdict of a run again, in the order of grading; what it has none of is passed over.

    Args:
        run: What was kept.
        tasks: What it was asked, with the cases as they are now.
        runners: Source of the item runners.
        dependent: Whether any case depends on another.
        broken: Ids of cases that cannot be read any more.
    """

    def again(listed: Iterable[Task]) -> Iterator[Result]:
        return (_again(run, run.verdicts[_key(task)], task, runners) for task in listed)

    known = (task for task in tasks if _key(task) in run.verdicts)
    for task, graded in in_order(known, dependent=dependent, grade_many=again, broken=broken):
        yield Regraded(run.verdicts[_key(task)], graded)


def _key(task: Task) -> Key:
    return key_for(task.case.id, task.case.target, task.submission.name, task.repeat)


def _again(run: SavedRun, before: VerdictDocument, task: Task, runners: Mapping[str, str]) -> Result:
    graded = replace(graded_of(before), id=secrets.token_hex(8), reused="")
    case, submission = task.case, task.submission
    if not isinstance(submission, Submission):
        return _refused(graded, "what a target made is not kept")
    if not before.image:
        return _refused(graded, "it was not run")
    if case.image is not None and case.image != before.image:
        return _refused(graded, f"it ran in the image {before.image}, and the case names {case.image} now")
    try:
        outcomes = run.outcomes(before)
        if outcomes is None:
            return _refused(graded, "nothing was kept that it could be scored by")
        submission = with_its_code(case, submission)
        files = read_files(case)
        laid = lay(files.workspace, submission)
        told = handed_over(submission, files.workspace, laid.tree)
        plan = make_plan(case, files, laid.tree, image=before.image, runners=runners, handed_over=told)
        basis = basis_of(plan)
        changed = changed_for_all(submission, outcomes, basis)
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
            verdict=_verdict(plan, submission, outcomes, changed_checks(plan, submission, outcomes, basis)),
            content=content,
            tags=case.tags,
            category=case.category,
            changes=told["file_changes"],
            memory_limit_bytes=case.limits.memory_bytes,
            happened=outcomes,
        )
    except (GraderError, OSError) as problem:
        return _refused(graded, f"its files cannot be read any more: {problem}")
    except Exception as bug:  # noqa: BLE001 - what one of ten thousand has brought to light must not end it for the others
        return _refused(graded, sentence_of_bug(bug))


def _verdict(plan: Plan, submission: Submission, outcomes: Outcomes, stale: Mapping[str, str]) -> Verdict:
    """Judge what happened by the case as it is now; checks that cannot be judged again are errors, each with why."""
    case = plan.case
    happened = Observations(
        done=rejoined(plan, outcomes, stale),
        faults=list(outcomes.faults),
        failures=list(outcomes.failures),
        tampering=list(outcomes.tampering),
    )
    kept = replace(case, checks=tuple(check for check in case.checks if check.name not in stale))
    judged = {result.name: result for result in decide(kept, submission, plan, happened).checks}
    return verdict.decide(
        (
            error(check, case, _sentence(stale[check.name])) if check.name in stale else judged[check.name]
            for check in case.checks
        ),
        threshold=case.threshold,
        faults=happened.faults,
        failures=happened.failures,
        tampering=(*plan.tampering, *happened.tampering),
    )


def _sentence(why: str) -> str:
    return f"it cannot be scored again: {why}; grade it anew"


def _refused(graded: Result, why: str) -> Result:
    refused = Verdict(Status.ERROR, None, None, None, graded.verdict.threshold, (), reasons=(_sentence(why),))
    return replace(graded, verdict=refused, own_steps=(), happened=None)
