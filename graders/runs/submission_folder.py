"""Refuses a folder of submissions that is given as one submission. Grades nothing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gradebox.graders.documents.paths import is_directory
from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.grading.prepare import read_files
from gradebox.graders.model.case import Case
from gradebox.graders.model.tree import Tree
from gradebox.graders.submissions import layout
from gradebox.graders.submissions.known_names import KnownNames
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.archive import ArchiveEntry


def refuse_folder(cases: Iterable[Case], submissions: tuple[str, ...]) -> None:
    """Refuse a single submission that is a folder of submissions: a mistake in the command.

    Of several, one is a candidate's own directory, and others must not wait for it. Raises SubmissionRefused if two or
    more entries of it fit a case by themselves, and CaseRefused if a directory of a case cannot be read.
    """
    if len(submissions) != 1 or not is_directory(path := Path(submissions[0])):
        return
    tree = read_submission(path).tree
    for case in cases:
        found = layout.submissions_within(KnownNames(case, read_files(case)), tree, _unpacked)
        if len(found) > 1:
            raise SubmissionRefused(
                f"{path} is a folder of submissions: {layout.listed(found)} fit the case {case.id} by themselves.",
                remedy=f"Did you mean -s {path}/*?",
            )


def _unpacked(entry: ArchiveEntry) -> Tree:
    return read_submission(entry.source).tree if entry.source else Tree()
