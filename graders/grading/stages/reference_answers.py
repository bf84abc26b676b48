"""Takes missing expected outputs of tests from the output of the reference, once for each content of a case.

The reference runs in its own sandbox, which contains nothing of a submission. If it fails, the case is at fault.
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial

from gradebox.graders.checks.io.io import FROM_REFERENCE, IoCheck
from gradebox.graders.checks.results import failure_sentence
from gradebox.graders.errors import CaseRefused
from gradebox.graders.grading.execute import execute
from gradebox.graders.grading.fingerprint import content_key
from gradebox.graders.grading.open_sandboxes import retry_while_away
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, CaseCheck
from gradebox.graders.model.expectation import Content, OutputComparison
from gradebox.graders.model.plan import Plan, Role, Stage
from gradebox.graders.submissions.source import read_reference
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.records import dataclass

Answers = dict[str, Content]
"""The outputs of the reference, by test name."""


@dataclass(slots=True)
class _Recorder:
    """Accepts and keeps every output."""

    digest: str = "recorded"
    outputs: list[bytes] = field(default_factory=list)

    def compare(self, output: bytes) -> OutputComparison:
        self.outputs.append(output)
        return OutputComparison(accepted=True)


def with_reference_answers(engine: Engine, case: Case, settings: Settings) -> Case:
    """Return a case whose tests all have an expected output; the same case if they already have one.

    Raises:
        CaseRefused: If there is no reference, or it prints no output for a test.
        GraderError, SandboxError, OSError: As grading does.
    """
    wanted = [check for check in case.checks if isinstance(check, IoCheck) and check.lacks_answers]
    if not wanted:
        return case
    reference = read_reference(case)
    if reference is None:
        raise CaseRefused(f"{wanted[0].place}: `answers: {FROM_REFERENCE}` needs a reference; the case has none.")
    image = settings.image_of(case)
    image_id = retry_while_away(lambda: engine.image(image), settings).id
    plan = prepare(case, reference, image=image)
    content = content_key(plan, image_id=image_id, sandbox=f"{settings.profile.name} {settings.runtime or ''} answers")
    answers = {
        check.name: settings.baselines.answers.get(
            f"{content} {check.name}", partial(_found, engine, plan, check, settings)
        )
        for check in wanted
    }
    return replace(case, checks=tuple(_answered(check, answers.get(check.name)) for check in case.checks))


def _found(engine: Engine, plan: Plan, check: IoCheck, settings: Settings) -> Answers:
    recorders: dict[str, _Recorder] = {}

    def recording(stage: Stage) -> Stage:
        recorder = recorders[stage.steps[0].name] = _Recorder()
        return replace(stage, expected=recorder, stops_with="")

    own = [stage for stage in plan.stages if stage.check == check.name and not stage.output_path]
    stages = tuple(stage if stage.builds else recording(stage) for stage in own)
    observed = execute(engine, replace(plan, stages=stages, teardown=None), replace(settings, emit=lambda _: None))
    for problem in (*observed.faults, *observed.failures):
        raise CaseRefused(f"{check.place}: {check.name}: the reference gives no answers: {problem}")
    for ran in observed.done[check.name]:
        if ran.step.role is Role.BUILD and ran.outcome.exit_code != 0:
            raise CaseRefused(f"{check.place}: {check.name}: the reference gives no answers: {failure_sentence(ran)}")
        if ran.step.role is Role.TEST and ran.comparison is None:
            raise CaseRefused(f"{check.place}: {check.name}: the reference gives no answer: {failure_sentence(ran)}")
    return {name: Content.of(recorder.outputs[-1]) for name, recorder in recorders.items()}


def _answered(check: CaseCheck, answers: Answers | None) -> CaseCheck:
    if not isinstance(check, IoCheck) or answers is None:
        return check
    return check.but(tests=tuple(test.but(answer=test.answer or answers[test.name]) for test in check.tests))
