"""Carries out a plan: one case, one submission, one throwaway sandbox, from files to a verdict.

    read files -> lay the submission over the workspace -> plan -> run in a sandbox -> judge -> decide

Nothing that the submission does raises here. What is our fault or the author's makes an `error`, what is the
candidate's a `failed`.
"""

from __future__ import annotations

import errno
import secrets
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event as Flag

from graders import checks, verdict
from graders.case import Case
from graders.checks.judging import Done, ending_sentence, record
from graders.errors import GraderError
from graders.events import CaseGraded, CaseStarted, Event, StepStarted
from graders.files import read_files
from graders.plan import Plan, make_plan
from graders.result import Graded
from graders.steps import Role, Stage, Step
from graders.submission import Submission, lay
from graders.tree import differs, read
from graders.verdict import CheckResult, Status, StepRecord
from sandbox.deadline import Deadline
from sandbox.engine import Engine
from sandbox.errors import ImageUnavailable, ProtocolError, SandboxLost, WorkspaceRefused
from sandbox.session import Sandbox
from sandbox.types import FIRST_UID, Command, Ending, MemoryState, Outcome, SandboxSpec

OPEN_ATTEMPTS = 3
# How much longer than its case a sandbox may live: for laying out files and for its removal.
LIFETIME_GRACE_SECONDS = 120.0

# What the candidate's files alone can cause: no space, too many files, a name too long, too many links.
_TOO_MUCH = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.ENAMETOOLONG, errno.EMLINK, errno.ENOMEM})

