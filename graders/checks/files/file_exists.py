"""`file-exists`: every glob matches a submitted file."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from gradebox.graders.checks.files.file_check import OTHER_NAMES, Condition, FileCheck, SomeGlobs
from gradebox.graders.documents import globs
from gradebox.graders.model.evidence import Evidence


class FileExists(FileCheck):
    """Every glob matches a file; the score is the share of globs that do."""

    type = "file-exists"

    paths: SomeGlobs = Field(validation_alias=OTHER_NAMES, description="Globs, each of which must match a file.")

    def conditions(self, evidence: Evidence) -> Iterator[Condition]:
        for glob in self.paths:
            yield Condition(bool(globs.matching(evidence.tree, glob)), f"there is no file {glob}")
