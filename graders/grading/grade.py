"""Carries out a plan: one case, one submission, one throwaway sandbox, from files to a verdict.

    read files -> lay the submission over the workspace -> plan -> run in a sandbox -> judge -> decide

Nothing that the submission does raises here. What is our fault or the author's makes an `error`, what is the
candidate's a `failed`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from graders.checks import evaluation
from graders.checks.grader_io import handed_over
from graders.checks.judging import (
    ending_sentence,
    record,
    unfinished,
)
from graders.checks.judging import error as could_not_judge
from graders.errors import GraderError
from graders.grading.basis import basis_of, told_of
from graders.grading.capacity import has_room, unfit
from graders.grading.case_files import read_files
from graders.grading.execute import (
    INTERRUPTED,
    Conductor,
    Observations,
    Settings,
    evidence_of,
)
from graders.grading.fingerprint import content_key, key_for
from graders.grading.planner import make_plan
from graders.grading.retry import LIFETIME_GRACE_SECONDS, opened, when_there
from graders.model import verdict
from graders.model.case import Case, CaseCheck
from graders.model.events import CaseGraded, CaseStarted
from graders.model.evidence import Evidence, Outcomes, StepOutcome, of_check
from graders.model.plan import Files, Plan
from graders.model.result import Result
from graders.model.submission import (
    Form,
    Submission,
    digest,
    lay,
)
from graders.model.tree import differs
from graders.model.verdict import CheckResult, StepRecord, Verdict
from graders.submissions.answer import with_its_code
from sandbox import defences, profiles
from sandbox.engines.engine import Engine
from sandbox.errors import SandboxError, SandboxLost, WorkspaceRefused
from sandbox.linux import Errno
from sandbox.types import Network, SandboxSpec

# What the candidate's files alone can cause: no space, too many files, a name too long, too many links.
_TOO_MUCH = frozenset({Errno.ENOSPC, Errno.EFBIG, Errno.EDQUOT, Errno.ENAMETOOLONG, Errno.EMLINK, Errno.ENOMEM})


def grade(
    engine: Engine, case: Case, submission: Submission, settings: Settings, *, repeat: int = 1, number: int = 0
) -> Result:
    """Grade one submission of one case.

    Never raises for what is wrong with the case, the submission, the engine or a file: it is in the verdict.

    Args:
        engine: Where the sandbox is made.
        case: What is asked.
        submission: What is graded.
        settings: What else is needed.
        repeat: Which of several gradings of the same this is.
        number: Its place in the run.
    """
    started = datetime.now(UTC)
    begun = time.monotonic()
    settings.emit(CaseStarted(case.id, submission.name, case.target, repeat))
    happened = Observations()
    plan: Plan | None = None
    restored: tuple[str, ...] = ()
    content = changes = ""
    basis: Mapping[str, str] = {}
    try:
        submission = with_its_code(case, submission)
        files = read_files(case)
        laid = lay(files.workspace, submission)
        told = handed_over(submission, files.workspace, laid.tree)
        changes = told["file_changes"]
        plan = make_plan(
            case, files, laid.tree, image=settings.image_of(case), runners=settings.runners, handed_over=told
        )
        restored = tuple(e.path for e in plan.restored if differs(e, laid.tree.entries.get(e.path)))
        content = _content(engine, plan, files, submission, settings)
        known = settings.known(key_for(case.id, case.target, submission.name, repeat), content)
        if known is not None:
            known = replace(known, number=number)
            settings.emit(CaseGraded(known, found_before=True))
            return known
        basis = basis_of(plan)
        if submission.fault:
            happened.faults.append(submission.fault)
        elif problem := laid.problem or unfit(plan, profiles.limits(settings.profile, plan.limits), submission):
            happened.failures.append(problem)
        else:
            _carry_out(engine, plan, submission, settings, happened, repeat)
    except (GraderError, SandboxError) as error:
        happened.faults.append(str(error))
    except OSError as error:
        happened.faults.append(f"A file of the case or of the submission cannot be read: {error}.")
    graded = Result(
        id=secrets.token_hex(8),
        case=case.id,
        target=case.target,
        submission=submission.name,
        verdict=decide(case, submission, plan, happened),
        started=started,
        image=plan.image if plan else "",
        image_id=happened.image_id,
        profile=settings.profile.name,
        runtime=settings.runtime or "",
        not_enforced=happened.gaps,
        defences_off=defences.off(),
        restored=restored,
        removed=tuple(sorted(happened.removed)),
        removed_count=happened.removed_count,
        left_out=submission.tree.left_out,
        own_steps=(*submission.steps, *(_own_record(done) for done in happened.own)),
        wall_seconds=time.monotonic() - begun,
        memory=happened.memory,
        repeat=repeat,
        number=number,
        content=content,
        tags=case.tags,
        category=case.category,
        changes=changes,
        memory_limit_bytes=case.limits.memory_bytes,
        happened=_kept(submission, happened, basis) if basis else None,
    )
    settings.emit(CaseGraded(graded))
    return graded


def not_graded(case: Case, submission: str, fault: str, *, repeat: int = 1, number: int = 0) -> Result:
    """Return what is said of a submission that could not be graded, for a reason that is not in it.

    Args:
        case: What was asked.
        submission: The name of what was handed in.
        fault: Why, as the verdict says it.
        repeat: Which of several gradings of the same this is.
        number: Its place in the run.
    """
    return Result(
        id=secrets.token_hex(8),
        case=case.id,
        target=case.target,
        submission=submission,
        verdict=decide(case, Submission(submission), None, Observations(faults=[fault])),
        started=datetime.now(UTC),
        repeat=repeat,
        number=number,
        tags=case.tags,
        category=case.category,
    )


def _content(engine: Engine, plan: Plan, files: Files, submission: Submission, settings: Settings) -> str:
    return content_key(
        plan.case,
        files,
        submission,
        image=when_there(lambda: engine.image(plan.image), settings).id,
        runners=settings.runners,
        sandbox=f"{settings.profile.name} {settings.runtime or ''}",
    )


def _kept(submission: Submission, happened: Observations, basis: Mapping[str, str]) -> Outcomes:
    return Outcomes(
        submission=digest(submission),
        done={name: tuple(ran) for name, ran in happened.done.items()},
        faults=tuple(happened.faults),
        failures=tuple(happened.failures),
        tampering=tuple(happened.tampering),
        basis=basis,
        told={name: told_of(one.step for one in ran) for name, ran in happened.done.items()},
    )


def _carry_out(
    engine: Engine, plan: Plan, submission: Submission, settings: Settings, happened: Observations, repeat: int
) -> None:
    if settings.stop.is_set():
        happened.faults.append(INTERRUPTED)
        return
    limits = profiles.limits(settings.profile, plan.limits)
    if plan.setup is None and limits.network not in settings.profile.networks:
        limits = replace(limits, network=Network.NONE)
    spec = SandboxSpec(
        image=plan.image,
        limits=limits,
        lifetime_seconds=plan.case.timeout_seconds + LIFETIME_GRACE_SECONDS * limits.slowness,
        runtime=settings.runtime,
        filter=settings.profile.filter,
        masked=settings.profile.masked,
    )
    with opened(engine, spec, settings) as sandbox:
        happened.image_id = sandbox.image.id
        happened.gaps = (*profiles.shortfall(settings.profile, settings.runtime), *sandbox.gaps)
        try:
            Conductor(sandbox, plan, submission, settings, happened, repeat).conduct()
        except WorkspaceRefused as error:
            if error.errno in _TOO_MUCH and submission.form is not Form.NOTHING and has_room(plan, limits):
                happened.failures.append(f"The submission does not fit into the sandbox: {error.message}")
            else:
                happened.faults.append(str(error))
        except SandboxLost:
            if submission.form is Form.NOTHING or not has_room(plan, limits) or not sandbox.used_up:
                raise
            happened.failures.append(
                "The submission does not fit into the sandbox: its files, and the copy of them from which every check "
                f"begins, took more than the {limits.memory_bytes} bytes of memory."
            )


def decide(case: Case, submission: Submission, plan: Plan | None, happened: Observations) -> Verdict:
    """Judge what happened, and return what it means. Pure but for the files that checks read."""
    return verdict.decide(
        _results(case, submission, plan, happened),
        threshold=case.threshold,
        faults=happened.faults,
        failures=happened.failures,
        tampering=(*(plan.tampering if plan else ()), *happened.tampering),
    )


def _results(case: Case, submission: Submission, plan: Plan | None, happened: Observations) -> tuple[CheckResult, ...]:
    evidence = evidence_of(submission, plan)

    def decide(check: CaseCheck, results: Mapping[str, CheckResult]) -> CheckResult:
        return _result(case, check, of_check(replace(evidence, results=results), check.name, happened.done), happened)

    return evaluation.judge_all(case.checks, decide)


def _result(case: Case, check: CaseCheck, evidence: Evidence, happened: Observations) -> CheckResult:
    # A check that runs nothing has nothing done when all went well, too.
    if evidence.done or evidence.within or not (happened.failures or happened.faults):
        return evaluation.judge(check, case, evidence)
    if happened.failures:
        return unfinished(check, case, f"not run: {happened.failures[0]}")
    return could_not_judge(check, case, f"not run: {happened.faults[0]}")


def _own_record(done: StepOutcome) -> StepRecord:
    passed = done.outcome.exit_code == 0
    return record(done, passed=passed, reason="" if passed else ending_sentence(done))
