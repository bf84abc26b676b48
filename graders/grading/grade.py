"""Grades one submission of one case, from files to a verdict.

    prepare -> plan -> execute in a sandbox -> judge -> decide

Nothing that the submission does raises here. A fault of gradebox or of the case's author leads to an `error`, a fault
of the candidate to `failed`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from gradebox.graders.checks.results import ending_sentence, record
from gradebox.graders.errors import CaseRefused
from gradebox.graders.grading.apart.settling import settled
from gradebox.graders.grading.baseline import attribute
from gradebox.graders.grading.execute import execute
from gradebox.graders.grading.fingerprint import case_key, content_key, key_for, plan_hashes, stdin_hashes
from gradebox.graders.grading.internal_error import noting_faults
from gradebox.graders.grading.judge import judge
from gradebox.graders.grading.open_sandboxes import retry_while_away
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.grading.services.group import image_ids
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case
from gradebox.graders.model.events import CaseGraded, CaseStarted
from gradebox.graders.model.evidence import Observations, Outcomes, StepOutcome
from gradebox.graders.model.judgment import usage
from gradebox.graders.model.plan import Plan
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Submission, digest, identity
from gradebox.graders.model.tree import differs
from gradebox.graders.model.verdict import StepRecord
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.types import WORKSPACE

_NAMED = 5


def grade(
    engine: Engine, case: Case, submission: Submission, settings: Settings, *, repeat: int = 1, number: int = 0
) -> Result:
    """Grade one submission of one case.

    Never raises for errors in the case, the submission, the engine or a file: the verdict reports them.
    """
    started = datetime.now(UTC)
    begin = time.monotonic()
    settings.emit(CaseStarted(case.id, submission.name, case.target, repeat))
    plan, image_id, hashes = Plan(case, submission), "", dict[str, str]()
    observed, restored, ids = Observations(), tuple[str, ...](), _Ids()
    with noting_faults(observed.faults):
        image = settings.image_of(case)
        plan = replace(plan, image=image)
        image_id = retry_while_away(lambda: engine.image(image), settings).id
        services = image_ids(engine, case, settings) if case.services else {}
        error_of_case = settings.case_errors.get((case.place, image_id))
        if error_of_case is not None:
            # Another submission has shown this error already, so nothing has to run.
            raise CaseRefused(error_of_case)
        written = settled(engine, case, settings)
        plan = prepare(case := _with_answers(engine, written, settings), submission, image=image)
        restored = tuple(e.path for e in plan.restored if differs(e, plan.laid.entries.get(e.path)))
        ids = _identified(written, plan, submission, image_id, services, settings)
        known = settings.known(key_for(case.id, case.target, submission.name, repeat), ids.content)
        if known is not None:
            known = replace(known, number=number, about=case.about, crossing=case.crossing)
            known = replace(known, **_said(submission, ids, known.origin))
            settings.emit(CaseGraded(known, found_before=True))
            return known
        hashes = plan_hashes(plan)
    if hashes:
        observed = _carried_out(engine, plan, settings, repeat)
    verdict, observed = attribute(engine, case, plan, observed, settings)
    for check in verdict.checks:
        if check.of_case:
            settings.case_errors[case.place, image_id] = check.reason
    result = replace(
        Result.of(case, submission.name, verdict, repeat=repeat, number=number),
        started=started,
        **_said(submission, ids),
        **_sandbox(plan, observed, settings),
        restored=restored,
        removed=tuple(sorted(observed.removed)),
        removed_count=observed.removed_count,
        left_out=plan.submission.tree.left_out,
        notes=(*plan.notes, *_misleading_names(observed), *observed.audits),
        told=_told(plan),
        judging=usage(observed.judgments.values()),
        own_steps=(*submission.steps, *map(_own_record, observed.own)),
        wall_seconds=time.monotonic() - begin,
        memory=observed.memory,
        changes=plan.changes,
        memory_limit_bytes=case.limits.memory_bytes,
        outcomes=_kept(ids.arranged, observed, hashes) if hashes else None,
    )
    settings.emit(CaseGraded(result))
    return result


def _with_answers(engine: Engine, case: Case, settings: Settings) -> Case:
    """Return a case with the outputs of its reference if tests of `io` checks need them."""
    if not any(check.lacks_answers for check in case.checks):
        return case
    from gradebox.graders.grading.stages.reference_answers import with_reference_answers  # noqa: PLC0415 - few cases

    return with_reference_answers(engine, case, settings)


class _Ids(NamedTuple):
    """Hashes that identify a grading; empty if not known."""

    case: str = ""
    submission: str = ""  # As it was handed in.
    arranged: str = ""  # With its files at the expected paths.
    content: str = ""  # Everything that the verdict depends on.


def _identified(
    case: Case, plan: Plan, submission: Submission, image_id: str, services: Mapping[str, str], settings: Settings
) -> _Ids:
    arranged = digest(plan.submission)
    # Most submissions are graded unchanged, and need no second hash.
    handed_in = arranged if plan.submission == submission else digest(submission)
    of_case, sandbox = case_key(case, plan.files), f"{settings.profile.name} {settings.runtime or ''}"
    content = content_key(
        plan, image_id=image_id, sandbox=sandbox, submitted=arranged, of_case=of_case, services=services
    )
    return _Ids(of_case, identity(submission, handed_in), arranged, content)


def _told(plan: Plan) -> tuple[str, ...]:
    """Return sentences for the candidate about a submission that does not fit. They name no hidden files."""
    unreadable = plan.submission.fault if plan.submission.unreadable else ""
    return tuple(filter(None, (plan.problem or unreadable, plan.misfit, plan.moved)))


def _misleading_names(observed: Observations) -> Iterator[str]:
    """Yield a sentence about names that no grader could open."""
    done = (ran for steps in observed.done.values() for ran in steps)
    names = sorted({name.removeprefix(f"{WORKSPACE}/") for ran in done for name in ran.outcome.removed})
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        yield (
            "Kept from the grader, because it led where the submission cannot read or was not a file: "
            f"{', '.join(names[:_NAMED])}{more}."
        )


def _carried_out(engine: Engine, plan: Plan, settings: Settings, repeat: int) -> Observations:
    """Carry out a plan, and return the observations, including the replies of judges."""
    observed = execute(engine, plan, settings, repeat)
    if plan.case.judge is not None:
        from gradebox.graders.grading.words import ask_judges  # noqa: PLC0415 - most cases have no judge

        ask_judges(engine, plan, observed, settings)
    return observed


def not_graded(case: Case, submission: str, fault: str, *, repeat: int = 1, number: int = 0) -> Result:
    """Return an `error` for a submission that could not be graded, for a reason outside the submission."""
    verdict = judge(Plan(case), Observations(faults=[fault]))
    return Result.of(case, submission, verdict, repeat=repeat, number=number)


def _kept(submission: str, observed: Observations, hashes: Mapping[str, str]) -> Outcomes:
    return Outcomes(
        submission=submission,
        done={name: tuple(ran) for name, ran in observed.done.items()},
        faults=tuple(observed.faults),
        failures=tuple(observed.failures),
        tampering=tuple(observed.tampering),
        plan_hashes=hashes,
        judgments=observed.judgments,
        works_with=observed.works_with,
        stdin_hashes={name: stdin_hashes(one.step for one in ran) for name, ran in observed.done.items()},
    )


def _said(submission: Submission, ids: _Ids, origin: Mapping[str, Any] | None = None) -> dict[str, Any]:
    said = {"answer": submission.output, "transcript": submission.transcript}
    said |= {"case_hash": ids.case, "submission_hash": ids.submission, "content": ids.content}
    return {**said, "origin": submission.origin or origin or {}}


def _sandbox(plan: Plan, observed: Observations, settings: Settings) -> dict[str, Any]:
    return {
        "image": plan.image,
        "image_id": observed.image_id,
        "services": observed.services,
        "profile": settings.profile.name,
        "runtime": settings.runtime or "",
        "machine": observed.machine,
        "not_enforced": observed.gaps,
    }


def _own_record(done: StepOutcome) -> StepRecord:
    passed = done.outcome.exit_code == 0
    return record(done, passed=passed, reason="" if passed else ending_sentence(done))
