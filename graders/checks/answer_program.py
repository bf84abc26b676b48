"""The four checks of a ``definition.toml``: `parsed`, `executed`, `passed_unit_tests`, `executed_examples`.

One and the same command judges them all. `parsed` plans it and keeps what its runner told; the others take that from
its result. All four always count, and weigh the same: the leaderboard's score is 100 times their mean.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from graders.checks import answer_protocol
from graders.checks.answer_protocol import EXAMPLE, TEST, Told
from graders.checks.base import CheckSpec
from graders.checks.judging import (
    ending_sentence,
    error,
    record,
    scored,
    whose_fault,
)
from graders.errors import CaseRefused
from graders.model.case import Case
from graders.model.evidence import Evidence, StepOutcome
from graders.model.plan import (
    Role,
    Stage,
    Step,
)
from graders.model.verdict import CheckResult, Status, StepRecord
from sandbox.ending import Fault
from sandbox.types import Capture, Ending

if TYPE_CHECKING:
    from graders.grading.planner import Planner

DEFAULT_SECONDS = 30.0
# A process that begins anew has this long, so a runner must have it too.
STARTUP_SECONDS = 120.0
# Julia takes one thread and its linear algebra one for every processor, where nobody says otherwise.
ENV: Mapping[str, str] = {"JULIA_NUM_THREADS": "6", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed(CheckSpec):
    """There is code in the answer, and Julia's parser takes it.

    Attributes:
        function: The name that the definition asks for.
        examples, unit_tests: Whole programs, their setup and teardown included.
        imports: Packages that come first.
    """

    type: ClassVar[str] = "parsed"

    function: str
    examples: tuple[str, ...]
    unit_tests: tuple[str, ...]
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed(CheckSpec):
    """The answer's code ran to its end without an error.

    Attributes:
        of: The name of the `Parsed` check whose command tells it.
    """

    type: ClassVar[str] = "executed"

    of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedUnitTests(CheckSpec):
    """The unit tests that raised nothing, of all of them.

    Attributes:
        of: The name of the `Parsed` check whose command tells it.
    """

    type: ClassVar[str] = "passed-unit-tests"

    of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutedExamples(CheckSpec):
    """The examples that raised nothing, of all of them.

    Attributes:
        of: The name of the `Parsed` check whose command tells it.
    """

    type: ClassVar[str] = "executed-examples"

    of: str


TYPES = (Parsed, Executed, PassedUnitTests, ExecutedExamples)
Spec = Parsed | Executed | PassedUnitTests | ExecutedExamples


def wall_seconds(limit_seconds: float, items: int) -> float:
    """Return how long a runner may take: two tries and all items, each item with the answer loaded anew before it."""
    return 2 * STARTUP_SECONDS + limit_seconds * (2 + 2 * items)


def stages(spec: Spec, case: Case, planner: Planner) -> tuple[Stage, ...]:
    """Return the one command that judges all four checks, for the first of them.

    Raises:
        CaseRefused: If a source cannot be handed to any program.
    """
    if not isinstance(spec, Parsed):
        return ()
    token = secrets.token_hex(16)
    limit = spec.timeout_seconds or case.command_seconds
    try:
        stdin = answer_protocol.encode(
            token,
            program=answer_protocol.program(),
            name=spec.function,
            limit_seconds=limit,
            imports=spec.imports,
            examples=spec.examples,
            tests=spec.unit_tests,
        )
    except ValueError as problem:
        raise CaseRefused(f"{spec.place}: {spec.name} cannot be run: {problem}") from problem
    step = Step(
        Role.ITEM,
        spec.name,
        (*answer_protocol.COMMAND, answer_protocol.runner()),
        cwd=planner.cwd(spec.cwd),
        wall_seconds=min(wall_seconds(limit, len(spec.examples) + len(spec.unit_tests)), case.timeout_seconds),
        env={**ENV, **case.env, **spec.env},
        stdin=stdin,
        report=True,
        token=token,
    )
    return (planner.stage(spec.name, [step], spec.name),)


def judge(spec: Spec, case: Case, evidence: Evidence) -> CheckResult:
    """Judge one of the four."""
    if isinstance(spec, Parsed):
        return _parsed(spec, case, evidence)
    first = evidence.results.get(spec.of)
    if first is None:
        return error(spec, case, f"no check {spec.of} was judged before it")
    if first.status is Status.ERROR or "parsed" not in first.details:
        return error(spec, case, first.reason)
    if isinstance(spec, Executed):
        executed = bool(first.details["executed"])
        reason = "" if executed else str(first.details["reason"])
        return scored(
            spec, case, float(executed), reason, tuple(_as(first, step, executed, reason) for step in first.steps)
        )
    items: list[Mapping[str, Any]] = first.details["unit_tests" if isinstance(spec, PassedUnitTests) else "examples"]
    steps = tuple(
        replace(_as(first, step, bool(item["passed"]), item["reason"]), role=Role.ITEM, name=item["name"])
        for item in items
        for step in first.steps
    )
    passed = sum(bool(item["passed"]) for item in items)
    # Without any there is nothing to gain, and the check counts all the same: that is the original's arithmetic.
    return scored(spec, case, passed / len(items) if items else 0.0, f"{passed} of {len(items)} passed", steps)


def _parsed(spec: Parsed, case: Case, evidence: Evidence) -> CheckResult:
    (ran,) = evidence.done
    told = answer_protocol.read(ran.step.token, ran.outcome.report.content())
    reason = told.reason or ("" if told.executed else ending_sentence(ran))
    steps = (record(ran, passed=told.parsed, reason="" if told.parsed else reason),)
    fault = _fault(ran, told)
    if fault:
        return error(spec, case, fault, steps)
    details = {
        "parsed": told.parsed,
        "executed": told.executed,
        "reason": reason,
        "examples": _items(told, EXAMPLE, "example", len(spec.examples), reason),
        "unit_tests": _items(told, TEST, "unit test", len(spec.unit_tests), reason),
    }
    return scored(spec, case, float(told.parsed), "" if told.parsed else reason, steps, details=details)


def _fault(ran: StepOutcome, told: Told) -> str:
    """Say why nobody can judge this, which is not the answer's doing; empty where it can be judged."""
    if whose_fault(ran) in (Fault.AUTHOR, Fault.OURS):
        return ending_sentence(ran)
    if told.fault:
        return told.fault
    # The answer is in another process: it can have the runner killed, and cannot make it end otherwise.
    early = ran.outcome.ending is Ending.EXITED and not told.ended
    return f"the runner ended before its end: {ending_sentence(ran)}" if early else ""


def _items(told: Told, kind: str, name: str, count: int, reason: str) -> list[dict[str, Any]]:
    otherwise = "not run: " + (reason if not told.executed else "the runner was ended")
    return [
        {
            "name": f"{name} {number}",
            "passed": (kind, number) in told.passed,
            "reason": "" if (kind, number) in told.passed else told.reasons.get((kind, number), otherwise),
        }
        for number in range(1, count + 1)
    ]


def _as(first: CheckResult, step: StepRecord, passed: bool, reason: str) -> StepRecord:
    """Return the record of the one command as that of another check, without its output, which is kept once."""
    outcome = replace(step.outcome, stdout=Capture(), stderr=Capture(), report=Capture())
    return replace(step, name=first.name, outcome=outcome, passed=passed, reason=reason)
