"""A target that makes the tries of a case until the tries have reached their cost limit."""

from __future__ import annotations

from dataclasses import field
from threading import Lock

from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Submission
from gradebox.graders.model.trials import COST_REACHED
from gradebox.graders.targets.target import Target
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.records import dataclass


@dataclass(slots=True)
class CostLimited:
    """A target shared by the tries of one case. Tries that have started when the limit is reached are finished.

    A try whose transcript states no cost counts as free.
    """

    target: Target
    limit_usd: float
    _spent_usd: float = 0.0
    _adding: Lock = field(default_factory=Lock)

    @property
    def name(self) -> str:
        return self.target.name

    def produce(self, engine: Engine, case: Case, settings: Settings, *, repeat: int = 1) -> Submission:
        """Return the submission of the target; if the limit is reached, a submission with the `fault` COST_REACHED."""
        with self._adding:
            if self._spent_usd >= self.limit_usd:
                return Submission(self.name, fault=COST_REACHED)
        made = self.target.produce(engine, case, settings, repeat=repeat)
        with self._adding:
            self._spent_usd += (made.transcript.cost_usd or 0.0) if made.transcript else 0.0
        return made
