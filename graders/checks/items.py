"""The `examples` and `unit-tests` checks: pieces of source in the case's language, each run as its own program."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graders import rubric
from graders.case import Case
from graders.checks import item_protocol
from graders.checks.judging import Done, ending_sentence, error, record, scored, whose_fault
from graders.checks.spec import CheckSpec
from graders.steps import Role, Stage, Step
from graders.verdict import CheckResult
from sandbox.ending import Fault

if TYPE_CHECKING:
    from graders.plan import Planner


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of source.

    Attributes:
        name: Shown in reports; ``#1``, ``#2`` ... when the author gave none.
        code: The source; for bash a command line.
        weight: Its share of the check's score.
        setup, teardown: Source before and after it, in the same program.
    """

    name: str
    code: str
    weight: float = 1.0
    setup: str = ""
    teardown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items(CheckSpec):
    """Run every item; the score is the weight of those that passed over the weight of all.

    Attributes:
        language: Which runner runs them: python, bash, julia, javascript or typescript.
        items: At least one.
        setup, teardown: Source around every item, in the same program.
        imports: Modules or import lines that come first.
        isolation: ``process`` (each item anew) or ``shared`` (one process for all, in order).
    """

    type: ClassVar[str] = "unit-tests"

    language: str
    items: tuple[Item, ...]
    setup: str = ""
    teardown: str = ""
    imports: tuple[str, ...] = ()
    isolation: str = "process"


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples(Items):
    """The same, for examples of use."""

    type: ClassVar[str] = "examples"


def stages(spec: Items, case: Case, planner: Planner) -> tuple[Stage, ...]:
    """Return a stage for every item, so that each begins from the same state."""
    return tuple(
        planner.stage(f"{spec.name} {item.name}", [_step(spec, case, item, planner)], spec.name) for item in spec.items
    )


def _step(spec: Items, case: Case, item: Item, planner: Planner) -> Step:
    token = secrets.token_hex(16)
    setup = [part for part in (spec.setup, item.setup) if part]
    teardown = [part for part in (item.teardown, spec.teardown) if part]
    return Step(
        Role.ITEM,
        item.name,
        item_protocol.argv(spec.language, planner.runner(spec.language)),
        cwd=planner.cwd(spec.cwd),
        wall_seconds=min(spec.timeout_seconds or case.command_seconds, case.timeout_seconds),
        env={**case.env, **spec.env},
        stdin=item_protocol.encode(token, spec.imports, setup, item.code, teardown),
        report=True,
        # Only a command line names files by words of its own; in other languages a word is not a file name.
        mentions=(*setup, item.code, *teardown) if spec.language == "bash" else (),
        token=token,
        weight=item.weight,
    )


def judge(spec: Items, case: Case, done: Sequence[Done]) -> CheckResult:
    """Count the items whose program ran to its end without an error."""
    records = []
    parts = []
    fault = ""
    for ran in done:
        passed, reason = False, ending_sentence(ran)
        match whose_fault(ran):
            case Fault.AUTHOR | Fault.OURS:
                fault = fault or f"{ran.step.name}: {reason}"
            case Fault.CANDIDATE:
                pass
            case Fault.NONE:
                missing = item_protocol.missing_import(ran.outcome)
                if missing:
                    fault = fault or f"{ran.step.name}: the image lacks {missing}, which the case imports"
                elif ran.outcome.exit_code == 0:
                    passed = item_protocol.completed(ran.step.token, ran.outcome.report.content())
                    reason = "" if passed else "it exited before its end"
        records.append(record(ran, passed=passed, reason=reason if not passed else ""))
        parts.append(rubric.Weighed(float(passed), ran.step.weight))
    if fault:
        return error(spec, case, fault, tuple(records))
    count = sum(part.score for part in parts)
    score = rubric.mean(parts)
    if score is None:
        return error(spec, case, "no item has a weight", tuple(records))
    return scored(spec, case, score, f"{count:.0f} of {len(parts)} passed", tuple(records))
