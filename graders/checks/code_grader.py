"""The `code-grader` check: a command that the case's author wrote judges the workspace."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from gradebox.graders.checks import grader_json, results
from gradebox.graders.checks.base import ApartCheck, CheckPlanner, Reading
from gradebox.graders.checks.expect import Expect, unmet
from gradebox.graders.checks.grader_input import preprocessing
from gradebox.graders.checks.grader_input.case_messages import input_entries, named_files
from gradebox.graders.checks.grader_io import asks_model, grader_input
from gradebox.graders.checks.results import ending_sentence, error, record, scored, unfinished
from gradebox.graders.checks.text import patterns
from gradebox.graders.documents.commands import Command, CommandList
from gradebox.graders.documents.entries import WrittenAs, also, optional
from gradebox.graders.documents.fields import FreeMapping, Name, OneOf
from gradebox.graders.model.case import Case, CommandSpec
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Role, Stage, User
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict import CheckResult, StepRecord
from gradebox.graders.runners import AUTO, NONE, names, runner_report
from gradebox.graders.runners.adapter import adapt, hint, recognise
from gradebox.graders.runners.test_reports.assessment import Assessment, assess, few, unloaded
from gradebox.graders.runners.test_reports.report_entry import ReportEntry
from gradebox.sandbox.ending import Fault

_EXIT = "Remove it, or add `protocol: exit`."
_OF_ROLE = {Role.CHECK_SETUP: "its setup could not be run: ", Role.CONTROL: "its control could not be run: "}


class CodeGrader(ApartCheck):
    """A command that judges the workspace."""

    type = "code-grader"
    spellings = ("code-judge", "script")
    free = True
    internal = ApartCheck.internal | {"older"}

    command: Command = Field(validation_alias=also("script"), description="A list of words, or a line for `sh -c`.")
    setup: CommandList = optional("Runs before the command, in the same state of the workspace.", default=())
    teardown: CommandList = optional("Runs after the command.", default=())
    protocol: Literal["exit", "json"] = optional(
        "`exit`: exit status 0 scores 1. `json`: one JSON object on stdout has the score. `json` is the default "
        "for the types `code-judge` and `script`, and with the field `script`.",
        default="exit",
    )
    expect: Expect = optional("Further conditions for the protocol `exit`.", default_factory=Expect)
    control: Command | None = optional("A command that must fail in the same state of the workspace.")
    report: ReportEntry | None = optional(
        "A test report that the command writes: the share of the tests that passed is the score."
    )
    adapter: Annotated[str, OneOf(names)] = optional(
        "The test runner that the command starts. `auto`: detect it. `none`: run the command unchanged.", default=AUTO
    )
    config: FreeMapping = optional("Data that the command receives as `config`.", default_factory=dict)
    stdin: Literal["grader", "none"] | None = optional(
        "`grader`: stdin describes case and submission. Default: `grader` for the case's own programs, else `none`."
    )
    isolation: Literal["apart", "in-process"] | None = optional("Overrides the case's `isolation`.")
    after: Literal["candidate"] | None = optional(
        "`candidate`: the command runs beside a service, without the submission, after all processes of the "
        "submission have ended."
    )
    service: Name | None = optional("For `after`: the service beside which the command runs. Default: the only one.")
    older: SkipJsonSchema[Annotated[bool, WrittenAs(Any)]] = False

    def completed(self, reading: Reading) -> Self | None:
        """Decide the protocol, and refuse fields that do not belong to it."""
        written = self.model_fields_set
        protocol = "json" if reading.old_name and "protocol" not in written else self.protocol
        if "expect" in written and protocol == "json":
            reading.error(("expect",), "`expect` narrows the protocol `exit`, and this check speaks `json`", _EXIT)
        report = self.report and self._completed_report(self.report, protocol, reading)
        runner = NONE if self.after else self.adapter
        if runner == AUTO and protocol == "json":
            runner = NONE
        elif runner != NONE and protocol == "json":
            reading.error(("adapter",), "`adapter` goes with the protocol `exit`, and this check speaks `json`", _EXIT)
        elif runner not in (AUTO, NONE) and recognise(self.command.argv, runner) is None:
            reading.error(("adapter",), f"the command is not one that `{runner}` can run", hint(runner))
        return self.but(protocol=protocol, adapter=runner, older=reading.old_name, report=report)

    def _completed_report(self, report: ReportEntry, protocol: str, reading: Reading) -> ReportEntry:
        if protocol != "exit":
            reading.error(
                ("report",), "a test report goes with the protocol `exit`, and this check speaks `json`", _EXIT
            )
        if self.expect.exit_code != 0:
            message = "a test report has to agree with the exit status of its runner, which is 0 when all went well"
            reading.error(("expect", "exit_code"), message, "Remove it, or `report`.")
        return report.completed(reading.reader, (*reading.path, "report"), negated=self.negate)

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return the stage of the command, and another stage for the control. Both start with the same setup."""
        foreign = recognise(self.command.argv, self.adapter) or planner.runs_candidate(self.command, self)
        described = self.stdin == "grader" or not (self.stdin or foreign)
        stdin = grader_input(case, self, planner.submission_data, self.config, older=self.older) if described else b""
        setup = [
            *preprocessing.steps(case, self, planner, named_files(case)),
            *(planner.step(Role.CHECK_SETUP, f"{self.name} setup", command, check=self) for command in self.setup),
        ]
        main = planner.step(Role.CHECK, self.name, self.command, check=self, stdin=stdin)
        artifact = "" if self.report is None else self.report.path
        apart = self.is_apart(case) is not False
        own_stdout = self.protocol == "json" or (apart and self.expect.is_of_grader(self.command))
        main = replace(main, brought=input_entries(case), artifact=artifact, own_stdout=own_stdout)
        main = adapt(main, self.adapter, apart=apart)
        apart = apart and (main.user is User.GRADER or not main.token)
        after = f"{self.name} teardown"
        teardown = [planner.step(Role.CHECK_TEARDOWN, after, command, check=self) for command in self.teardown]
        listed = [planner.stage(self.name, [*setup, main, *teardown], self.name, apart=apart)]
        if self.control is not None:
            step = planner.step(Role.CONTROL, f"{self.name} control", self.control, check=self, stdin=stdin)
            step = replace(step, brought=input_entries(case), own_stdout=main.own_stdout)
            listed.append(planner.stage(f"{self.name} control", [*setup, step], self.name, apart=apart))
        return tuple(listed)

    def is_apart(self, case: Case) -> bool | None:
        """Return whether its command runs apart from the submission; None if it runs without the submission."""
        found = recognise(self.command.argv, self.adapter)
        by_runner = found is not None and found.runner.apart is not None
        return None if self.after else case.is_apart(self.isolation, by_runner=by_runner)

    def commands(self) -> Iterator[CommandSpec]:
        yield from (*self.setup, self.command, *self.teardown, *filter(None, [self.control]))

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        """Judge the command by its exit status, or by the JSON that it printed if the check declares `json`."""
        if asks_model(self.config):
            return results.not_judged(self, case, "its command asks a model, and a sandbox has no network")
        done = evidence.done
        main = next((ran for ran in done if ran.step.role is Role.CHECK), None)
        tampering = tuple(
            Tampering(
                TamperingKind.CONTROL_PASSED,
                f"its control {shlex.join(ran.step.command)} passed, which must fail",
                evidence=ending_sentence(ran),
            )
            for ran in done
            if ran.step.role is Role.CONTROL and _control_passed(self, ran, main)
        )
        records = tuple(_record(self, ran, main) for ran in done)
        spoilt = _spoilt(self, case, done, records, tampering)
        if spoilt or main is None:
            return spoilt or error(self, case, "its command was never run", records, tampering)
        adapted = _adapted(self, main)
        tampering += adapted.tampering
        if adapted.missing or adapted.fault:
            return error(self, case, adapted.fault or results.not_found(adapted.missing), records, tampering)
        # A candidate that makes the judge crash or hang must not pass a check that expects a failure.
        if broken := ending_sentence(main) if results.whose_fault(main) is Fault.CANDIDATE else adapted.reason:
            return _gated(self, unfinished(self, case, broken, records, tampering))
        if adapted.not_loaded and self.report is None and main.outcome.exit_code != 0:
            why = f"exit status {main.outcome.exit_code}; {unloaded(adapted.not_loaded)}"
            return unfinished(self, case, why, records, tampering)
        if self.protocol == "json":
            return _by_json(self, case, main, records, tampering)
        return _by_exit(self, case, main, evidence, records, tampering)


