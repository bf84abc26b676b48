"""Lays a submission over a workspace. Pure, except that it reads the files of the workspace that a diff changes."""

from __future__ import annotations

from gradebox.graders.model.patch import FilePatch
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree, content, overlay, parents, remove
from gradebox.graders.submissions import diff
from gradebox.sandbox.archive import EntryKind, file_entry
from gradebox.sandbox.records import dataclass


@dataclass(frozen=True, slots=True)
class Laid:
    """A workspace with a submission laid over it."""

    tree: Tree  # The result.
    problem: str = ""  # Why the submission cannot be laid over the workspace, which is its own fault.


def lay(workspace: Tree, submission: Submission) -> Laid:
    if submission.problem:
        return Laid(workspace, submission.problem)
    match submission.form:
        case Form.NOTHING:
            return Laid(workspace)
        case Form.DIRECTORY | Form.ANSWER | Form.SOURCE_FILE:
            return Laid(overlay(remove(workspace, submission.deleted), submission.tree))
        case Form.DIFF:
            return _patch(workspace, submission.patches)


def _patch(workspace: Tree, patches: tuple[FilePatch, ...]) -> Laid:
    def read(path: str) -> bytes | None:
        entry = workspace.entries.get(path)
        return content(entry) if entry is not None and entry.kind is EntryKind.FILE else None

    try:
        changes = diff.apply(patches, read)
    except diff.DiffError as error:
        return Laid(workspace, f"The diff does not apply to the case's workspace: {error}")
    # Deletions come first, since a file may replace a deleted directory.
    tree = remove(workspace, [change.path for change in changes if change.content is None])
    made = {}
    for change in changes:
        if change.content is None:
            continue
        problem = _in_the_way(tree, change.path)
        if problem:
            return Laid(workspace, f"The diff does not apply to the case's workspace: {problem}")
        before = workspace.entries.get(change.origin or change.path)
        mode = change.mode or (before.mode if before else 0o644)
        made[change.path] = file_entry(change.path, change.content, mode=mode)
    return Laid(overlay(tree, Tree(made)))


def _in_the_way(tree: Tree, path: str) -> str:
    """Return why a file of a diff cannot be written to its path, empty if it can; `diff` itself knows only files."""
    there = tree.entries.get(path)
    if there is not None and there.kind is not EntryKind.FILE:
        return f"{path!r} is a {there.kind}."
    for parent in parents(path):
        entry = tree.entries.get(parent)
        if entry is not None and entry.kind is EntryKind.LINK:
            return f"{parent!r} is a link, and {path!r} lies beyond it."
    return ""
