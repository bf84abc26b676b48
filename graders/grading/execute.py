"""Walks through a plan in one open sandbox, and gathers what happens.

It decides nothing about scores. What it refuses is to go on where the next step would judge something else than was
meant: after a setup that failed, in a sandbox that is lost, after the time of the case.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from threading import Event as Flag

from graders.checks.composite import with_aggregator_input
from graders.checks.judging import ending_sentence, whose_fault
from graders.grading import artifacts
from graders.grading.fingerprint import Key
from graders.grading.outage import Outage
from graders.model.case import Case
from graders.model.events import Event, StepStarted
from graders.model.evidence import Evidence, StepOutcome
from graders.model.plan import (
    Plan,
    Role,
    Stage,
    Step,
)
from graders.model.result import Result
from graders.model.submission import Submission
from graders.model.tampering import Tampering, TamperingKind
from graders.model.tree import Tree, parents
from sandbox.deadline import Deadline
from sandbox.defences import Defence, is_on
from sandbox.ending import Fault
from sandbox.profiles import DEFAULT, SETUP, Profile
from sandbox.session import Sandbox
from sandbox.types import (
    Command,
    Ending,
    MemoryState,
    Outcome,
)

_NEVER_RUN = Outcome(Ending.SANDBOX_LOST, detail="It was not run, because the sandbox had been lost before.")
# Only the candidate can use up a sandbox's memory, so what this prevents is its failure and no error.
_NO_MEMORY_LEFT = Outcome(
    Ending.OUT_OF_MEMORY,
    detail="It was not run, because a command before it had used up the memory of the whole sandbox.",
)
# As above, for a sandbox whose own kernel the candidate has stopped.
_NO_ANSWER = Outcome(
    Ending.TIMED_OUT,
    detail="It was not run, because a command before it had made the whole sandbox stop answering.",
)
_TAKEN_ALONG = {Ending.OUT_OF_MEMORY: _NO_MEMORY_LEFT, Ending.TIMED_OUT: _NO_ANSWER}
INTERRUPTED = "The run was interrupted."


@dataclass(frozen=True, slots=True)
class Settings:
    """What a grading needs besides the case and the submission.

    Attributes:
        image_of: Returns the image reference for a case.
        runners: Source of the item runners, by language.
        profile: What sandboxes may do beside what a case says.
        runtime: OCI runtime, None for the engine's default.
        emit: Is told what goes on.
        stop: When set, nothing new begins.
        live: The sandboxes that are open, for whoever sets `stop` and kills them.
        outage: Since when the engine has been away.
        known: Returns a verdict that need not be found again, given its key and the content it depends on (None while
            that is not known).
    """

    image_of: Callable[[Case], str]
    runners: Mapping[str, str]
    profile: Profile = DEFAULT
    runtime: str | None = None
    emit: Callable[[Event], None] = lambda _: None
    stop: Flag = field(default_factory=Flag)
    live: dict[int, Sandbox] = field(default_factory=dict)
    outage: Outage = field(default_factory=Outage)
    known: Callable[[Key, str | None], Result | None] = lambda *_: None


@dataclass(slots=True)
class Observations:
    """What a sandbox showed, gathered while its plan is carried out."""

    done: dict[str, list[StepOutcome]] = field(default_factory=dict)
    own: list[StepOutcome] = field(default_factory=list)
    removed: dict[str, None] = field(default_factory=dict)
    removed_count: int = 0
    faults: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    memory: MemoryState = field(default_factory=MemoryState)
    image_id: str = ""
    gaps: tuple[str, ...] = ()
    tampering: list[Tampering] = field(default_factory=list)


class Conductor:
    """Walks through a plan in one open sandbox."""

    def __init__(
        self,
        sandbox: Sandbox,
        plan: Plan,
        submission: Submission,
        settings: Settings,
        happened: Observations,
        repeat: int = 1,
    ) -> None:
        self._sandbox = sandbox
        self._plan = plan
        self._submission = submission
        self._settings = settings
        self._happened = happened
        self._repeat = repeat
        self._deadline = Deadline.after(plan.case.timeout_seconds)
        every = [plan.setup, *plan.stages, plan.teardown]
        self._count = sum(len(stage.steps) for stage in every if stage is not None)
        self._number = 0
        self._lost = False
        self._never_run = _NEVER_RUN

    def conduct(self) -> None:
        plan, sandbox = self._plan, self._sandbox
        sandbox.put(plan.laid.entries.values(), uid=sandbox.uid(0))
        self._scrub()
        if plan.setup is not None:
            sandbox.snapshot()
            if not self._set_up(plan.setup):
                return
            if plan.limits.network in SETUP.networks - self._settings.profile.networks:
                sandbox.disconnect()
            self._take_back(plan.setup)
            self._scrub()
        sandbox.snapshot()
        known = evidence_of(self._submission, plan)
        for check, stages in groupby(plan.stages, key=lambda stage: stage.check or ""):
            # All of a check or nothing: what is cut off in the middle must not be judged by its first half.
            ready = [with_aggregator_input(stage, plan.case, known, self._happened.done) for stage in stages]
            self._happened.done[check] = [done for stage in ready for done in self._stage(stage)]
            self._happened.tampering.extend(
                Tampering(TamperingKind.PROTECTED_FILE_CHANGED, f"it replaced {path} while it ran", path, check)
                for done in self._happened.done[check]
                for path in done.outcome.replaced
            )
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
        sentence = f"{broken.step.name} ({shlex.join(broken.step.command)}) failed: {ending_sentence(broken)}"
        ours = whose_fault(broken) in (Fault.AUTHOR, Fault.OURS)
        graded = self._plan.case.setup_gradable and broken.step.role is Role.SETUP and not ours
        (self._happened.failures if graded else self._happened.faults).append(sentence)
        return False

    def _take_back(self, stage: Stage) -> None:
        """Remove what was delivered to a stage, so that what comes after it does not see what it may not."""
        delivered = {entry.path for entry in stage.delivered}
        outermost = [path for path in delivered if delivered.isdisjoint(parents(path))]
        if not outermost:
            return
        self._sandbox.scrub(self._plan.scrubbed, self._plan.kept, paths=(*self._plan.taken, *outermost))
        covered = [entry for path in outermost for entry in self._plan.laid.below(path)]
        if covered:
            self._sandbox.put(sorted(covered, key=lambda entry: entry.path), uid=self._sandbox.uid(0))

    def _scrub(self) -> None:
        scrubbed = self._sandbox.scrub(self._plan.scrubbed, self._plan.kept, paths=self._plan.taken)
        if not self._happened.own:
            # Before anything ran all of it was handed in, and of very much not every path is named.
            self._happened.removed_count += scrubbed.count - len(scrubbed.paths)
        self._tell_removed(scrubbed.paths)

    def _tell_removed(self, paths: Iterable[str]) -> None:
        # What setup itself left behind (bytecode, mostly) is nobody's attempt; only what was handed in is told.
        for path in paths:
            if path in self._plan.laid.entries and path not in self._happened.removed:
                self._happened.removed[path] = None
                self._happened.removed_count += 1

    def _stage(self, stage: Stage) -> list[StepOutcome]:
        if self._lost:
            return [self._skipped(step) for step in stage.steps]
        uid = self._sandbox.uid(stage.user)
        # Where nothing of it will run, nothing is laid out: with many stages that would take longer than the sandbox
        # may live, and a candidate that is too slow would have lost it.
        if not self._deadline.passed:
            self._lay_out(stage, uid)
        done: list[StepOutcome] = []
        for step in stage.steps:
            ran = self._run(step, uid)
            done.append(ran)
            # What follows a broken setup would judge something else than was meant.
            if step.role in (Role.HOOK, Role.SETUP, Role.CHECK_SETUP) and ran.outcome.exit_code != 0:
                break
        return done

    def _lay_out(self, stage: Stage, uid: int) -> None:
        """Bring the sandbox into the state from which a stage begins."""
        if is_on(Defence.RESET):
            self._sandbox.reset(uid)
        if self._plan.restored:
            self._sandbox.put(self._plan.restored, protect=True)
        delivered = stage.delivered
        if not is_on(Defence.OWN_FILES_FIRST):
            delivered = tuple(entry for entry in delivered if entry.path not in self._plan.laid.entries)
        if delivered:
            protect = is_on(Defence.PROTECTED_DELIVERY)
            self._sandbox.put(delivered, uid=0 if protect else uid, protect=protect)

    def _run(self, step: Step, uid: int) -> StepOutcome:
        self._number += 1
        case = self._plan.case
        if self._settings.stop.is_set() and not self._lost:
            self._lost = True
            return StepOutcome(step, Outcome(Ending.SANDBOX_LOST, detail=INTERRUPTED))
        if self._lost:
            return self._skipped(step)
        left = self._deadline.remaining_seconds()
        if left <= 0:
            detail = f"It was not run: the whole case has {case.timeout_seconds:g} s, and they are over."
            return StepOutcome(step, Outcome(Ending.TIMED_OUT, detail=detail), cut_off=True)
        self._settings.emit(
            StepStarted(case.id, self._submission.name, step.name, self._number, self._count, case.target, self._repeat)
        )
        if step.artifact:
            self._tell_removed(artifacts.clear(self._sandbox, step.artifact))
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
        self._lost = self._sandbox.lost
        if self._lost:
            self._never_run = _TAKEN_ALONG.get(outcome.ending, _NEVER_RUN)
        if outcome.ending is Ending.TIMED_OUT and left < step.wall_seconds:
            detail = f"It was still running when the {case.timeout_seconds:g} s of the whole case were over."
            return StepOutcome(step, replace(outcome, detail=detail), cut_off=True)
        wanted = step.artifact and outcome.ending is Ending.EXITED
        return StepOutcome(step, outcome, artifact=artifacts.fetch(self._sandbox, step.artifact) if wanted else None)

    def _skipped(self, step: Step) -> StepOutcome:
        return StepOutcome(step, self._never_run, cut_off=self._never_run is not _NEVER_RUN)


def evidence_of(submission: Submission, plan: Plan | None) -> Evidence:
    """Return what is known of a submission before anything was run."""
    return Evidence(
        output=submission.output,
        transcript=submission.transcript,
        tree=plan.laid if plan else Tree(),
        before=plan.workspace if plan else Tree(),
    )