def _control_passed(check: CodeGrader, control: StepOutcome, main: StepOutcome | None) -> bool:
    """Return whether a control exited with 0 and, with the protocol `json`, did not score 0."""
    if control.outcome.exit_code != 0:
        return False
    if check.protocol != "json":
        return True
    score = grader_json.score_of(control.outcome)
    if score is None:
        # The candidate's own output may make the result unreadable in both runs. That manipulates nothing.
        spoilt = main is not None and main.outcome.stdout.total_bytes > 0 and grader_json.score_of(main.outcome) is None
        return not (spoilt and control.outcome.stdout.total_bytes > 0)
    return score > 0


def _spoilt(
    check: CodeGrader,
    case: Case,
    done: Sequence[StepOutcome],
    records: tuple[StepRecord, ...],
    tampering: tuple[Tampering, ...],
) -> CheckResult | None:
    """Return the result if a command could not be run to its end; None if all commands were."""
    judged = [ran for ran in done if ran.step.role is not Role.CHECK_TEARDOWN]
    for ran in judged:
        if results.whose_fault(ran) in (Fault.AUTHOR, Fault.OURS):
            return error(check, case, f"{_OF_ROLE.get(ran.step.role, '')}{ending_sentence(ran)}", records, tampering)
    for ran in judged:
        if ran.cut_off:
            # Using up the time of the case must not let a candidate avoid a control, or turn a failure into an error.
            return _gated(check, unfinished(check, case, ending_sentence(ran), records, tampering))
        if ran.step.role is Role.CHECK_SETUP and ran.outcome.exit_code != 0:
            reason = f"its setup failed, which must succeed for every submission: {ending_sentence(ran)}"
            return error(check, case, reason, records, tampering)
    return None


