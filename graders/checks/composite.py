"""The `composite` check: combines the scores of other checks, its members.

The members are judged first, like any check; this module only combines their scores. A member keeps its weight,
`required` and `negate`. A member that could not be judged makes the composite an error, and a member without a judge is
left out. A required member that fails also fails the verdict, regardless of the combined score.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from gradebox.graders.checks.aggregation import (
    OWNERS,
    Aggregator,
    WrittenAggregator,
    aggregate,
    all_or_mean,
    described,
    program,
)
from gradebox.graders.checks.base import Check, CheckPlanner, Reading
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.evaluation import judge_members
from gradebox.graders.checks.llm.panel import hear
from gradebox.graders.checks.llm_grader import read_prompt
from gradebox.graders.checks.reading import with_unique_names
from gradebox.graders.checks.registry import check_type
from gradebox.graders.checks.results import error, not_judged, scored, unfinished, with_required_missed
from gradebox.graders.documents.commands import Command
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.entries import WrittenAs, also, optional
from gradebox.graders.documents.fields import Fraction, Name, Several, Text, Weight
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.model.case import Case, CommandSpec
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.judgment import WHOLE, Question
from gradebox.graders.model.plan import Stage
from gradebox.graders.model.verdict import CheckResult, Status
from gradebox.graders.runners import NONE

_AGGREGATORS: Mapping[str, Aggregator] = {aggregator.replace("_", "-"): aggregator for aggregator in Aggregator}


_Members = Annotated[list[Any], Field(min_length=1)]


class Composite(Check):
    """Combines the scores of other checks, its members."""

    type = "composite"
    spellings: ClassVar[tuple[str, ...]] = ("assert-set",)

    # `completed` reads the members in a document, each by its type.
    assertions: Annotated[tuple[Check, ...], WrittenAs(_Members)] = Field(
        validation_alias=also("assert", "evaluators"), description="The members."
    )
    aggregator: Annotated[Aggregator, WrittenAs(WrittenAggregator)] = optional(
        "How the scores of the members are combined: `weighted_average`, `minimum`, `maximum`, `threshold`, "
        "`all_or_nothing`, `safety_gate`, `code-grader` or `llm-grader`.",
        default_factory=lambda: Aggregator.WEIGHTED_AVERAGE,
    )
    weights: dict[str, Weight] = optional(
        "Weights of the members, by name.", "aggregator.weights", default_factory=dict
    )
    threshold: Fraction = optional(
        "For the aggregator `threshold`: the share of the members, by weight, that must pass. For "
        "`all_or_nothing`: the score that each member needs; the score is then the mean.",
        "aggregator.threshold",
        default=0.5,
    )
    gates: Several[Name] = optional(
        "For the aggregator `safety_gate`: the members that must score at least 0.6.", "aggregator.required", default=()
    )
    command: Command | None = optional(
        "For the aggregator `code-grader`: the command.", "script", "aggregator.command", "aggregator.script"
    )
    path: Name | None = optional("In place of `command`: the file of a program.", "aggregator.path")
    protocol: Literal["exit", "json"] = optional(
        "For the aggregator `code-grader`: the protocol of the command.", "aggregator.protocol", default="json"
    )
    prompt: Text | None = optional("For the aggregator `llm-grader`: the question for the judge.", "aggregator.prompt")
    model: Text | None = optional("For the aggregator `llm-grader`: the model of the judge.", "aggregator.model")

    def completed(self, reading: Reading) -> Self | None:
        """Read the members, and determine the aggregator."""
        findings = reading.reader.findings
        errors = findings.errors
        written: Sequence[Any] = self.assertions
        assertions = with_unique_names(reading.read_members(written, (*reading.path, "assertions")))
        complete = findings.errors == errors
        if self.path is not None and self.command is None:
            return self.but(command=program(self.path), path=None).completed(reading)
        aggregator = self._named_aggregator(reading)
        if complete:
            assertions = self._weighed(assertions, written, reading)
            if not any(member.weight for member in assertions):
                reading.error(("assertions",), "the weights of all members are 0", "Give one of them a weight.")
        if aggregator is None or findings.errors > errors:
            return None
        prompt = None if self.prompt is None else read_prompt(reading, self.prompt)
        return self.but(assertions=assertions, aggregator=aggregator, prompt=prompt)

    def _named_aggregator(self, reading: Reading) -> Aggregator | None:
        """Return the aggregator that is named, or that the other fields imply."""
        written = self.model_fields_set
        named: Any = self.aggregator if "aggregator" in written else None
        if named is None:
            if self.command is not None:
                aggregator = Aggregator.CODE_GRADER
            else:
                in_parts = "threshold" not in written or reading.old_name
                aggregator = Aggregator.WEIGHTED_AVERAGE if in_parts else Aggregator.THRESHOLD
        else:
            name, at = (named, ("aggregator",)) if isinstance(named, str) else (named.type, ("aggregator", "type"))
            spelled = name.replace("_", "-")
            kind = check_type(spelled)
            known = _AGGREGATORS.get(kind.type if kind else spelled)
            if known is None:
                reading.error(at, f"unknown aggregator `{shown(name)}`", suggestion(name, Aggregator))
                return None
            aggregator = known
        for field, owners in OWNERS.items():
            # The `threshold` of an `assert-set` is the score that it needs to pass.
            of_set = field == "threshold" and named is None and reading.old_name
            if field in written and aggregator not in owners and not of_set:
                message = f"`{field}` belongs to the aggregator `{owners[0]}`, and this is `{aggregator}`"
                reading.error((field,), message, f"Remove it, or write `aggregator: {owners[0]}`.")
        if aggregator is Aggregator.CODE_GRADER and self.command is None:
            reading.error((), "the aggregator `code-grader` has no `command`", "Write one.")
        return aggregator

    def _weighed(self, assertions: Sequence[Check], written: Sequence[Any], reading: Reading) -> tuple[Check, ...]:
        """Give the members the weights that the composite lists for them."""
        names = [member.name for member in assertions]
        named: list[tuple[str, DocumentPath]] = [(name, ("weights", name)) for name in self.weights]
        named += [(name, ("gates", index)) for index, name in enumerate(self.gates)]
        for name, at in named:
            if name not in names:
                reading.error(at, f"no member is called `{shown(name)}`", suggestion(name, names))
            elif at[0] == "gates":
                continue
            elif isinstance(own := written[names.index(name)], dict) and own.get("weight") is not None:
                message = f"the member `{shown(name)}` has a `weight` of its own"
                reading.error(("weights", name), message, "Keep one of the two.")
        return tuple(
            member.but(weight=self.weights[member.name]) if member.name in self.weights else member
            for member in assertions
        )

    def stages(self, case: Case, planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return the stage of the aggregator's command. The members' stages are planned separately."""
        grader = as_code_grader(self)
        return () if grader is None else grader.stages(case, planner)

    def members(self) -> tuple[Check, ...]:
        return self.assertions

    def asks_judge(self) -> bool:
        return self.aggregator is Aggregator.LLM_GRADER

    def is_in_words(self) -> bool:
        return self.asks_judge() or super().is_in_words()

    def questions(self, case: Case, evidence: Evidence) -> Iterator[Question]:
        """Yield the question to a judge that combines the members, after all members are judged."""
        from gradebox.graders.checks.llm.questions import question  # noqa: PLC0415 - only where somebody judges

        results = evidence.members or judge_members(self, case, evidence)
        if self.aggregator is Aggregator.LLM_GRADER and all(one.status is not Status.ERROR for one in results):
            read = json.dumps([described(one) for one in results], ensure_ascii=False, indent=2, default=str)
            yield question(case, evidence, self.prompt or "", results=read, model=self.model or "")

    def commands(self) -> Iterator[CommandSpec]:
        if self.command is not None:
            yield self.command

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        results = evidence.members
        count = len(self.assertions)
        if len({member.name for member in self.assertions}) < count or len(results) != count:
            return error(self, case, "two of its members have the same name")
        missed = [member.name for member in results if member.missed]
        result = with_required_missed(_combine(self, case, results, evidence), missed)
        tampering = tuple(found.within(member.name) for member in results for found in member.tampering)
        return replace(
            result,
            type=self.type,
            score=0.0 if tampering and result.score is not None else result.score,
            status=Status.FAILED if tampering and result.status is not Status.ERROR else result.status,
            steps=(*(step for member in results for step in member.steps), *result.steps),
            tampering=(*result.tampering, *tampering),
            details={**result.details, "members": [described(member) for member in results]},
            unfinished=result.unfinished or any(member.unfinished for member in results),
        )


