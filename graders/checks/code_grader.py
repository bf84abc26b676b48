"""The `code-grader` check: a command of the case's author judges the workspace."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from graders.checks import grader_json, patterns
from graders.checks.base import CheckSpec
from graders.checks.grader_io import grader_input
from graders.checks.judging import (
    ending_sentence,
    error,
    gate_closed,
    record,
    scored,
    unfinished,
    whose_fault,
)
from graders.model.case import Case, CommandSpec
from graders.model.evidence import Evidence, StepOutcome
from graders.model.plan import Role, Stage
from graders.model.tampering import Tampering, TamperingKind
from graders.model.verdict import CheckResult, StepRecord
from graders.runners import adapter, runner_report
from graders.runners.test_reports import (
    Assessment,
    ReportSpec,
    assess,
    few,
)
from sandbox.ending import Fault
from sandbox.types import Outcome

if TYPE_CHECKING:
    from graders.grading.planner import Planner


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
    """Run a command; its exit status, a test report, or one JSON object that it prints, is the score.

    Attributes:
        command: What is run.
        setup, teardown: Run before and after it, in the same state.
        protocol: ``exit`` or ``json``.
        expect: Narrows ``exit``.
        control: A command that must fail in the same state, or with ``json`` score 0; if it passes, the judge was bent.
        report: What the command writes about each test, which makes the score of ``exit`` one in parts.
        adapter: Which test runner the command may be, so that it is run through a runner of ours.
        config: The author's own data for the command, which finds it in what it can read.
    """

    type: ClassVar[str] = "code-grader"

    command: CommandSpec
    setup: tuple[CommandSpec, ...] = ()
    teardown: tuple[CommandSpec, ...] = ()
    protocol: str = "exit"
    expect: Expect = Expect()
    control: CommandSpec | None = None
    report: ReportSpec | None = None
    adapter: str = adapter.NONE
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
    main = planner.step(Role.CHECK, spec.name, spec.command, check=spec, stdin=stdin)
    main = adapter.adapt(main, spec.adapter)
    steps = [
        *setup,
        main if spec.report is None else replace(main, artifact=spec.report.path),
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
    main = next((ran for ran in done if ran.step.role is Role.CHECK), None)
    tampering = tuple(
        Tampering(
            TamperingKind.CONTROL_PASSED,
            f"its control {shlex.join(ran.step.command)} passed, which must fail",
            evidence=ending_sentence(ran),
        )
        for ran in done
        if ran.step.role is Role.CONTROL and _control_passed(spec, ran, main)
    )
    records = tuple(_record(spec, ran, main) for ran in done)
    if spoilt := _spoilt(spec, case, done, records, tampering):
        return spoilt
    if main is None:
        return error(spec, case, "its command was never run", records, tampering)
    adapted = _adapted(spec, main)
    tampering += adapted.tampering
    if adapted.missing:
        return error(spec, case, f"the program {adapted.missing!r} was not found", records, tampering)
    # A candidate that makes the judge crash or hang must not pass where its failure is wanted.
    broken = ending_sentence(main) if whose_fault(main) is Fault.CANDIDATE else adapted.reason
    if broken:
        return _gated(spec, unfinished(spec, case, broken, records, tampering))
    if spec.protocol == "json":
        return _by_json(spec, case, main, records, tampering)
    return _by_exit(spec, case, main, evidence, records, tampering)


def _control_passed(spec: CodeGrader, control: StepOutcome, main: StepOutcome | None) -> bool:
    """Say whether a control ended with success, and with the protocol `json` did not score 0."""
    if control.outcome.exit_code != 0:
        return False
    if spec.protocol != "json":
        return True
    score = _json_score(control)
    if score is None:
        # What the candidate prints beside a result makes the judge's own unreadable, too: that bends nothing.
        spoilt = main is not None and main.outcome.stdout.total_bytes > 0 and _json_score(main) is None
        return not (spoilt and control.outcome.stdout.total_bytes > 0)
    return score > 0


def _json_score(ran: StepOutcome) -> float | None:
    try:
        return grader_json.parse(ran.outcome).score
    except grader_json.GraderOutputInvalid:
        return None


def _spoilt(
    spec: CodeGrader,
    case: Case,
    done: Sequence[StepOutcome],
    records: tuple[StepRecord, ...],
    tampering: tuple[Tampering, ...],
) -> CheckResult | None:
    """Return the result where a command could not be run, or not to its end; None where all were."""
    asked = [ran for ran in done if ran.step.role is not Role.CHECK_TEARDOWN]
    for ran in asked:
        if whose_fault(ran) in (Fault.AUTHOR, Fault.OURS):
            return error(spec, case, f"{_OF_ROLE[ran.step.role]}{ending_sentence(ran)}", records, tampering)
    for ran in asked:
        if ran.cut_off:
            # Whoever uses up the time of the case must not come round a control, or turn a failure into an error.
            return _gated(spec, unfinished(spec, case, ending_sentence(ran), records, tampering))
        if ran.step.role is Role.CHECK_SETUP and ran.outcome.exit_code != 0:
            return error(spec, case, f"its setup failed: {ending_sentence(ran)}", records, tampering)
    return None


def _adapted(spec: CodeGrader, main: StepOutcome) -> runner_report.RunnerJudgment:
    """Judge what the adapter of the command said; of a command without one, nothing."""
    if not main.step.token:
        return runner_report.RunnerJudgment()
    # Where a failure is worth something, a status by itself must not be taken for one.
    rewarded = spec.negate or spec.report is not None or main.outcome.exit_code == spec.expect.exit_code
    return runner_report.judge(main.step, main.outcome, needs_end=rewarded)


def _by_json(
    spec: CodeGrader, case: Case, main: StepOutcome, records: tuple[StepRecord, ...], tampering: tuple[Tampering, ...]
) -> CheckResult:
    try:
        report = grader_json.parse(main.outcome)
    except grader_json.GraderOutputInvalid as problem:
        return error(spec, case, str(problem), records, tampering)
    return scored(spec, case, report.score, report.reasoning, records, tampering, report.details)


def _by_exit(
    spec: CodeGrader,
    case: Case,
    main: StepOutcome,
    evidence: Evidence,
    records: tuple[StepRecord, ...],
    tampering: tuple[Tampering, ...],
) -> CheckResult:
    status = main.outcome.exit_code
    # Where there is a report, any status may go with a part of the score.
    expect = spec.expect if spec.report is None else replace(spec.expect, exit_code=status or 0)
    try:
        wrong = unmet(expect, main.outcome)
    except patterns.PatternFault as problem:
        return error(spec, case, f"`stdout_regex` cannot be used: {problem}", records, tampering)
    if spec.report is None or wrong:
        return _gated(spec, scored(spec, case, 0.0 if wrong else 1.0, wrong, records, tampering))
    if status is None or main.artifact is None:
        return error(spec, case, "its test report was not fetched", records, tampering)
    found = assess(spec.report, status, main.artifact, evidence.tree)
    if boast := _overstated(spec, main, found):
        what = f"the report {spec.report.path} is not what the test runner saw: {boast}"
        seen = Tampering(TamperingKind.REPORT_DISAGREES, what, evidence=f"exit status {status}; {boast}")
        return _gated(spec, scored(spec, case, 0.0, what, records, (*tampering, *found.tampering, seen), found.details))
    result = scored(spec, case, found.score, found.reason, records, (*tampering, *found.tampering), found.details)
    return _gated(spec, result, found.missed)


def _overstated(spec: CodeGrader, main: StepOutcome, found: Assessment) -> str:
    runner = adapter.recognise(main.step.command, spec.adapter) if main.step.token else None
    if runner is None:
        return ""
    return runner_report.overstated(main.step, main.outcome, runner.runner, found.passed)


def _gated(spec: CodeGrader, result: CheckResult, missed: Sequence[str] | None = None) -> CheckResult:
    """Fail the verdict where tests that must pass did not: all of them, where it is not known which."""
    must_pass = spec.report.must_pass if spec.report is not None else ()
    return gate_closed(result, few(must_pass if missed is None else missed))


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


def _record(spec: CodeGrader, ran: StepOutcome, main: StepOutcome | None) -> StepRecord:
    match ran.step.role:
        case Role.CONTROL:
            passed, reason = not _control_passed(spec, ran, main), "a control must fail"
        case Role.CHECK if spec.protocol == "exit":
            reason = _unmet_or_fault(spec, ran)
            passed = not reason
        case _:
            passed, reason = ran.outcome.exit_code == 0, ending_sentence(ran)
    return record(ran, passed=passed, reason="" if passed else reason)


def _unmet_or_fault(spec: CodeGrader, ran: StepOutcome) -> str:
    if whose_fault(ran) is not Fault.NONE:
        return ending_sentence(ran)
    if said := _adapted(spec, ran).reason:
        return said
    try:
        return unmet(spec.expect, ran.outcome)
    except patterns.PatternFault as problem:
        return str(problem)
