"""`file-contains`: for every glob, one file that it matches contains all values."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from gradebox.graders.checks.files.file_check import OTHER_NAMES, Condition, FileCheck, SomeGlobs
from gradebox.graders.checks.text.text_check import Parts
from gradebox.graders.documents import globs
from gradebox.graders.model.evidence import Evidence, TextUnreadable, file_text
from gradebox.graders.model.tree import Tree


class FileContains(FileCheck):
    """For every glob, a file contains all values; the score is the share of globs with such a file."""

    type = "file-contains"

    paths: SomeGlobs = Field(validation_alias=OTHER_NAMES, description="Globs of the files to look at.")
    value: Parts = Field(description="What the files must contain.")

    def conditions(self, evidence: Evidence) -> Iterator[Condition]:
        for glob in self.paths:
            paths = globs.matching(evidence.tree, glob)
            if not paths:
                yield Condition(False, f"there is no file {glob}")
                continue
            met = any(self._holds(evidence.tree, path) for path in paths)
            yield Condition(met, f"{glob} does not contain {', '.join(f'{value!r:.60}' for value in self.value[:5])}")

    def _holds(self, tree: Tree, path: str) -> bool:
        try:
            text = file_text(tree, path)
        except TextUnreadable:
            # An unreadable file never helps: a negated check treats it as containing the values.
            return self.negate
        return all(value in text for value in self.value)
