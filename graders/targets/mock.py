"""The provider `mock`: gives the same answer to every case, to try out a suite."""

from __future__ import annotations

from typing import Literal

from gradebox.graders.documents.fields import Text
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Submission
from gradebox.graders.submissions.answer import read_answer
from gradebox.graders.targets.target import Target
from gradebox.sandbox.engines.engine import Engine


class MockTarget(Target):
    """Gives the same answer to every case."""

    provider: Literal["mock"] = "mock"
    output: Text

    def make(self, engine: Engine, case: Case, settings: Settings) -> Submission:  # noqa: ARG002 - it needs none
        return read_answer(self.name, self.output)
