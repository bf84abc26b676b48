"""The tries of a case end when they have reached their cost limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from gradebox.graders.model.submission import Submission
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.trials import COST_REACHED
from gradebox.graders.targets.cost_limit import CostLimited
from gradebox.graders.targets.target import Target


@dataclass
class Paid:
    cost_usd: float | None
    name: str = "agent"

    def produce(self, *_: Any, repeat: int) -> Submission:
        return Submission(f"try {repeat}", transcript=Transcript(cost_usd=self.cost_usd))


def faults(cost_usd: float | None, limit_usd: float, tries: int) -> list[str]:
    limited = CostLimited(cast("Target", Paid(cost_usd)), limit_usd)
    nothing = cast("Any", None)
    return [limited.produce(nothing, nothing, nothing, repeat=number).fault for number in range(1, tries + 1)]


def test_no_try_begins_when_the_limit_is_reached() -> None:
    assert faults(0.4, 1.0, 4) == ["", "", "", COST_REACHED]
    assert faults(1.0, 1.0, 2) == ["", COST_REACHED]


def test_a_cost_that_is_not_stated_counts_for_nothing() -> None:
    assert faults(None, 0.1, 3) == ["", "", ""]
