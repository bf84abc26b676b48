"""The `examples` and `unit-tests` checks: pieces of source in the case's language, each run as its own program."""

from __future__ import annotations

import secrets
from typing import Annotated, Literal, Self

from pydantic import Field

from graders import languages
from graders.checks.base import Check, CheckPlanner, Reading
from graders.checks.item import Item, ItemDefaults, ItemList, check_sources, known_language, named_items
from graders.checks.judging import ending_sentence, error, record, scored, unfinished, whose_fault
from graders.documents.entries import WrittenAs, also
from graders.documents.fields import OneOf, Sources
from graders.errors import CaseRefused
from graders.languages import item_protocol
from graders.model import scoring
from graders.model.case import Case
from graders.model.evidence import Evidence, StepOutcome
from graders.model.plan import ItemToken, Role, Stage, Step
from graders.model.tampering import Tampering, TamperingKind
from graders.model.verdict import CheckResult
from sandbox.ending import Fault

Language = Annotated[str, OneOf(languages.names)]
_Lines = Annotated[str, WrittenAs(Sources, "\n".join)]


class Items(Check):
    """Examples or unit tests. Fields that are left out are taken from the case."""

    type = "unit-tests"

    items: ItemList = Field(
        default=(),
        validation_alias=also("examples", "unit_tests"),
        description="Pieces of source, each in a process of its own.",
    )
    language: Annotated[str, WrittenAs(Language)] = Field(default_factory=str, description="Of the items.")
    setup: _Lines = Field(
        default_factory=str,
        validation_alias=also("examples_setup", "unit_tests_setup"),
        description="Runs before each item.",
    )
    teardown: _Lines = Field(
        default_factory=str,
        validation_alias=also("examples_teardown", "unit_tests_teardown"),
        description="Runs after each item.",
    )
    imports: Sources = Field(default=(), description="What the items import.")
    isolation: Literal["process", "shared"] = Field(
        default="process", description="`process`: each item in a process of its own. `shared`: all in one, in order."
    )

    def completed(self, reading: Reading) -> Self | None:
        """Take from the case what is left out here."""
        around = reading.surroundings
        case: ItemDefaults = around.defaults.get(self.type, ItemDefaults(()))
        own = "items" in self.model_fields_set
        items = case.items
        if own:
            items = named_items(self.items, reading.reader, (*reading.path, "items"))
        elif items is None:
            field = self.type.replace("-", "_")
            message = f"`items` is missing, and the case has no `{field}`"
            reading.error((), message, f"Write `items` here or `{field}` in the case.")
        if not items:
            return None
        language = known_language(reading.reader, self.language or around.language, reading.path)
        if language is None:
            return None
        check_sources(reading.reader, items, language, (*reading.path, "items") if own else case.path)
        defaults = {"setup": case.setup, "teardown": case.teardown, "imports": around.imports}
        added = {name: value for name, value in defaults.items() if name not in self.model_fields_set}
        return self.but(items=items, language=language, **added)

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return a stage for every item, so that each begins from the same state; one for all in a shared process.

        Raises:
            CaseRefused: If a source cannot be passed to any program.
        """
        try:
            if self.isolation == "shared":
                return (planner.stage(self.name, [_shared_step(self, case, planner)], self.name),)
            return tuple(
                planner.stage(f"{self.name} {item.name}", [_step(self, case, item, planner)], self.name)
                for item in self.items
            )
        except ValueError as error:
            raise CaseRefused(f"{self.place}: {self.name} cannot be run: {error}") from error

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
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
                ended_well = ran.outcome.exit_code == 0 or self.isolation == "shared"
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
            return error(self, case, fault, tuple(records), tuple(tampering))
        if self.negate and any(ran.cut_off for ran in evidence.done):
            reason = "the time of the case was over before all had run"
            return unfinished(self, case, reason, tuple(records), tuple(tampering))
        score = scoring.mean(parts)
        if score is None:
            return error(self, case, "no item has a weight", tuple(records))
        count = sum(part.score for part in parts)
        return scored(self, case, score, f"{count:.0f} of {len(parts)} passed", tuple(records), tuple(tampering))


class Examples(Items):
    """The same, for examples of use."""

    type = "examples"


def _step(check: Items, case: Case, item: Item, planner: CheckPlanner) -> Step:
    token = ItemToken(item.name, secrets.token_hex(16), item.weight)
    program = item_protocol.encode(
        token.token,
        item=item.code,
        imports=check.imports,
        setup=(check.setup, item.setup),
        teardown=(item.teardown, check.teardown),
    )
    return _runner_step(check, case, planner, item.name, (item,), (token,), token.token, program)


def _shared_step(check: Items, case: Case, planner: CheckPlanner) -> Step:
    token = secrets.token_hex(16)
    tokens = tuple(ItemToken(item.name, secrets.token_hex(16), item.weight) for item in check.items)
    program = item_protocol.encode_shared(
        token,
        [
            item_protocol.Program(own.token, item.code, (item.setup,), (item.teardown,))
            for own, item in zip(tokens, check.items, strict=True)
        ],
        imports=check.imports,
        setup=(check.setup,),
        teardown=(check.teardown,),
    )
    return _runner_step(check, case, planner, check.name, check.items, tokens, token, program)


def _runner_step(
    check: Items,
    case: Case,
    planner: CheckPlanner,
    name: str,
    items: tuple[Item, ...],
    tokens: tuple[ItemToken, ...],
    token: str,
    program: bytes,
) -> Step:
    seconds = (check.timeout_seconds or case.command_seconds) * len(items)
    sources = [part for item in items for part in (item.setup, item.code, item.teardown)]
    return Step(
        Role.ITEM,
        name,
        languages.get(check.language).argv(),
        cwd=planner.cwd(check.cwd),
        wall_seconds=min(seconds, case.timeout_seconds),
        env={**case.env, **check.env},
        stdin=program,
        report=True,
        # Only a command line names files by words of its own; in other languages a word is not a file name.
        mentions=(check.setup, *sources, check.teardown) if check.language == "bash" else (),
        token=token,
        items=tokens,
    )


def _left_as_if_passed(ran: StepOutcome) -> bool:
    return ran.outcome.exit_code == 0 and not item_protocol.completed(ran.step.token, ran.outcome.report.content())
