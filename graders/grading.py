"""Carries out a plan: one case, one submission, one throwaway sandbox, from files to a verdict.

    read files -> lay the submission over the workspace -> plan -> run in a sandbox -> judge -> decide

Nothing that the submission does raises here. What is our fault or the author's makes an `error`, what is the
candidate's a `failed`.
"""

from __future__ import annotations

import errno
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from graders import checks, verdict
from graders.answer_files import with_its_code
from graders.case import Case
from graders.checks.judging import Done, ending_sentence, record, unfinished
from graders.checks.judging import error as could_not_judge
from graders.conductor import INTERRUPTED, Conductor, Happened, Settings, evidence_of
from graders.errors import GraderError
from graders.events import CaseGraded, CaseStarted
from graders.evidence import Evidence, of_check
from graders.files import read_files
from graders.handed_over import handed_over
from graders.plan import Files, Plan, make_plan
from graders.result import Graded
from graders.runs.basis import basis_of
from graders.runs.identity import content_key, key_for
from graders.runs.outcomes import Outcomes
from graders.submission import Form, Submission, digest, lay
from graders.tree import differs, read
from graders.verdict import CheckResult, StepRecord, Verdict
from sandbox import defences, profiles
from sandbox.archive import Entry
from sandbox.engine import Engine
from sandbox.errors import EngineUnavailable, SandboxError, SandboxLost, WorkspaceRefused
from sandbox.session import Sandbox
from sandbox.types import Network, SandboxSpec

T = TypeVar("T")

OPEN_ATTEMPTS = 3
# An engine that is being restarted is back by then. Without this, every case meanwhile would be an error in a moment.
AWAY_SECONDS = (1.0, 2.0, 4.0, 8.0)
# How much longer than its case a sandbox may live: for laying out files and for its removal.
LIFETIME_GRACE_SECONDS = 120.0

# What the candidate's files alone can cause: no space, too many files, a name too long, too many links.
_TOO_MUCH = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.ENAMETOOLONG, errno.EMLINK, errno.ENOMEM})

# What a file takes of a tmpfs at least.
_PAGE = 4096


