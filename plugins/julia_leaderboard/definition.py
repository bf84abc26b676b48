"""The four checks of a ``definition.toml``: `parsed`, `executed`, `passed_unit_tests`, `executed_examples`.

One command judges them all. `parsed` plans it and keeps what its runner reported; the others take that from its result.
All four always count, and weigh the same: the leaderboard's score is 100 times their mean.
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
# A process that is started again has this long, so a runner must have it too.
STARTUP_SECONDS = 120.0
# Julia takes one thread and its linear algebra one for every processor, by default.
ENV: Mapping[str, str] = {"JULIA_NUM_THREADS": "6", "OPENBLAS_NUM_THREADS": "1"}


def runner_seconds(limit_seconds: float, items: int) -> float:
    """Return how long a runner may take: two tries and all items, and the answer is loaded again before each item."""
    return 2 * STARTUP_SECONDS + limit_seconds * (2 + 2 * items)


class Parsed(Check):
    """There is code in the answer, and Julia's parser takes it."""

    type = "parsed"
    authored = False
    reports_errors = True

    function: str  # The name of the requested function.
    # Whole programs, their setup and teardown included.
    examples: tuple[str, ...]
    unit_tests: tuple[str, ...]
    imports: tuple[str, ...] = ()  # Packages that come first.

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
        """Read what the runner reported, and keep it for the others."""
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
    """A check that takes what the command of `Parsed` reported."""

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
        """Return the part of the first check's result that this one is about."""


class Executed(TakenFromParsed):
    """The answer's code ran to its end without an error."""

    type = "executed"

    def result(self, case: Case, first: CheckResult) -> CheckResult:
        executed = bool(first.details["executed"])
        reason = "" if executed else str(first.details["reason"])
        steps = tuple(_as(first, step, executed, reason) for step in first.steps)
        return scored(self, case, float(executed), reason, steps)


class PassedUnitTests(TakenFromParsed):
    """The unit tests that raised nothing, of all of them."""

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
        # Without any there is nothing to gain, and the check counts all the same: that is the original's arithmetic.
        return scored(self, case, passed / len(items) if items else 0.0, f"{passed} of {len(items)} passed", steps)


class ExecutedExamples(PassedUnitTests):
    """The examples that raised nothing, of all of them."""

    type = "executed-examples"
    counted = "examples"


def _fault(ran: StepOutcome, report: AnswerReport) -> str:
    """Return why this cannot be judged, through no fault of the answer; empty if it can be."""
    if whose_fault(ran) in (Fault.AUTHOR, Fault.OURS):
        return ending_sentence(ran)
    if report.fault:
        return report.fault
    # The answer is in another process: it can have the runner killed, and cannot make it end otherwise.
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
    """Return the record of the one command as that of another check, without its output, which is kept once."""
    outcome = replace(step.outcome, stdout=Capture(), stderr=Capture(), report=Capture())
    return replace(step, name=first.name, outcome=outcome, passed=passed, reason=reason)
