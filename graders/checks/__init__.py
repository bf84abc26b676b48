"""The types of check, a module each: what a case's author can ask.

A module holds the type's dataclass and two functions: ``stages`` says what must run in the sandbox to judge it, and
``judge`` turns what happened into a result. The tables below are the only place that knows them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graders.case import Case
from graders.checks import code_grader, items
from graders.checks.code_grader import CodeGrader, Expect
from graders.checks.items import Examples, Item, Items
from graders.checks.judging import Done
from graders.checks.spec import CheckSpec
from graders.steps import Stage
from graders.verdict import CheckResult

if TYPE_CHECKING:
    from graders.plan import Planner

__all__ = ["CheckSpec", "CodeGrader", "Done", "Examples", "Expect", "Item", "Items", "judge", "stages"]

_MODULES: Mapping[type[CheckSpec], Any] = {CodeGrader: code_grader, Items: items, Examples: items}


def stages(spec: CheckSpec, case: Case, planner: Planner) -> tuple[Stage, ...]:
    """Return what must run in the sandbox to judge a check."""
    plan: Callable[[CheckSpec, Case, Planner], tuple[Stage, ...]] = _MODULES[type(spec)].stages
    return plan(spec, case, planner)


def judge(spec: CheckSpec, case: Case, done: Sequence[Done]) -> CheckResult:
    """Turn what happened into the check's result."""
    decide: Callable[[CheckSpec, Case, Sequence[Done]], CheckResult] = _MODULES[type(spec)].judge
    return decide(spec, case, done)
