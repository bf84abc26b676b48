"""The provider `mock`: the same answer to every case, to try out a suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from graders.documents.diagnostics import DocumentPath
from graders.documents.entries import Entry
from graders.documents.fields import Name, Text
from graders.documents.reader import Reader
from graders.grading.settings import Settings
from graders.model.case import Case
from graders.model.submission import Submission
from graders.submissions.answer import read_answer
from graders.targets.target import Target
from sandbox.engines.engine import Engine


class MockEntry(Entry):
    """The same answer to every case."""

    name: Name
    provider: Literal["mock"]
    output: Text

    def target(self, reader: Reader, path: DocumentPath) -> MockTarget:
        """Return the target that is written here."""
        return MockTarget(name=self.name, place=reader.document.place(path), output=self.output)


@dataclass(frozen=True, slots=True, kw_only=True)
class MockTarget(Target):
    """The same answer to every case."""

    provider: ClassVar[str] = "mock"

    output: str

    def make(self, engine: Engine, case: Case, settings: Settings) -> Submission:  # noqa: ARG002 - it needs none
        return read_answer(self.name, self.output)
