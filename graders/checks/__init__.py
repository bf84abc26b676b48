"""The types of check, a module each: what a case's author can ask.

A module holds the type's dataclass and two functions: ``stages`` says what must run in the sandbox to judge it, and
``judge`` turns the evidence into a result. The tables below are the only place that knows them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING

from graders.checks import (
    answer_program,
    check_reference,
    code_grader,
    composite,
    execution_metrics,
    field_accuracy,
    file_checks,
    items,
    llm_grader,
    rubrics,
    text_checks,
    tool_trajectory,
)
from graders.checks.base import CheckSpec
from graders.checks.check_reference import CheckReference
from graders.checks.code_grader import CodeGrader, Expect
from graders.checks.composite import Aggregator, Composite
from graders.checks.execution_metrics import (
    Cost,
    ExecutionMetrics,
    Latency,
    TokenUsage,
)
from graders.checks.field_accuracy import FieldAccuracy, FieldRule
from graders.checks.file_checks import FileChanges, FileContains, FileExists
from graders.checks.items import Examples, Item, Items
from graders.checks.judging import error
from graders.checks.llm_grader import LlmGrader
from graders.checks.rubrics import Rubric, Rubrics
from graders.checks.tool_trajectory import ExpectedCall, ToolTrajectory
from graders.model.case import Case, CommandSpec
from graders.model.evidence import Evidence, StepOutcome, of_check, part
from graders.model.plan import Stage
from graders.model.verdict import CheckResult

if TYPE_CHECKING:
    from graders.grading.planner import Planner

__all__ = [
    "Aggregator",
    "CheckReference",
    "CheckSpec",
    "CodeGrader",
    "Composite",
    "Cost",
    "Evidence",
    "Examples",
    "ExecutionMetrics",
    "Expect",
    "ExpectedCall",
    "FieldAccuracy",
    "FieldRule",
    "FileChanges",
    "FileContains",
    "FileExists",
    "Item",
    "Items",
    "Latency",
    "LlmGrader",
    "Rubric",
    "Rubrics",
    "StepOutcome",
    "TokenUsage",
    "ToolTrajectory",
    "commands",
    "judge",
    "judge_all",
    "judge_members",
    "stages",
]

_MODULES: Mapping[type[CheckSpec], ModuleType] = {
    CodeGrader: code_grader,
    Items: items,
    Examples: items,
    Rubrics: rubrics,
    LlmGrader: llm_grader,
    **dict.fromkeys(text_checks.TYPES, text_checks),
    FileExists: file_checks,
    FileContains: file_checks,
    FileChanges: file_checks,
    FieldAccuracy: field_accuracy,
    ToolTrajectory: tool_trajectory,
    ExecutionMetrics: execution_metrics,
    Latency: execution_metrics,
    Cost: execution_metrics,
    TokenUsage: execution_metrics,
    Composite: composite,
    CheckReference: check_reference,
    **dict.fromkeys(answer_program.TYPES, answer_program),
}
TYPES = tuple(_MODULES)


def stages(spec: CheckSpec, case: Case, planner: Planner) -> tuple[Stage, ...]:
    """Return what must run in the sandbox to judge a check, first of all what its members need."""
    plan: Callable[[CheckSpec, Case, Planner], tuple[Stage, ...]] = _MODULES[type(spec)].stages
    of_members = (
        replace(stage, name=f"{spec.name} {stage.name}", check=part(spec.name, stage.check or ""))
        for member in _members(spec)
        for stage in stages(member, case, planner)
    )
    return (*of_members, *plan(spec, case, planner))


def judge(spec: CheckSpec, case: Case, evidence: Evidence) -> CheckResult:
    """Turn the evidence into the check's result."""
    decide: Callable[[CheckSpec, Case, Evidence], CheckResult] = _MODULES[type(spec)].judge
    try:
        return decide(spec, case, replace(evidence, members=judge_members(spec, case, evidence)))
    except OSError as problem:
        # A file that was there when the submission was read; nothing that the candidate does now can reach it.
        return error(spec, case, f"a file of the submission cannot be read any more: {problem.strerror or problem}")


def judge_members(spec: CheckSpec, case: Case, evidence: Evidence) -> tuple[CheckResult, ...]:
    """Return the results of a check's members; of a check without any, nothing."""
    return tuple(judge(member, case, of_check(evidence, member.name, evidence.within)) for member in _members(spec))


def judge_all(
    specs: Sequence[CheckSpec], decide: Callable[[CheckSpec, Mapping[str, CheckResult]], CheckResult]
) -> tuple[CheckResult, ...]:
    """Judge checks so that each can take the results of those that it names, and return the results in their order.

    Args:
        specs: The checks of a case.
        decide: Judges one of them, and gets the results so far by name.
    """
    by_position: dict[int, CheckResult] = {}
    by_name: dict[str, CheckResult] = {}
    for position in check_reference.judging_order(specs):
        result = decide(specs[position], by_name)
        by_position[position] = by_name[specs[position].name] = result
    return tuple(by_position[position] for position in range(len(specs)))


def commands(spec: CheckSpec) -> Iterator[CommandSpec]:
    """Yield the commands that a check and its members run, items apart."""
    match spec:
        case CodeGrader():
            yield from (*spec.setup, spec.command, *spec.teardown)
            if spec.control is not None:
                yield spec.control
        case Rubrics():
            yield from (rubric.command for rubric in spec.rubrics if rubric.command is not None)
        case Composite() if spec.command is not None:
            yield spec.command
    for member in _members(spec):
        yield from commands(member)


def _members(spec: CheckSpec) -> tuple[CheckSpec, ...]:
    return spec.assertions if isinstance(spec, Composite) else ()
