"""Targets of AgentV: the recordings of its `replay`, and targets that only AgentV can run."""

from __future__ import annotations

from typing import Any, Literal

from gradebox.graders.documents.fields import Name
from gradebox.graders.errors import GraderError
from gradebox.graders.formats.agentv.recorded_runs import read_recorded_runs
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Submission
from gradebox.graders.targets.target import Target
from gradebox.sandbox.engines.engine import Engine


class _Every:
    """Contains every id, since rows of other cases are not a mistake."""

    def __contains__(self, _: Any) -> bool:
        return True


class AgentvReplayTarget(Target):
    """Answers from a file of fixtures, by case id."""

    converses = True
    provider: Literal["agentv-replay"] = "agentv-replay"
    fixtures: Name

    def make(self, engine: Engine, case: Case, settings: Settings) -> Submission:  # noqa: ARG002 - nothing runs
        file = self.place.file.parent / self.fixtures
        recorded = next(read_recorded_runs([file], [case], _Every()).pairs(), None)
        if recorded is None:
            raise GraderError(f"{self.place}: the target {self.name} has no recording of {case.id} in {file}.")
        return recorded[1]


class ForeignTarget(Target):
    """A target that gradebox cannot run. Using it is an error of the case."""

    problem: str
    stands_for: str = ""  # If it is an alias, the name of the other target.

    def make(self, engine: Engine, case: Case, settings: Settings) -> Submission:  # noqa: ARG002 - nothing runs
        raise GraderError(
            f"{self.place}: the target {self.name} cannot make a submission of {case.id}: {self.problem}.",
            remedy="Run it with AgentV, and submit its run directory with `--answers DIR`.",
        )
