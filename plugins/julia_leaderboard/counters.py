"""The leaderboard's counters of a saved verdict, and their totals by model. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.plugins.julia_leaderboard.definition import Executed, ExecutedExamples, Parsed, PassedUnitTests
from gradebox.plugins.julia_leaderboard.evaluations import POINTS
from gradebox.sandbox.records import dataclass


class Counters(NamedTuple):
    """The leaderboard's counters of one answer; None if the answer could not be judged."""

    name: str  # The name of the definition.
    category: str
    model: str
    prompt_label: str
    prompt_strategy: str
    verdict: str
    parsed: bool | None = None
    executed: bool | None = None
    unit_tests_passed: int | None = None
    unit_tests_count: int | None = None
    examples_executed: int | None = None
    examples_count: int | None = None
    score: float | None = None  # From 0 to 100.


def counters_of(verdict: VerdictDocument) -> Counters | None:
    """Return the counters of a verdict, None if its case is not a definition's."""
    checks = {check.type: check for check in verdict.checks}
    found = [checks.get(kind.type) for kind in (Parsed, Executed, PassedUnitTests, ExecutedExamples)]
    parsed, executed, tests, examples = found
    if parsed is None or executed is None or tests is None or examples is None:
        return None
    origin = {key: str(value) for key, value in verdict.origin.items()}
    names = Counters(
        name=verdict.case,
        category=verdict.category,
        model=origin.get("model", verdict.submission),
        prompt_label=origin.get("prompt_label", ""),
        prompt_strategy=origin.get("prompt_strategy", ""),
        verdict=verdict.verdict,
    )
    if verdict.score is None:
        return names
    return names._replace(
        parsed=parsed.score == 1.0,
        executed=executed.score == 1.0,
        unit_tests_passed=sum(step.passed for step in tests.steps),
        unit_tests_count=len(tests.steps),
        examples_executed=sum(step.passed for step in examples.steps),
        examples_count=len(examples.steps),
        score=POINTS * verdict.score,
    )


@dataclass(slots=True)
class ModelTotals:
    """The answers of one model."""

    model: str
    answers: int = 0  # The number of all answers.
    errors: int = 0  # Answers that could not be judged; the counters below leave them out.
    parsed: int = 0
    executed: int = 0
    unit_tests_passed: int = 0
    unit_tests_count: int = 0
    examples_executed: int = 0
    examples_count: int = 0
    # Answers with the full score, and with the score 0.
    full: int = 0
    zero: int = 0
    points: float = 0.0  # The sum of the scores.

    @property
    def mean(self) -> float | None:
        judged = self.answers - self.errors
        return self.points / judged if judged else None

    def add(self, counters: Counters) -> None:
        self.answers += 1
        if counters.score is None:
            self.errors += 1
            return
        self.parsed += bool(counters.parsed)
        self.executed += bool(counters.executed)
        self.unit_tests_passed += counters.unit_tests_passed or 0
        self.unit_tests_count += counters.unit_tests_count or 0
        self.examples_executed += counters.examples_executed or 0
        self.examples_count += counters.examples_count or 0
        self.full += counters.score >= POINTS
        self.zero += counters.score <= 0
        self.points += counters.score


def by_model(found: Iterable[Counters]) -> list[ModelTotals]:
    """Return the totals of each model's answers, the best mean score first."""
    totals: dict[str, ModelTotals] = {}
    for counters in found:
        totals.setdefault(counters.model, ModelTotals(counters.model)).add(counters)
    return sorted(totals.values(), key=lambda one: (-1.0 if one.mean is None else one.mean, one.model), reverse=True)