def _adapted(check: CodeGrader, main: StepOutcome) -> runner_report.RunnerJudgment:
    """Judge the report of the command's adapter; without an adapter, return an empty judgment."""
    if not main.step.token:
        return runner_report.RunnerJudgment()
    # If a failure can gain something, an exit status alone must not count as a failure.
    rewarded = check.negate or check.report is not None or main.outcome.exit_code == check.expect.exit_code
    return runner_report.judge(main.step, main.outcome, needs_end=rewarded)


def _by_json(
    check: CodeGrader, case: Case, main: StepOutcome, records: tuple[StepRecord, ...], tampering: tuple[Tampering, ...]
) -> CheckResult:
    try:
        report = grader_json.parse(main.outcome)
    except grader_json.GraderOutputInvalid as problem:
        remedy = "let it end with 0 and print one JSON object with a score, and nothing else"
        return error(check, case, f"{problem}; {remedy}", records, tampering)
    return scored(check, case, report.score, report.reasoning, records, tampering, report.details)


def _by_exit(
    check: CodeGrader,
    case: Case,
    main: StepOutcome,
    evidence: Evidence,
    records: tuple[StepRecord, ...],
    tampering: tuple[Tampering, ...],
) -> CheckResult:
    status = main.outcome.exit_code
    # With a report, any exit status may come with a partial score.
    expect = check.expect if check.report is None else check.expect.but(exit_code=status or 0)
    try:
        wrong = unmet(expect, main.outcome, own_stdout=main.step.own_stdout)
    except patterns.PatternFault as problem:
        return error(check, case, f"`stdout_regex` cannot be used: {problem}", records, tampering)
    if check.report is None or wrong:
        score, reason = (0.0, wrong) if wrong else _granted(check, main)
        return _gated(check, scored(check, case, score, reason, records, tampering))
    if status is None or main.artifact is None:
        return error(check, case, "its test report was not fetched", records, tampering)
    found = assess(check.report, status, main.artifact, evidence.tree, _adapted(check, main).not_loaded)
    if boast := _overstated(check, main, found):
        what = f"the report {check.report.path} is not what the test runner saw: {boast}"
        seen = Tampering(TamperingKind.REPORT_DISAGREES, what, evidence=f"exit status {status}; {boast}")
        seen_all = (*tampering, *found.tampering, seen)
        return _gated(check, scored(check, case, 0.0, what, records, seen_all, found.details))
    result = scored(check, case, found.score, found.reason, records, (*tampering, *found.tampering), found.details)
    if found.unfinished:
        result = replace(unfinished(check, case, found.reason, records, result.tampering), details=found.details)
    return _gated(check, result, found.missed)


def _granted(check: CodeGrader, main: StepOutcome) -> tuple[float, str]:
    """Return the full score, or the lower score that the command printed, and the reason.

    A printed score is ignored for a negated check, for a test runner, and if the check expects a text on stdout.
    """
    is_unused = check.negate or main.step.token or check.expect.by_stdout
    lowered = None if is_unused else grader_json.lowered_score(main.outcome)
    if lowered is None:
        return 1.0, ""
    return lowered, f"exit status 0, but the command printed the score {lowered:.4g}"


def _overstated(check: CodeGrader, main: StepOutcome, found: Assessment) -> str:
    runner = recognise(main.step.command, check.adapter) if main.step.token else None
    return runner_report.overstated(main.step, main.outcome, runner.runner, found.passed) if runner else ""


def _gated(check: CodeGrader, result: CheckResult, missed: Sequence[str] | None = None) -> CheckResult:
    """Fail the verdict if required tests were missed; without `missed`, treat all required tests as missed."""
    required = check.report.required if check.report is not None else ()
    return results.with_required_missed(result, few(required if missed is None else missed))


def _record(check: CodeGrader, ran: StepOutcome, main: StepOutcome | None) -> StepRecord:
    match ran.step.role:
        case Role.CONTROL:
            passed, reason = not _control_passed(check, ran, main), "a control must fail"
        case Role.CHECK if check.protocol == "exit":
            reason = _unmet_or_fault(check, ran)
            passed = not reason
        case _:
            passed, reason = ran.outcome.exit_code == 0, ending_sentence(ran)
    return record(ran, passed=passed, reason="" if passed else reason)


def _unmet_or_fault(check: CodeGrader, ran: StepOutcome) -> str:
    if results.whose_fault(ran) is not Fault.NONE:
        return ending_sentence(ran)
    if reason := _adapted(check, ran).reason:
        return reason
    try:
        return unmet(check.expect, ran.outcome, own_stdout=ran.step.own_stdout)
    except patterns.PatternFault as problem:
        return str(problem)
