"""`file-changes`: conditions for changed, added and removed files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field

from gradebox.graders.checks.base import Reading
from gradebox.graders.checks.files.file_check import OTHER_NAMES, Condition, FileCheck
from gradebox.graders.documents import globs
from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Count, Globs
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.tree import changed_paths

_Files = Annotated[Count, Field(ge=0)]


class FileChanges(FileCheck):
    """Conditions for changed, added and removed files; the score is the share of the conditions that hold."""

    type = "file-changes"

    paths: Globs = Field(
        default=(), validation_alias=OTHER_NAMES, description="Globs, each of which must match a changed file."
    )
    only: Globs = optional("Globs of the only files that may change.", default=())
    forbidden: Globs = optional("Globs of files that must not change.", default=())
    min_files: _Files | None = optional("How many files must change at least.")
    max_files: _Files | None = optional("How many files may change at most.")

    def completed(self, reading: Reading) -> Self | None:
        """Refuse a check that all submissions or none can meet."""
        least, most = self.min_files, self.max_files
        if not (self.paths or self.only or self.forbidden or least is not None or most is not None):
            reading.nothing_requested(["paths", "only", "forbidden", "min_files", "max_files"])
            return None
        if least is not None and most is not None and least > most:
            message = f"`min_files: {least}` is more than `max_files: {most}`"
            reading.error(("min_files",), message, "No submission could meet both.")
            return None
        return self

    def conditions(self, evidence: Evidence) -> Iterator[Condition]:
        changed = list(changed_paths(evidence.before, evidence.tree))
        for glob in self.paths:
            yield Condition(any(globs.matches_path(path, [glob]) for path in changed), f"nothing changed in {glob}")
        if self.only:
            outside = [path for path in changed if not globs.matches_path(path, self.only)]
            yield Condition(not outside, f"changed although only {', '.join(self.only)} may be: {_listed(outside)}")
        if self.forbidden:
            inside = [path for path in changed if globs.matches_path(path, self.forbidden)]
            yield Condition(not inside, f"changed although it must not be: {_listed(inside)}")
        if self.min_files is not None:
            reason = f"{len(changed)} files changed, at least {self.min_files} must"
            yield Condition(len(changed) >= self.min_files, reason)
        if self.max_files is not None:
            reason = f"{len(changed)} files changed, at most {self.max_files} may"
            yield Condition(len(changed) <= self.max_files, reason)


def _listed(paths: list[str]) -> str:
    return ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