def as_code_grader(check: Composite) -> CodeGrader | None:
    """Return the aggregator's command as a code grader; None for an aggregator without a command."""
    if check.aggregator is not Aggregator.CODE_GRADER or check.command is None:
        return None
    common = {name: getattr(check, name) for name in Check.model_fields if name in check.model_fields_set}
    return CodeGrader(**common, command=check.command, protocol=check.protocol, adapter=NONE)


def _combine(check: Composite, case: Case, members: Sequence[CheckResult], evidence: Evidence) -> CheckResult:
    faults = [f"{member.name}: {member.reason}" for member in members if member.status is Status.ERROR]
    left_out = [member for member in members if member.status is Status.NOT_JUDGED]
    if check.required:
        # A required check is never decided by only some of its members.
        faults += [f"{member.name}: {member.reason}" for member in left_out if member.weight]
    if faults:
        return error(check, case, "; ".join(faults[:5]))
    if check.negate and any(done.cut_off for ran in evidence.within.values() for done in ran):
        return unfinished(check, case, "the case's time limit was reached before everything had run")
    cut_short = next((member for member in members if member.unfinished), None)
    if check.negate and cut_short is not None:
        return unfinished(check, case, f"{cut_short.name}: {cut_short.reason}")
    grader = as_code_grader(check)
    if grader is not None:
        return grader.judge(case, evidence)
    if check.aggregator is Aggregator.CODE_GRADER:
        return error(check, case, "its aggregator has no command")
    if check.aggregator is Aggregator.LLM_GRADER:
        return _by_judge(check, case, evidence)
    in_parts = check.aggregator is not Aggregator.ALL_OR_NOTHING or "threshold" not in check.model_fields_set
    score = aggregate(check.aggregator, members, check.gates) if in_parts else all_or_mean(members, check.threshold)
    if score is None or any(member.name in check.gates for member in left_out):
        unheard = "; ".join(f"{member.name}: {member.reason}" for member in left_out[:5])
        return not_judged(check, case, unheard or "none of its members has a weight")
    stated = check.aggregator is Aggregator.WEIGHTED_AVERAGE and "threshold" in check.model_fields_set
    if (stated or check.aggregator is Aggregator.THRESHOLD) and check.min_score is None:
        check = check.but(min_score=check.threshold)
    failed = [member.name for member in members if member.status is Status.FAILED]
    return scored(check, case, score, f"failed: {', '.join(failed)}" if failed else "")


def _by_judge(check: Composite, case: Case, evidence: Evidence) -> CheckResult:
    hearing = hear(check, case, evidence)
    if hearing.fault:
        return error(check, case, hearing.fault)
    score, reason, _ = hearing.of(WHOLE)
    if score is None:
        return not_judged(check, case, reason)
    return scored(check, case, score, reason, details=hearing.details)
