"""Scores a run again from its evidence: with other weights, thresholds or required checks, and no container.

The outcomes are fixed; only the decisions about them may change. A check becomes an `error` with a reason if a command,
the submission or a file that a command names has changed, or if a command would read other data. If that concerns all
checks, the verdict is an `error`. A case that depends on another case uses the new verdict of that case.
"""

from __future__ import annotations

import secrets
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from gradebox.graders.checks.results import error
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.fingerprint import case_key, content_key, plan_hashes
from gradebox.graders.grading.internal_error import describe_internal_error
from gradebox.graders.grading.judge import judge
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.grading.task import Task
from gradebox.graders.model import verdict
from gradebox.graders.model.evidence import Observations, Outcomes
from gradebox.graders.model.judgment import Judgment, Question, usage
from gradebox.graders.model.plan import Plan
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.verdict import Status, Verdict
from gradebox.graders.model.verdict_document import VerdictDocument, result_of
from gradebox.graders.runs.dependencies import in_order
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.graders.runs.staleness import changed_checks, changed_for_all, rejoined
from gradebox.graders.runs.tasks import key_of_task
from gradebox.sandbox.records import dataclass


@dataclass(frozen=True, slots=True)
class Regraded:
    """A verdict, and the new result for the same outcomes."""

    before: VerdictDocument
    result: Result


def regrade(
    run: SavedRun,
    tasks: Iterable[Task],
    *,
    dependent: bool = False,
    broken: Container[str] = (),
    judgments: Mapping[str, Judgment] | None = None,
    asked: set[str] | None = None,
) -> Iterator[Regraded]:
    """Score every verdict of a run again, in the order of grading; skip tasks without a verdict.

    `tasks` have the current cases; `broken` are ids of cases that can no longer be read. `judgments` are replies, by
    key, to questions that no judge has answered. With replies, the keys of all questions are added to `asked`.
    """
    replies = Replies(judgments or {}, set() if asked is None else asked)

    def again(listed: Iterable[Task]) -> Iterator[Result]:
        return (_again(run, run.verdicts[key_of_task(task)], task, replies) for task in listed)

    known = (task for task in tasks if key_of_task(task) in run.verdicts)
    for task, result in in_order(known, dependent=dependent, grade_many=again, broken=broken):
        yield Regraded(run.verdicts[key_of_task(task)], result)


class Replies(NamedTuple):
    """Replies by the key of their question, and the keys of all questions."""

    given: Mapping[str, Judgment]
    asked: set[str]


class Kept(NamedTuple):
    """The evidence of a verdict, for the current case. `stale` has checks that cannot be judged again, with why."""

    plan: Plan
    outcomes: Outcomes
    observed: Observations
    stale: Mapping[str, str]


def kept(run: SavedRun, before: VerdictDocument, task: Task) -> Kept | str:
    """Return the evidence of a verdict, or a clause that says why it cannot be scored again.

    Raises:
        GraderError: If a file of the case or of the run is invalid or cannot be read.
        OSError: If a file cannot be read.
    """
    case, submission = task.case, task.submission
    if not isinstance(submission, Submission):
        return "what a target made is not kept"
    if not before.image:
        return "it was not run"
    if case.image is not None and case.image != before.image:
        return f"it ran in the image {before.image}, and the case names {case.image} now"
    outcomes = run.outcomes(before)
    if outcomes is None:
        return "no outcomes were kept to score it by"
    plan = prepare(case, submission, image=before.image)
    hashes = plan_hashes(plan)
    if changed := changed_for_all(plan, outcomes, hashes):
        return changed
    stale = changed_checks(plan, outcomes, hashes)
    observed = Observations(
        done=rejoined(plan, outcomes, stale),
        faults=list(outcomes.faults),
        failures=list(outcomes.failures),
        tampering=list(outcomes.tampering),
        judgments=dict(outcomes.judgments),
        works_with=outcomes.works_with,
    )
    return Kept(plan, outcomes, observed, stale)


def _again(run: SavedRun, before: VerdictDocument, task: Task, replies: Replies) -> Result:
    result = replace(result_of(before), id=secrets.token_hex(8), reused="")
    case = task.case
    try:
        found = kept(run, before, task)
        if isinstance(found, str):
            return _refused(result, found)
        plan, outcomes, observed, stale = found
        observed.judgments |= {one.key: replies.given[one.key] for one in _open(plan, observed, replies)}
        return replace(
            result,
            verdict=_verdict(plan, observed, stale),
            judging=usage(observed.judgments.values()),
            content=_content_key(plan, before),
            case_hash=case_key(case, plan.files),
            tags=case.tags,
            category=case.category,
            suite=case.suite,
            trials=case.trials.strategy if case.trials else "",
            about=case.about,
            changes=plan.changes,
            answer=plan.submission.output,
            transcript=plan.submission.transcript,
            memory_limit_bytes=case.limits.memory_bytes,
            outcomes=replace(outcomes, judgments=observed.judgments),
        )
    except (GraderError, OSError) as problem:
        return _refused(result, f"its files cannot be read any more: {problem}")
    except Exception as bug:  # noqa: BLE001 - an internal error that one submission causes must not end the run
        return _refused(result, describe_internal_error(bug))


def _content_key(plan: Plan, before: VerdictDocument) -> str:
    sandbox = f"{before.profile} {before.runtime}"
    return content_key(plan, image_id=before.image_id, sandbox=sandbox, services=before.services)


def _open(plan: Plan, observed: Observations, replies: Replies) -> Iterator[Question]:
    """Yield the open questions for which there is a reply now."""
    if replies.given:
        from gradebox.graders.grading.words import questions  # noqa: PLC0415 - only with replies from elsewhere

        for _, question in questions(plan, observed):
            replies.asked.add(question.key)
            known = observed.judgments.get(question.key)
            if question.key in replies.given and not (known and known.answered):
                yield question


def _verdict(plan: Plan, observed: Observations, stale: Mapping[str, str]) -> Verdict:
    """Judge the outcomes by the current case; stale checks become errors, each with its reason."""
    case = plan.case
    kept = replace(case, checks=tuple(check for check in case.checks if check.name not in stale))
    judged = {result.name: result for result in judge(replace(plan, case=kept), observed).checks}
    decided = verdict.decide(
        (
            error(check, case, _sentence(stale[check.name])) if check.name in stale else judged[check.name]
            for check in case.checks
        ),
        threshold=case.threshold,
        aggregation=case.aggregation,
        faults=observed.faults,
        failures=observed.failures,
        tampering=(*plan.tampering, *observed.tampering),
    )
    return verdict.misplaced(decided, "" if observed.failures else plan.misfit)


def _sentence(why: str) -> str:
    return f"it cannot be scored again: {why}; grade it again"


def _refused(result: Result, why: str) -> Result:
    refused = Verdict(Status.ERROR, None, None, None, result.verdict.threshold, (), reasons=(_sentence(why),))
    return replace(result, verdict=refused, own_steps=(), outcomes=None)
