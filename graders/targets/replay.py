"""The provider `replay`: recorded work, found by the id of its case.

For ``path: recorded/{case_id}`` and the case `fix`, below the directory of the file that defines the target:

    recorded/fix/          a directory laid over the workspace, or
    recorded/fix.diff      a unified diff (.patch too), or
    recorded/fix.md        an answer (.txt too)
    recorded/fix.jsonl     a transcript (.json too), beside one of these or alone

If the path is that of a file, only this file is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.fields import Name
from gradebox.graders.documents.paths import exists, is_directory
from gradebox.graders.documents.reader import Reader
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case
from gradebox.graders.model.submission import Submission
from gradebox.graders.submissions.source import ANSWERS, DIFFS, TRANSCRIPTS, read_transcript, read_work
from gradebox.graders.targets.target import Target
from gradebox.sandbox.engines.engine import Engine

PLACEHOLDERS = ("case_id", "target")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class ReplayTarget(Target):
    """A target whose submissions are recorded work."""

    converses = True
    provider: Literal["replay"] = "replay"
    path: Name = Field(description="Path of the recorded work; `{case_id}` and `{target}` are filled in.")

    def check(self, reader: Reader, path: DocumentPath) -> None:
        for name in _PLACEHOLDER.findall(self.path):
            if name not in PLACEHOLDERS:
                message = f"`path` holds the unknown placeholder `{{{shown(name)}}}`"
                reader.error((*path, "path"), message, suggestion(name, PLACEHOLDERS))

    def make(self, engine: Engine, case: Case, settings: Settings) -> Submission:  # noqa: ARG002 - nothing runs
        # The id of a case contains no path separator and does not start with a dot.
        written = self.path.replace("{case_id}", case.id).replace("{target}", case.target or self.name)
        path = self.place.file.parent / written
        found = list(_recordings(path))
        transcripts = [file for file in found if file.suffix in TRANSCRIPTS and not is_directory(file)]
        works = [file for file in found if file not in transcripts]
        if not found:
            raise GraderError(f"{self.place}: the target {self.name} has no recording of {case.id}: {path} is missing.")
        for several in (works, transcripts):
            if len(several) > 1:
                names = ", ".join(str(file) for file in several)
                raise GraderError(f"{self.place}: there are several recordings of {case.id}: {names}.")
        submission = read_work(works[0], self.name) if works else Submission(self.name)
        return replace(submission, transcript=read_transcript(transcripts[0])) if transcripts else submission


def _recordings(path: Path) -> Iterator[Path]:
    there = exists(path)
    if there:
        yield path
    if not there or is_directory(path):
        beside = (Path(f"{path}{suffix}") for suffix in (*DIFFS, *ANSWERS, *TRANSCRIPTS))
        yield from (file for file in beside if exists(file))