def grade(
    engine: Engine, case: Case, submission: Submission, settings: Settings, *, repeat: int = 1, number: int = 0
) -> Graded:
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
    settings.emit(CaseStarted(case.id, submission.name, case.target))
    happened = Happened()
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
            settings.emit(CaseGraded(known))
            return known
        basis = basis_of(plan)
        if submission.fault:
            happened.faults.append(submission.fault)
        elif problem := laid.problem or _too_large(plan, submission):
            happened.failures.append(problem)
        else:
            _carry_out(engine, plan, submission, settings, happened)
    except (GraderError, SandboxError) as error:
        happened.faults.append(str(error))
    except OSError as error:
        happened.faults.append(f"A file of the case or of the submission cannot be read: {error}.")
    graded = Graded(
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


def _content(engine: Engine, plan: Plan, files: Files, submission: Submission, settings: Settings) -> str:
    return content_key(
        plan.case,
        files,
        submission,
        image=_when_there(lambda: engine.image(plan.image), settings).id,
        runners=settings.runners,
        sandbox=f"{settings.profile.name} {settings.runtime or ''}",
    )


def _kept(submission: Submission, happened: Happened, basis: Mapping[str, str]) -> Outcomes:
    return Outcomes(
        submission=digest(submission),
        done={name: tuple(ran) for name, ran in happened.done.items()},
        faults=tuple(happened.faults),
        failures=tuple(happened.failures),
        tampering=tuple(happened.tampering),
        basis=basis,
    )


def _carry_out(engine: Engine, plan: Plan, submission: Submission, settings: Settings, happened: Happened) -> None:
    if settings.stop.is_set():
        happened.faults.append(INTERRUPTED)
        return
    limits = profiles.limits(settings.profile, plan.limits)
    if plan.setup is None and limits.network not in settings.profile.networks:
        limits = replace(limits, network=Network.NONE)
    spec = SandboxSpec(
        image=plan.image,
        limits=limits,
        lifetime_seconds=plan.case.timeout_seconds + LIFETIME_GRACE_SECONDS,
        runtime=settings.runtime,
        filter=settings.profile.filter,
        masked=settings.profile.masked,
    )
    sandbox = open_sandbox(engine, spec, settings)
    settings.live[id(sandbox)] = sandbox
    try:
        happened.image_id = sandbox.image.id
        happened.gaps = (*profiles.shortfall(settings.profile, settings.runtime), *sandbox.gaps)
        Conductor(sandbox, plan, submission, settings, happened).conduct()
    except WorkspaceRefused as error:
        if error.errno in _TOO_MUCH and submission.form is not Form.NOTHING and _has_room(plan):
            happened.failures.append(f"The submission does not fit into the sandbox: {error.message}")
        else:
            happened.faults.append(str(error))
    finally:
        settings.live.pop(id(sandbox), None)
        sandbox.close()


def _too_large(plan: Plan, submission: Submission) -> str:
    """Say why a submission cannot fit, before anything of it is read: a sparse file may be larger than our memory."""
    size, count, limits = sum(entry.size for entry in plan.laid.files()), len(plan.laid.entries), plan.limits
    if submission.form is Form.NOTHING or not _has_room(plan):
        return ""
    if size <= limits.disk_bytes and count <= limits.disk_files:
        return ""
    return (
        f"The submission does not fit into the sandbox: with it, the workspace has {count} files of {size} bytes, "
        f"but may have {limits.disk_files} of {limits.disk_bytes} bytes."
    )


def _has_room(plan: Plan) -> bool:
    """Say whether the case's own files would fit, so that it is the submission that does not."""
    hungriest = max((stage.delivered for stage in plan.stages), key=_pages, default=())
    own = (*plan.workspace.entries.values(), *hungriest)
    return _pages(own) < plan.limits.disk_bytes and len(own) < plan.limits.disk_files


def _pages(entries: Iterable[Entry]) -> int:
    return sum(-(-entry.size // _PAGE) * _PAGE for entry in entries)


def open_sandbox(engine: Engine, spec: SandboxSpec, settings: Settings) -> Sandbox:
    """Open a sandbox, again if it is lost before any command ran in it, or if the engine is away for a while.

    Raises:
        SandboxError: If it cannot be opened.
    """
    return _when_there(lambda: _opened(engine, spec, settings), settings)


def _when_there(ask: Callable[[], T], settings: Settings) -> T:
    """Ask an engine for something that may be asked for again, until it answers or has been away for long."""
    for seconds in AWAY_SECONDS:
        with suppress(EngineUnavailable):
            return ask()
        if settings.stop.wait(seconds):
            break
    return ask()


def _opened(engine: Engine, spec: SandboxSpec, settings: Settings) -> Sandbox:
    attempt = 1
    while True:
        sandbox = Sandbox(engine, spec, read=read)
        try:
            return sandbox.__enter__()
        except SandboxLost:
            if attempt == OPEN_ATTEMPTS or settings.stop.wait(0.5 * attempt):
                raise
            attempt += 1


def decide(case: Case, submission: Submission, plan: Plan | None, happened: Happened) -> Verdict:
    """Judge what happened, and return what it means. Pure but for the files that checks read."""
    return verdict.decide(
        _results(case, submission, plan, happened),
        threshold=case.threshold,
        faults=happened.faults,
        failures=happened.failures,
        tampering=(*(plan.tampering if plan else ()), *happened.tampering),
    )


def _results(case: Case, submission: Submission, plan: Plan | None, happened: Happened) -> tuple[CheckResult, ...]:
    evidence = evidence_of(submission, plan)

    def decide(check: checks.CheckSpec, results: Mapping[str, CheckResult]) -> CheckResult:
        return _result(case, check, of_check(replace(evidence, results=results), check.name, happened.done), happened)

    return checks.judge_all(case.checks, decide)


def _result(case: Case, check: checks.CheckSpec, evidence: Evidence, happened: Happened) -> CheckResult:
    # A check that runs nothing has nothing done when all went well, too.
    if evidence.done or evidence.within or not (happened.failures or happened.faults):
        return checks.judge(check, case, evidence)
    if happened.failures:
        return unfinished(check, case, f"not run: {happened.failures[0]}")
    return could_not_judge(check, case, f"not run: {happened.faults[0]}")


def _own_record(done: Done) -> StepRecord:
    passed = done.outcome.exit_code == 0
    return record(done, passed=passed, reason="" if passed else ending_sentence(done))
