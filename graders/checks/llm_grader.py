"""The `llm-grader` check: words that only a model or a person can judge.

Nobody is asked yet, so it is never judged: it is shown as such and weighs nothing, and where it is required the case is
in error. It is never taken to have passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from graders.checks.base import CheckSpec
from graders.checks.judging import error, not_judged
from graders.checks.rubrics import Rubric
from graders.model.case import Case
from graders.model.evidence import Evidence
from graders.model.plan import Stage
from graders.model.verdict import CheckResult

if TYPE_CHECKING:
    from graders.grading.planner import Planner


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmGrader(CheckSpec):
    """What a judge would be told.

    Attributes:
        prompt: In words; a check that is written as text alone is its prompt.
        rubrics: What to judge by, one after the other.
        config: Whatever else the author wrote for the judge.
    """

    type: ClassVar[str] = "llm-grader"

    prompt: str = ""
    rubrics: tuple[Rubric, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)


def stages(_spec: LlmGrader, _case: Case, _planner: Planner) -> tuple[Stage, ...]:
    """Return nothing: no command is needed."""
    return ()


def judge(spec: LlmGrader, case: Case, _evidence: Evidence) -> CheckResult:
    """Say that nobody was asked."""
    gates = [rubric.id for rubric in spec.rubrics if rubric.required]
    if gates:
        return error(spec, case, f"no judge is configured, and required of it: {', '.join(gates[:5])}")
    words = f": {spec.prompt:.200}" if spec.prompt else ""
    return not_judged(spec, case, f"no judge is configured{words}")
