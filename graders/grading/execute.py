"""Carries out a plan in one throwaway sandbox, and gathers what happens.

It decides nothing about scores. It stops where the next step could no longer judge the submission as intended: after a
failed setup, in a lost sandbox, or when the time of the case is used up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from gradebox.graders.checks.evaluation import references
from gradebox.graders.checks.grader_input.aggregator_results import aggregated, with_aggregator_input
from gradebox.graders.checks.grader_input.preprocessing import filled, text_of
from gradebox.graders.checks.results import failure_sentence, whose_fault
from gradebox.graders.grading import artifacts
from gradebox.graders.grading.capacity import TOO_MUCH, files_fill_sandbox, memory_is_used_up, unfit
from gradebox.graders.grading.internal_error import noting_faults
from gradebox.graders.grading.isolation import lay_out, surroundings
from gradebox.graders.grading.open_sandboxes import INTERRUPTED, open_sandbox
from gradebox.graders.grading.quieter import QUIET_SECONDS, becomes_quieter
from gradebox.graders.grading.services.group import ServiceGroup
from gradebox.graders.grading.services.leasing import leased
from gradebox.graders.grading.settings import Settings
from gradebox.graders.grading.stages import feedback, sequence
from gradebox.graders.languages.language import started
from gradebox.graders.model import time_limit
from gradebox.graders.model.events import StepStarted
from gradebox.graders.model.evidence import Evidence, Observations, StepOutcome
from gradebox.graders.model.plan import Plan, Role, Stage, Step
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.tree import parents
from gradebox.graders.runners.shell_text import by_stdin
from gradebox.sandbox import profiles
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import SandboxLost, WorkspaceRefused
from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Ending, Outcome

_NEVER_RUN = Outcome(Ending.SANDBOX_LOST, detail="It was not run, because the sandbox had been lost before.")
# Only the candidate can use up a sandbox's memory, so steps that this prevents are its failure and no error.
_NO_MEMORY_LEFT = Outcome(
    Ending.OUT_OF_MEMORY, detail="It was not run, because a command before it had used up the whole sandbox's memory."
)
# Likewise a failure: the candidate has ended a service.
_NO_SERVICE = Outcome(Ending.TIMED_OUT, detail="It was not run, because a service had ended while the submission ran.")
# Likewise a failure: the candidate has stopped the sandbox's own kernel.
_NO_ANSWER = Outcome(
    Ending.TIMED_OUT, detail="It was not run, because a command before it had made the whole sandbox stop answering."
)
_ENDS_THE_REST = {Ending.OUT_OF_MEMORY: _NO_MEMORY_LEFT, Ending.TIMED_OUT: _NO_ANSWER}


def execute(engine: Engine, plan: Plan, settings: Settings, repeat: int = 1) -> Observations:
    """Carry out a plan in its own sandbox, and return the observations. Never raises: faults are recorded in them."""
    observed = Observations()
    limits = profiles.limits(settings.profile, plan.limits)
    if plan.submission.fault:
        observed.faults.append(plan.submission.fault)
    elif problem := plan.problem or unfit(plan, limits):
        observed.failures.append(problem)
    elif settings.stop.is_set():
        observed.faults.append(INTERRUPTED)
    else:
        with noting_faults(observed.faults), settings.turn(plan.case):
            _execute(engine, plan, settings, limits, observed, repeat)
    return observed


def _execute(
    engine: Engine, plan: Plan, settings: Settings, limits: Limits, observed: Observations, repeat: int
) -> None:
    if plan.setup is None and limits.network not in settings.profile.networks:
        limits = replace(limits, network=Network.NONE)
    spec = settings.sandbox_spec(
        plan.image, limits, time_limit.longest_seconds(plan.case.whole_seconds) + QUIET_SECONDS
    )
    hidden = {str(path.resolve()) for path in (plan.case.directory, *plan.case.roots)}
    spec = replace(spec, apart=any(stage.apart for stage in plan.stages), hidden=tuple(sorted(hidden)))
    # Sandboxes made ahead are not in the network of the services.
    own = replace(settings, spares=None) if plan.services else settings
    with leased(engine, plan, settings) as group, open_sandbox(engine, group.beside(spec), own) as sandbox:
        observed.image_id, observed.machine = sandbox.image.id, settings.machine_of(sandbox.guarantees)
        observed.gaps = (*profiles.shortfall(settings.profile, settings.runtime), *sandbox.gaps)
        group.make_ready(sandbox)
        observed.services = group.image_ids
        try:
            Execution(engine, sandbox, plan, settings, observed, repeat, cpus=limits.cpus, services=group).run()
        except WorkspaceRefused as error:
            failure = files_fill_sandbox(plan, limits, error)
            (observed.failures if failure else observed.faults).append(failure or str(error))
            observed.in_question = error.errno not in TOO_MUCH
        except SandboxLost:
            failure = memory_is_used_up(plan, limits) if sandbox.used_up else ""
            if not failure:
                raise
            observed.failures.append(failure)


class Execution:
    """Carries out a plan in one open sandbox."""

    def __init__(
        self,
        engine: Engine,
        sandbox: Sandbox,
        plan: Plan,
        settings: Settings,
        observed: Observations,
        repeat: int = 1,
        *,
        services: ServiceGroup,
        cpus: float,
    ) -> None:
        self._engine = engine
        self._services, self._sandbox = services, sandbox
        self._plan = plan
        self._settings = settings
        self._observed = observed
        self._repeat = repeat
        self._cpus = cpus
        # The time left for the whole case; delays by a busy machine do not count.
        self._left = whole = plan.case.whole_seconds
        self._whole = f"{whole:g} s of processor time, or {time_limit.wall_seconds(whole):g} s of wall time"
        self._patience = time_limit.patience_seconds(plan.case.whole_seconds)
        self._count = sum(len(stage.steps) for stage in plan.every_stage)
        self._number, self._lost, self._never_run = 0, False, _NEVER_RUN

    def run(self) -> None:
        """Run the setup, the stages of all checks, and the teardown."""
        plan, sandbox, observed = self._plan, self._sandbox, self._observed
        sandbox.put(plan.laid.in_order(reverse=plan.case.reversed_files), uid=sandbox.uid(0))
        self._scrub()
        if plan.setup is not None:
            sandbox.snapshot()
            if not self._set_up(plan.setup):
                return
            if plan.limits.network in profiles.SETUP.networks - self._settings.profile.networks:
                sandbox.disconnect()
            self._take_back(plan.setup)
            self._scrub()
        sandbox.snapshot()
        evidence = Evidence.of(plan, observed.judgments)
        for check, grouped in groupby(plan.stages, key=lambda stage: stage.check or ""):
            stages = tuple(grouped)
            if plan.case.judge is not None and (path := aggregated(plan.case, stages[0])):
                from gradebox.graders.grading.words import ask_judges  # noqa: PLC0415 - most cases have no judge

                names = {path[0].name, *references(path[0])}
                known = [one for one in plan.case.checks if one.name in names]
                ask_judges(self._engine, plan, observed, self._settings, known)
            # All of a check or nothing: a check that is cut off must not be judged by its first half.
            ready = [with_aggregator_input(stage, plan.case, evidence, observed.done) for stage in stages]
            observed.done[check] = sequence.carried_out(ready, self._stage, lambda: sandbox.snapshot(built=True))
            observed.tampering.extend(
                Tampering(TamperingKind.PROTECTED_FILE_CHANGED, f"it replaced {path} while it ran", path, check)
                for done in observed.done[check]
                for path in done.outcome.replaced
            )
        self._has_lost_service()
        if plan.teardown is not None:
            observed.own.extend(self._stage(plan.teardown))
        if not self._lost:
            observed.memory = sandbox.stat()
            self._services.part_from(sandbox)

    def _set_up(self, stage: Stage) -> bool:
        done = self._stage(stage)
        self._observed.own.extend(done)
        broken = next((ran for ran in done if ran.outcome.exit_code != 0), None)
        if broken is None:
            return True
        sentence = failure_sentence(broken)
        gradable = self._plan.case.setup_gradable and broken.step.role is Role.SETUP
        gradable = gradable and whose_fault(broken) in (Fault.NONE, Fault.CANDIDATE)
        (self._observed.failures if gradable else self._observed.faults).append(sentence)
        # A brief outage of the network would look like the submission's fault.
        is_alone = self._plan.limits.network is Network.NONE
        self._observed.in_question = is_alone and whose_fault(broken) is not Fault.OURS
        return False

    def _take_back(self, stage: Stage) -> None:
        """Remove the files delivered to a stage, since later stages must not see them."""
        delivered = {entry.path for entry in stage.delivered}
        outermost = [path for path in delivered if delivered.isdisjoint(parents(path))]
        if not outermost:
            return
        self._sandbox.scrub(
            self._plan.removed_globs, self._plan.kept_files, paths=(*self._plan.removed_paths, *outermost)
        )
        covered = [entry for path in outermost for entry in self._plan.laid.below(path)]
        if covered:
            self._sandbox.put(sorted(covered, key=lambda entry: entry.path), uid=self._sandbox.uid(0))

    def _scrub(self) -> None:
        scrubbed = self._sandbox.scrub(self._plan.removed_globs, self._plan.kept_files, paths=self._plan.removed_paths)
        if not self._observed.own:
            # Before the first command, all removed files were submitted. If there are very many, not all are listed.
            self._observed.removed_count += scrubbed.count - len(scrubbed.paths)
        self._note_removed(scrubbed.paths)

    def _note_removed(self, paths: Iterable[str]) -> None:
        # Only submitted files are reported. Files left by the setup (mostly bytecode) are no attempt to interfere.
        for path in paths:
            if path in self._plan.laid.entries and path not in self._observed.removed:
                self._observed.removed[path] = None
                self._observed.removed_count += 1

    def _stage(self, stage: Stage) -> list[StepOutcome]:
        if self._lost:
            return [self._skipped(step) for step in stage.steps]
        if stage.beside and self._has_lost_service():
            return [StepOutcome(step, _NO_SERVICE, cut_off=True) for step in stage.steps]
        number = self._number
        done = self._attempt(stage)
        starved = any(ran.outcome.ending is Ending.STARVED for ran in done)
        # No second attempt with services, since it would find them changed.
        if starved and not self._plan.services and becomes_quieter(self._sandbox, self._settings):
            self._number = number
            done = self._attempt(stage)
        return done

    def _has_lost_service(self) -> bool:
        """Return whether a service has ended, and note that as a failure or a fault."""
        why, of_candidate = self._services.why_ended()
        noted = self._observed.failures if of_candidate else self._observed.faults
        if why and why not in noted:
            noted.append(why)
        return bool(why)

    def _attempt(self, stage: Stage) -> list[StepOutcome]:
        # If no time is left, no files are laid out: for many stages this would exceed the sandbox's lifetime, and a
        # slow candidate would seem to have lost the sandbox.
        sandbox = self._sandbox
        if self._left > 0 and stage.beside:
            sandbox = self._services.lay_out(stage, self._sandbox)
        elif self._left > 0:
            lay_out(sandbox, self._plan, stage)
        done: list[StepOutcome] = []
        texts: dict[str, str] = {}
        for step in stage.steps:
            ran = feedback.fetched(sandbox, stage, self._run(filled(step, texts), stage, sandbox))
            done.append(ran)
            if step.fills:
                texts[step.fills] = text_of(ran)
            # Steps after a failed setup could not judge as intended.
            if step.role in (Role.HOOK, Role.SETUP, Role.CHECK_SETUP) and ran.outcome.exit_code != 0:
                break
        return done

    def _run(self, step: Step, stage: Stage, sandbox: Sandbox) -> StepOutcome:
        self._number += 1
        if self._settings.stop.is_set() and not self._lost:
            self._lost = True
            return StepOutcome(step, Outcome(Ending.SANDBOX_LOST, detail=INTERRUPTED))
        if self._lost:
            return self._skipped(step)
        if self._left <= 0:
            detail = f"It was not run: the time of the whole case is over: {self._whole}."
            return StepOutcome(step, Outcome(Ending.TIMED_OUT, detail=detail), cut_off=True)
        case, name = self._plan.case, self._plan.submission.name
        self._settings.emit(StepStarted(case.id, name, step.name, self._number, self._count, case.target, self._repeat))
        if step.artifact:
            self._note_removed(artifacts.clear(sandbox, step.artifact))
        limit = min(step.limit_seconds, self._left)
        argv, stdin = by_stdin(step) if step.input is None else (step.argv, step.input.read())
        argv = started(argv, sandbox.image.labels) if step.role is Role.ITEM else argv
        command = Command(
            argv=argv,
            cwd=step.cwd,
            stdin=stdin,
            wall_seconds=time_limit.wall_seconds(limit),
            cpu_seconds=time_limit.cpu_seconds(limit, self._cpus),
            patience_seconds=min(time_limit.patience_seconds(limit), self._patience),
            output_bytes=min(case.output_bytes, step.output_bytes or case.output_bytes),
            report=step.report,
            capture_bytes=step.capture_bytes,
            shielded=step.shielded or (step.role in (Role.CHECK, Role.CONTROL) and not step.token),
            forks=step.forks,
            input_file=step.reads_file,
            **surroundings(sandbox, self._plan, stage, step),
        )
        outcome = sandbox.run(command)
        self._left -= time_limit.spent_seconds(outcome.usage, self._cpus)
        self._patience = max(1.0, self._patience - outcome.usage.held_up_seconds)
        self._lost = sandbox.lost
        if self._lost:
            self._never_run = _ENDS_THE_REST.get(outcome.ending, _NEVER_RUN)
        if outcome.ending is Ending.TIMED_OUT and limit < step.limit_seconds:
            detail = f"It was still running when the time of the whole case was over: {self._whole}."
            return StepOutcome(step, replace(outcome, detail=detail), cut_off=True)
        made = step.artifact and outcome.ending is Ending.EXITED
        artifact = artifacts.fetch(sandbox, command, step.artifact) if made else None
        return StepOutcome(step, outcome, artifact=artifact)

    def _skipped(self, step: Step) -> StepOutcome:
        return StepOutcome(step, self._never_run, cut_off=self._never_run is not _NEVER_RUN)
