"""Folders of submissions: finds their entries, and refuses a folder given as a single submission. Grades nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from gradebox.graders.documents.paths import is_directory
from gradebox.graders.errors import SubmissionRefused
from gradebox.graders.grading.prepare import read_files
from gradebox.graders.model.case import Case
from gradebox.graders.model.tree import Tree
from gradebox.graders.runs.request import Request
from gradebox.graders.submissions import layout
from gradebox.graders.submissions.class_folder import hand_ins
from gradebox.graders.submissions.known_names import KnownNames
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.archive import ArchiveEntry

Unpack = Callable[[ArchiveEntry], Tree]


def with_hand_ins(request: Request, cases: Iterable[Case]) -> Request:
    """Return a request with the submissions in its folder, if it has one.

    If the folder has only one directory, with several submissions inside, those are taken. Raises UsageRefused and
    SubmissionRefused like `hand_ins`, and CaseRefused if a directory of a case cannot be read.
    """
    if request.folder is None:
        return request
    folder = request.folder.absolute()
    found = hand_ins(folder, name_from=request.name_from, strip=request.strip or 0, runs=request.runs)
    if request.strip is None and len(found) == 1 and is_directory(Path(found[0].path)):
        tree = read_submission(found[0].path).tree
        unpacked = cache(_unpacked)
        if any(len(_fitting(case, tree, unpacked)) > 1 for case in cases):
            found = hand_ins(folder, name_from=request.name_from, strip=1, runs=request.runs)
    return replace(request, submissions=tuple(one.path for one in found), hand_ins=found)


def _fitting(case: Case, tree: Tree, unpacked: Unpack) -> tuple[str, ...]:
    """Return the entries of a directory that fit a case by themselves."""
    return layout.submissions_within(KnownNames(case, read_files(case)), tree, unpacked)


def refuse_folder(cases: Iterable[Case], submissions: tuple[str, ...]) -> None:
    """Refuse a single submission that is a folder of submissions, because that is a mistake in the command.

    With several submissions, a folder is a candidate's own mistake, which must not stop the others. Raises
    SubmissionRefused if two or more of its entries fit a case by themselves, and CaseRefused if a directory of a case
    cannot be read.
    """
    if len(submissions) != 1 or not is_directory(path := Path(submissions[0])):
        return
    tree, unpacked = read_submission(path).tree, cache(_unpacked)
    for case in cases:
        found = _fitting(case, tree, unpacked)
        if len(found) > 1:
            raise SubmissionRefused(
                f"{path} is a folder of submissions: {layout.listed(found)} fit the case {case.id} by themselves.",
                remedy=f"Did you mean -s {path}/*?",
            )


def _unpacked(entry: ArchiveEntry) -> Tree:
    """Return the files of an archive without their contents, or an empty tree if it cannot be read."""
    entries = read_submission(entry.source).tree.entries if entry.source else {}
    return Tree({path: replace(one, data=None) for path, one in entries.items()})
