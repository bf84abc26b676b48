"""The provider `mock`: the same answer to every case, to try out a suite."""

from __future__ import annotations

from typing import Literal

from graders.documents.fields import Text
from graders.grading.settings import Settings
from graders.model.case import Case
from graders.model.submission import Submission
from graders.submissions.answer import read_answer
from graders.targets.target import Target
from sandbox.engines.engine import Engine


class MockTarget(Target):
    """The same answer to every case."""

    provider: Literal["mock"] = "mock"
    output: Text

    def make(self, engine: Engine, case: Case, settings: Settings) -> Submission:  # noqa: ARG002 - it needs none
        return read_answer(self.name, self.output)
