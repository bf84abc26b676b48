"""The `examples` and `unit-tests` checks: pieces of source in the case's language, each run as its own program."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from graders import languages
from graders.checks.base import CheckSpec
from graders.checks.judging import (
    ending_sentence,
    error,
    record,
    scored,
    unfinished,
    whose_fault,
)
from graders.errors import CaseRefused
from graders.languages import item_protocol
from graders.model import scoring
from graders.model.case import Case
from graders.model.evidence import Evidence, StepOutcome
from graders.model.plan import (
    ItemToken,
    Role,
    Stage,
    Step,
)
from graders.model.tampering import Tampering, TamperingKind
from graders.model.verdict import CheckResult
from sandbox.ending import Fault

if TYPE_CHECKING:
    from graders.grading.planner import Planner


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
    """Return a stage for every item, so that each begins from the same state; one for all where they share a process.

    Raises:
        CaseRefused: If a source cannot be handed to any program.
    """
    try:
        if spec.isolation == "shared":
            return (planner.stage(spec.name, [_shared_step(spec, case, planner)], spec.name),)
        return tuple(
            planner.stage(f"{spec.name} {item.name}", [_step(spec, case, item, planner)], spec.name)
            for item in spec.items
        )
    except ValueError as error:
        raise CaseRefused(f"{spec.place}: {spec.name} cannot be run: {error}") from error


def _step(spec: Items, case: Case, item: Item, planner: Planner) -> Step:
    token = ItemToken(item.name, secrets.token_hex(16), item.weight)
    program = item_protocol.encode(
        token.token,
        item=item.code,
        imports=spec.imports,
        setup=(spec.setup, item.setup),
        teardown=(item.teardown, spec.teardown),
    )
    return _runner_step(spec, case, planner, item.name, (item,), (token,), token.token, program)


def _shared_step(spec: Items, case: Case, planner: Planner) -> Step:
    token = secrets.token_hex(16)
    tokens = tuple(ItemToken(item.name, secrets.token_hex(16), item.weight) for item in spec.items)
    program = item_protocol.encode_shared(
        token,
        [
            item_protocol.Program(own.token, item.code, (item.setup,), (item.teardown,))
            for own, item in zip(tokens, spec.items, strict=True)
        ],
        imports=spec.imports,
        setup=(spec.setup,),
        teardown=(spec.teardown,),
    )
    return _runner_step(spec, case, planner, spec.name, spec.items, tokens, token, program)


def _runner_step(
    spec: Items,
    case: Case,
    planner: Planner,
    name: str,
    items: tuple[Item, ...],
    tokens: tuple[ItemToken, ...],
    token: str,
    program: bytes,
) -> Step:
    seconds = (spec.timeout_seconds or case.command_seconds) * len(items)
    sources = [part for item in items for part in (item.setup, item.code, item.teardown)]
    return Step(
        Role.ITEM,
        name,
        languages.get(spec.language).argv(),
        cwd=planner.cwd(spec.cwd),
        wall_seconds=min(seconds, case.timeout_seconds),
        env={**case.env, **spec.env},
        stdin=program,
        report=True,
        # Only a command line names files by words of its own; in other languages a word is not a file name.
        mentions=(spec.setup, *sources, spec.teardown) if spec.language == "bash" else (),
        token=token,
        items=tokens,
    )


def judge(spec: Items, case: Case, evidence: Evidence) -> CheckResult:
    """Count the items whose program ran to its end without an error."""
    records = []
    parts = []
    tampering = []
    fault = ""
    for ran in evidence.done:
        whose, ended = whose_fault(ran), ending_sentence(ran)
        report = ran.outcome.report.content()
        missing = item_protocol.missing_import(ran.step.token, report)
        if whose in (Fault.AUTHOR, Fault.OURS):
            fault = fault or f"{ran.step.name}: {ended}"
        elif missing:
            fault = fault or f"the image lacks {missing}, which the case imports"
        if _left_as_if_passed(ran):
            what = f"{ran.step.name} ended with exit status 0 before its end, which no ordinary exit does"
            tampering.append(Tampering(TamperingKind.TOKEN_MISSING, what, evidence=ended))
        for item in ran.step.items:
            # In a process of its own an item must end well itself; in a shared one, others may spoil the ending.
            ended_well = ran.outcome.exit_code == 0 or spec.isolation == "shared"
            forged = item_protocol.controls(item.token, report)
            tampering += [
                Tampering(TamperingKind.CONTROL_PASSED, f"after {item.name}, {what}", ended) for what in forged
            ]
            passed = ended_well and not forged and item_protocol.completed(item.token, report)
            early = ran.outcome.exit_code == 0
            reason = "" if passed else forged[0] if forged else "it did not come to its end" if early else ended
            records.append(record(ran, passed=passed, reason=reason, name=item.name))
            parts.append(scoring.Weighed(float(passed), item.weight))
    if fault:
        return error(spec, case, fault, tuple(records), tuple(tampering))
    if spec.negate and any(ran.cut_off for ran in evidence.done):
        reason = "the time of the case was over before all had run"
        return unfinished(spec, case, reason, tuple(records), tuple(tampering))
    score = scoring.mean(parts)
    if score is None:
        return error(spec, case, "no item has a weight", tuple(records))
    count = sum(part.score for part in parts)
    return scored(spec, case, score, f"{count:.0f} of {len(parts)} passed", tuple(records), tuple(tampering))


def _left_as_if_passed(ran: StepOutcome) -> bool:
    return ran.outcome.exit_code == 0 and not item_protocol.completed(ran.step.token, ran.outcome.report.content())
