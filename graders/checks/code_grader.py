"""The `code-grader` check: a command of the case's author judges the workspace."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from graders.case import Case, CommandSpec
from graders.checks import grader_json, patterns
from graders.checks.grader_input import grader_input
from graders.checks.judging import Done, ending_sentence, error, record, scored, unfinished, whose_fault
from graders.checks.spec import CheckSpec
from graders.evidence import Evidence
from graders.steps import Role, Stage
from graders.verdict import CheckResult, StepRecord
from sandbox.ending import Fault
from sandbox.types import Outcome

if TYPE_CHECKING:
    from graders.plan import Planner


@dataclass(frozen=True, slots=True)
class Expect:
    """What narrows the `exit` protocol beyond "exit status 0".

    Attributes:
        exit_code: The status that passes.
        stdout, stderr: Exact text that must have been printed, None for any.
        stdout_regex: Must be found in what was printed, None for any.
    """

    exit_code: int = 0
    stdout: str | None = None
    stderr: str | None = None
    stdout_regex: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeGrader(CheckSpec):
    """Run a command; its exit status, or one JSON object that it prints, is the score.

    Attributes:
        command: What is run.
        setup, teardown: Run before and after it, in the same state.
        protocol: ``exit`` or ``json``.
        expect: Narrows ``exit``.
        control: A command that must fail in the same state; if it passes, the judge was bent.
        config: The author's own data for the command, which finds it in what it can read.
    """

    type: ClassVar[str] = "code-grader"

    command: CommandSpec
    setup: tuple[CommandSpec, ...] = ()
    teardown: tuple[CommandSpec, ...] = ()
    protocol: str = "exit"
    expect: Expect = Expect()
    control: CommandSpec | None = None
    config: Mapping[str, Any] = field(default_factory=dict)


_OF_ROLE = {
    Role.CHECK_SETUP: "its setup could not be run: ",
    Role.CHECK: "",
    Role.CONTROL: "its control could not be run: ",
}


def stages(spec: CodeGrader, case: Case, planner: Planner) -> tuple[Stage, ...]:
    """Return the stage of the command, and one of its own for the control, which the same setup goes before."""
    stdin = grader_input(case, spec, planner.handed_over, spec.config)
    setup = [planner.step(Role.CHECK_SETUP, f"{spec.name} setup", command, check=spec) for command in spec.setup]
    steps = [
        *setup,
        planner.step(Role.CHECK, spec.name, spec.command, check=spec, stdin=stdin),
        *(planner.step(Role.CHECK_TEARDOWN, f"{spec.name} teardown", command, check=spec) for command in spec.teardown),
    ]
    listed = [planner.stage(spec.name, steps, spec.name)]
    if spec.control is not None:
        step = planner.step(Role.CONTROL, f"{spec.name} control", spec.control, check=spec, stdin=stdin)
        listed.append(planner.stage(f"{spec.name} control", [*setup, step], spec.name))
    return tuple(listed)


def judge(spec: CodeGrader, case: Case, evidence: Evidence) -> CheckResult:
    """Judge the command by its exit status, or by the JSON that it printed where that was declared."""
    done = evidence.done
    tampering = tuple(
        f"its control {shlex.join(ran.step.argv)} passed, which must fail"
        for ran in done
        if ran.step.role is Role.CONTROL and ran.outcome.exit_code == 0
    )
    records = tuple(_record(spec, ran) for ran in done)
    asked = [ran for ran in done if ran.step.role is not Role.CHECK_TEARDOWN]
    for ran in asked:
        if whose_fault(ran) in (Fault.AUTHOR, Fault.OURS):
            return error(spec, case, f"{_OF_ROLE[ran.step.role]}{ending_sentence(ran)}", records, tampering)
    for ran in asked:
        if ran.cut_off:
            # Whoever uses up the time of the case must not come round a control, or turn a failure into an error.
            return unfinished(spec, case, ending_sentence(ran), records, tampering)
        if ran.step.role is Role.CHECK_SETUP and ran.outcome.exit_code != 0:
            return error(spec, case, f"its setup failed: {ending_sentence(ran)}", records, tampering)
    main = next((ran for ran in done if ran.step.role is Role.CHECK), None)
    if main is None:
        return error(spec, case, "its command was never run", records, tampering)
    if whose_fault(main) is Fault.CANDIDATE:
        return scored(spec, case, 0.0, ending_sentence(main), records, tampering)
    if spec.protocol == "json":
        try:
            report = grader_json.parse(main.outcome)
        except grader_json.Unreadable as problem:
            return error(spec, case, str(problem), records, tampering)
        return scored(spec, case, report.score, report.reasoning, records, tampering, report.details)
    return _by_exit(spec, case, main.outcome, records, tampering)


def _by_exit(
    spec: CodeGrader, case: Case, outcome: Outcome, records: tuple[StepRecord, ...], tampering: tuple[str, ...]
) -> CheckResult:
    try:
        wrong = unmet(spec.expect, outcome)
    except patterns.PatternFault as problem:
        return error(spec, case, f"`stdout_regex` cannot be used: {problem}", records, tampering)
    return scored(spec, case, 0.0 if wrong else 1.0, wrong, records, tampering)


def unmet(expect: Expect, outcome: Outcome) -> str:
    """Say what an exited command did not do as expected; empty when it did all.

    Raises:
        PatternFault: If the regular expression cannot be used on what was printed.
    """
    if outcome.exit_code != expect.exit_code:
        wanted = "" if expect.exit_code == 0 else f", {expect.exit_code} was expected"
        return f"exit status {outcome.exit_code}{wanted}"
    for name, wanted_text, capture in (
        ("stdout", expect.stdout, outcome.stdout),
        ("stderr", expect.stderr, outcome.stderr),
    ):
        if wanted_text is not None and (not capture.complete or capture.text() != wanted_text):
            return f"{name} is not what was expected"
    if expect.stdout_regex is not None and not patterns.found(expect.stdout_regex, outcome.stdout.text()):
        return "stdout does not match what was expected"
    return ""


def _record(spec: CodeGrader, ran: Done) -> StepRecord:
    match ran.step.role:
        case Role.CONTROL:
            passed, reason = ran.outcome.exit_code != 0, "a control must fail"
        case Role.CHECK if spec.protocol == "exit":
            reason = _unmet_or_fault(spec, ran)
            passed = not reason
        case _:
            passed, reason = ran.outcome.exit_code == 0, ending_sentence(ran)
    return record(ran, passed=passed, reason="" if passed else reason)


def _unmet_or_fault(spec: CodeGrader, ran: Done) -> str:
    if whose_fault(ran) is not Fault.NONE:
        return ending_sentence(ran)
    try:
        return unmet(spec.expect, ran.outcome)
    except patterns.PatternFault as problem:
        return str(problem)
