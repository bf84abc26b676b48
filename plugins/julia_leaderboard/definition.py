"""The four checks of a ``definition.toml``: `parsed`, `executed`, `passed_unit_tests`, `executed_examples`.

One command judges all four. `parsed` plans it and keeps its runner's report; the others take that from its result.
All four always count, with equal weight: the leaderboard's score is 100 times their mean.
"""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from gradebox.graders.checks.base import Check, CheckPlanner
from gradebox.graders.checks.results import ending_sentence, error, record, scored, whose_fault
from gradebox.graders.errors import CaseRefused
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence, StepOutcome
from gradebox.graders.model.plan import Role, Stage, Step
from gradebox.graders.model.time_limit import cpu_seconds, wall_seconds
from gradebox.graders.model.verdict import CheckResult, Status, StepRecord
from gradebox.plugins.julia_leaderboard import answer_protocol
from gradebox.plugins.julia_leaderboard.answer_protocol import EXAMPLE, TEST, AnswerReport
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.types import Capture, Ending

DEFAULT_SECONDS = 30.0
# The time in which a restarted process may start up; the runner must have it, too.
STARTUP_SECONDS = 120.0
# By default, Julia uses one thread, and its linear algebra one thread per processor.
ENV: Mapping[str, str] = {"JULIA_NUM_THREADS": "6", "OPENBLAS_NUM_THREADS": "1"}


def runner_seconds(limit_seconds: float, items: int) -> float:
    """Return how long a runner may take for two tries and all items; each item first loads the answer again."""
    return 2 * STARTUP_SECONDS + limit_seconds * (2 + 2 * items)


class Parsed(Check):
    """The answer has code that Julia's parser accepts."""

    type = "parsed"
    authored = False
    reports_errors = True

    function: str  # The name of the requested function.
    # Whole programs, including setup and teardown.
    examples: tuple[str, ...]
    unit_tests: tuple[str, ...]
    imports: tuple[str, ...] = ()  # Packages that are imported first.

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return the one command that judges all four checks.

        Raises CaseRefused if a source cannot be passed to any program.
        """
        token = secrets.token_hex(16)
        limit = case.limit_seconds(self.timeout_seconds)
        try:
            stdin = answer_protocol.encode(
                token,
                program=answer_protocol.program(),
                name=self.function,
                cpu_seconds=cpu_seconds(limit, case.limits.cpus),
                wall_seconds=wall_seconds(limit),
                imports=self.imports,
                examples=self.examples,
                tests=self.unit_tests,
            )
        except ValueError as problem:
            raise CaseRefused(f"{self.place}: {self.name} cannot be run: {problem}") from problem
        step = Step(
            Role.ITEM,
            self.name,
            (*answer_protocol.COMMAND, answer_protocol.runner()),
            cwd=planner.cwd(self.cwd),
            limit_seconds=min(runner_seconds(limit, len(self.examples) + len(self.unit_tests)), case.whole_seconds),
            env={**ENV, **case.env, **self.env},
            stdin=stdin,
            report=True,
            token=token,
            shown=(answer_protocol.COMMAND[0], self.function),
        )
        return (planner.stage(self.name, [step], self.name),)

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        """Read the runner's report, and keep it for the other checks."""
        (ran,) = evidence.done
        report = answer_protocol.read(ran.step.token, ran.outcome.report.content())
        reason = report.reason or ("" if report.executed else ending_sentence(ran))
        steps = (record(ran, passed=report.parsed, reason="" if report.parsed else reason),)
        fault = _fault(ran, report)
        if fault:
            return error(self, case, fault, steps, of_case=report.of_case)
        details = {
            "parsed": report.parsed,
            "executed": report.executed,
            "reason": reason,
            "examples": _items(report, EXAMPLE, "example", len(self.examples), reason),
            "unit_tests": _items(report, TEST, "unit test", len(self.unit_tests), reason),
        }
        return scored(self, case, float(report.parsed), "" if report.parsed else reason, steps, details=details)


class TakenFromParsed(Check):
    """A check that uses the report of the command of `Parsed`."""

    authored = False
    reports_errors = True

    of: str  # The name of the `Parsed` check.

    def references(self) -> Iterator[str]:
        yield self.of

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        """Take the result of the first check."""
        first = evidence.results.get(self.of)
        if first is None:
            return error(self, case, f"no check {self.of} was judged before it")
        if first.status is Status.ERROR or "parsed" not in first.details:
            return error(self, case, first.reason)
        return self.result(case, first)

    @abstractmethod
    def result(self, case: Case, first: CheckResult) -> CheckResult:
        """Return this check's part of the first check's result."""


class Executed(TakenFromParsed):
    """The answer's code ran to completion without an error."""

    type = "executed"

    def result(self, case: Case, first: CheckResult) -> CheckResult:
        executed = bool(first.details["executed"])
        reason = "" if executed else str(first.details["reason"])
        steps = tuple(_as(first, step, executed, reason) for step in first.steps)
        return scored(self, case, float(executed), reason, steps)


class PassedUnitTests(TakenFromParsed):
    """The share of unit tests that raised nothing."""

    type = "passed-unit-tests"
    counted: ClassVar[str] = "unit_tests"

    def result(self, case: Case, first: CheckResult) -> CheckResult:
        items: list[Mapping[str, Any]] = first.details[self.counted]
        steps = tuple(
            replace(_as(first, step, bool(item["passed"]), item["reason"]), role=Role.ITEM, name=item["name"])
            for item in items
            for step in first.steps
        )
        passed = sum(bool(item["passed"]) for item in items)
        # Without items the score is 0 and the check still counts, as in the original leaderboard.
        return scored(self, case, passed / len(items) if items else 0.0, f"{passed} of {len(items)} passed", steps)


class ExecutedExamples(PassedUnitTests):
    """The share of examples that raised nothing."""

    type = "executed-examples"
    counted = "examples"


def _fault(ran: StepOutcome, report: AnswerReport) -> str:
    """Return why the answer cannot be judged, through no fault of its own; empty if it can be judged."""
    if whose_fault(ran) in (Fault.AUTHOR, Fault.OURS):
        return ending_sentence(ran)
    if report.fault:
        return report.fault
    # The answer runs in another process: it can get the runner killed, but cannot make it exit early.
    early = ran.outcome.ending is Ending.EXITED and not report.ended
    return f"the runner ended early: {ending_sentence(ran)}" if early else ""


def _items(report: AnswerReport, kind: str, name: str, count: int, reason: str) -> list[dict[str, Any]]:
    otherwise = "not run: " + (reason if not report.executed else "the runner was ended")
    return [
        {
            "name": f"{name} {number}",
            "passed": (kind, number) in report.passed,
            "reason": "" if (kind, number) in report.passed else report.reasons.get((kind, number), otherwise),
        }
        for number in range(1, count + 1)
    ]


def _as(first: CheckResult, step: StepRecord, passed: bool, reason: str) -> StepRecord:
    """Return the command's record for another check, without the output, which only the first check keeps."""
    outcome = replace(step.outcome, stdout=Capture(), stderr=Capture(), report=Capture())
    return replace(step, name=first.name, outcome=outcome, passed=passed, reason=reason)