_NEVER_RUN = Outcome(Ending.SANDBOX_LOST, detail="It was not run, because the sandbox had been lost before.")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a grading needs besides the case and the submission.

    Attributes:
        image_of: Returns the image reference for a case.
        runners: Source of the item runners, by language.
        runtime: OCI runtime, None for the engine's default.
        emit: Is told what goes on.
        stop: When set, nothing new begins.
        live: The sandboxes that are open, for whoever sets `stop` and kills them.
    """

    image_of: Callable[[Case], str]
    runners: Mapping[str, str]
    runtime: str | None = None
    emit: Callable[[Event], None] = lambda _: None
    stop: Flag = field(default_factory=Flag)
    live: dict[int, Sandbox] = field(default_factory=dict)


@dataclass(slots=True)
class _Happened:
    """What a sandbox showed, gathered while its plan is carried out."""

    done: dict[str, list[Done]] = field(default_factory=dict)
    own: list[Done] = field(default_factory=list)
    removed: dict[str, None] = field(default_factory=dict)
    removed_count: int = 0
    faults: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    memory: MemoryState = field(default_factory=MemoryState)
    image_id: str = ""


def grade(engine: Engine, case: Case, submission: Submission, settings: Settings) -> Graded:
    """Grade one submission of one case.

    Raises:
        SandboxError: Only if the engine does not answer at all, before anything was run.
    """
    started = datetime.now(UTC)
    begun = time.monotonic()
    settings.emit(CaseStarted(case.id, submission.name))
    happened = _Happened()
    plan: Plan | None = None
    restored: tuple[str, ...] = ()
    try:
        files = read_files(case)
        laid = lay(files.workspace, submission)
        plan = make_plan(case, files, laid.tree, image=settings.image_of(case), runners=settings.runners)
        restored = tuple(e.path for e in plan.restored if differs(e, laid.tree.entries.get(e.path)))
        if laid.problem:
            happened.failures.append(laid.problem)
        else:
            _carry_out(engine, plan, submission, settings, happened)
    except (GraderError, ImageUnavailable) as error:
        happened.faults.append(str(error))
    results = tuple(_result(case, check, happened) for check in case.checks)
    graded = Graded(
        id=secrets.token_hex(8),
        case=case.id,
        target=case.target,
        submission=submission.name,
        verdict=verdict.decide(results, threshold=case.threshold, faults=happened.faults, failures=happened.failures),
        started=started,
        image=plan.image if plan else "",
        image_id=happened.image_id,
        restored=restored,
        removed=tuple(sorted(happened.removed)),
        removed_count=happened.removed_count,
        left_out=submission.tree.left_out,
        own_steps=tuple(_own_record(done) for done in happened.own),
        wall_seconds=time.monotonic() - begun,
        memory=happened.memory,
    )
    settings.emit(CaseGraded(graded))
    return graded


def _carry_out(engine: Engine, plan: Plan, submission: Submission, settings: Settings, happened: _Happened) -> None:
    spec = SandboxSpec(
        image=plan.image,
        limits=plan.limits,
        lifetime_seconds=plan.case.timeout_seconds + LIFETIME_GRACE_SECONDS,
        runtime=settings.runtime,
    )
    sandbox = _open(engine, spec, settings)
    settings.live[id(sandbox)] = sandbox
    try:
        happened.image_id = sandbox.image.id
        _Conductor(sandbox, plan, submission, settings, happened).conduct()
    except WorkspaceRefused as error:
        if error.errno in _TOO_MUCH and plan.laid.size_bytes and submission.form != "nothing":
            happened.failures.append(f"The submission does not fit into the sandbox: {error.message}")
        else:
            happened.faults.append(str(error))
    except (SandboxLost, ProtocolError) as error:
        happened.faults.append(str(error))
    finally:
        settings.live.pop(id(sandbox), None)
        sandbox.close()


def _open(engine: Engine, spec: SandboxSpec, settings: Settings) -> Sandbox:
    """Open a sandbox, again if it is lost before any command ran in it."""
    attempt = 1
    while True:
        sandbox = Sandbox(engine, spec, read=read)
        try:
            return sandbox.__enter__()
        except SandboxLost:
            if attempt == OPEN_ATTEMPTS or settings.stop.wait(0.5 * attempt):
                raise
            attempt += 1


class _Conductor:
    """Walks through a plan in one open sandbox."""

    def __init__(
        self, sandbox: Sandbox, plan: Plan, submission: Submission, settings: Settings, happened: _Happened
    ) -> None:
        self._sandbox = sandbox
        self._plan = plan
        self._submission = submission
        self._settings = settings
        self._happened = happened
        self._deadline = Deadline.after(plan.case.timeout_seconds)
        every = [plan.setup, *plan.stages, plan.teardown]
        self._count = sum(len(stage.steps) for stage in every if stage is not None)
        self._number = 0
        self._lost = False

    def conduct(self) -> None:
        plan, sandbox = self._plan, self._sandbox
        sandbox.put(plan.laid.entries.values(), uid=FIRST_UID)
        self._scrub()
        if plan.setup is not None:
            sandbox.snapshot()
            if not self._set_up(plan.setup):
                return
            self._scrub()
        sandbox.snapshot()
        for stage in plan.stages:
            self._happened.done.setdefault(stage.check or "", []).extend(self._stage(stage))
        if plan.teardown is not None:
            self._happened.own.extend(self._stage(plan.teardown))
        if not self._lost:
            self._happened.memory = sandbox.stat()

    def _set_up(self, stage: Stage) -> bool:
        done = self._stage(stage)
        self._happened.own.extend(done)
        broken = next((ran for ran in done if ran.outcome.exit_code != 0), None)
        if broken is None:
            return True
        sentence = f"setup {shlex.join(broken.step.argv)} failed: {ending_sentence(broken)}"
        whose = self._happened.failures if self._plan.case.setup_gradable else self._happened.faults
        whose.append(sentence)
        return False

    def _scrub(self) -> None:
        scrubbed = self._sandbox.scrub(self._plan.scrubbed, self._plan.kept)
        # What setup itself left behind (bytecode, mostly) is nobody's attempt; only what was handed in is told.
        told = [path for path in scrubbed.paths if path in self._plan.laid.entries]
        self._happened.removed.update(dict.fromkeys(told))
        self._happened.removed_count = len(self._happened.removed)

    def _stage(self, stage: Stage) -> list[Done]:
        if self._lost:
            return [Done(step, _NEVER_RUN) for step in stage.steps]
        self._sandbox.reset(stage.uid)
        if self._plan.restored:
            self._sandbox.put(self._plan.restored, protect=True)
        if stage.delivered:
            self._sandbox.put(stage.delivered, protect=True)
        done: list[Done] = []
        for step in stage.steps:
            outcome = self._run(step, stage.uid)
            done.append(Done(step, outcome))
            # What follows a broken setup would judge something else than was meant.
            if step.role in (Role.SETUP, Role.CHECK_SETUP) and outcome.exit_code != 0:
                break
        return done

    def _run(self, step: Step, uid: int) -> Outcome:
        self._number += 1
        case = self._plan.case
        self._settings.emit(StepStarted(case.id, self._submission.name, step.name, self._number, self._count))
        if self._lost:
            return _NEVER_RUN
        if self._settings.stop.is_set():
            self._lost = True
            return Outcome(Ending.SANDBOX_LOST, detail="The run was interrupted.")
        left = self._deadline.remaining_seconds()
        if left <= 0:
            return Outcome(
                Ending.TIMED_OUT,
                detail=f"It was not run: the whole case has {case.timeout_seconds:g} s, and they are over.",
            )
        outcome = self._sandbox.run(
            Command(
                argv=step.argv,
                cwd=step.cwd,
                env={**self._sandbox.env, **step.env},
                stdin=step.stdin,
                uid=uid,
                wall_seconds=min(step.wall_seconds, left),
                output_bytes=case.output_bytes,
                report=step.report,
            )
        )
        self._lost = outcome.ending is Ending.SANDBOX_LOST
        return outcome


def _result(case: Case, check: checks.CheckSpec, happened: _Happened) -> CheckResult:
    done = happened.done.get(check.name)
    if done:
        return checks.judge(check, case, done)
    judged = bool(happened.failures)
    reason = (happened.failures or happened.faults or ["it was not run"])[0]
    return CheckResult(
        name=check.name,
        type=check.type,
        status=Status.FAILED if judged else Status.ERROR,
        score=0.0 if judged else None,
        wanted=case.threshold if check.min_score is None else check.min_score,
        weight=check.weight,
        required=check.required,
        negate=check.negate,
        reason=f"not run: {reason}",
    )


def _own_record(done: Done) -> StepRecord:
    passed = done.outcome.exit_code == 0
    return record(done, passed=passed, reason="" if passed else ending_sentence(done))
