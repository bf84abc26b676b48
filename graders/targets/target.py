"""The base of every target: a name, a place, and a way to make the submission for a case."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic.json_schema import SkipJsonSchema

from gradebox.graders.documents.diagnostics import DocumentPath
from gradebox.graders.documents.entries import Entry, WrittenAs
from gradebox.graders.documents.fields import Name
from gradebox.graders.documents.reader import Reader
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.open_sandboxes import INTERRUPTED
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.events import StepStarted
from gradebox.graders.model.submission import Submission
from gradebox.graders.submissions.answer import extract_code
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import SandboxError


class Target(Entry):
    """Makes submissions, by the settings in ``targets.yaml``."""

    converses: ClassVar[bool] = False  # Whether its submissions can have a transcript of several turns.
    internal = frozenset({"place"})

    name: Name
    place: SkipJsonSchema[Annotated[Place, WrittenAs(Any)]] = Place(Path())

    def check(self, reader: Reader, path: DocumentPath) -> None:
        """Report fields that cannot be combined."""

    def produce(self, engine: Engine, case: Case, settings: Settings, *, repeat: int = 1) -> Submission:
        """Return the submission that the target makes for a case. Never raises.

        If the target leaves the workspace unchanged, the code of its answer is its work. A failure of the target is the
        submission's `problem`; a fault of gradebox or of an author is its `fault`.
        """
        if settings.stop.is_set():
            return Submission(self.name, fault=INTERRUPTED)
        if case.turns and not self.converses:
            return Submission(self.name, fault=f"the target {self.name} answers once and cannot hold a conversation")
        settings.emit(StepStarted(case.id, self.name, f"the target {self.name}", 1, 1, case.target, repeat))
        try:
            return extract_code(case, self.make(engine, case, settings))
        except (GraderError, SandboxError) as error:
            return Submission(self.name, fault=str(error))
        except OSError as error:
            return Submission(self.name, fault=f"A file for the target {self.name} cannot be read: {error}.")

    @abstractmethod
    def make(self, engine: Engine, case: Case, settings: Settings) -> Submission:
        """Make the submission and return it.

        Raises:
            GraderError: If a file of the case or of the target, or a command, cannot be used.
            SandboxError: If the engine or the sandbox fails.
            OSError: If a file cannot be read.
        """
