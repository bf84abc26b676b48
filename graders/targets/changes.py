"""A target's changes to a workspace: the difference of two trees, in the form of a submission."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gradebox.graders.model.tree import Tree, differs, parents
from gradebox.sandbox.archive import ArchiveEntry, EntryKind

_REPOSITORY = ".git"


def fetched(entries: Iterable[ArchiveEntry]) -> Tree:
    """Return the entries from a sandbox as a tree like that of a scanned directory, without a Git repository.

    Modes are widened so that gradebox can read files and directories that a candidate made unreadable.
    """
    kept = (entry for entry in entries if entry.path.partition("/")[0] != _REPOSITORY)
    found = {entry.path: replace(entry, mode=_mode(entry)) for entry in kept}
    return Tree({path: found[path] for path in sorted(found)})


def changes(before: Tree, after: Tree) -> tuple[Tree, tuple[str, ...]]:
    """Return the added and changed entries as a tree, and the removed paths.

    Removing these paths from `before`, and then laying the tree over it, results in `after`.
    """
    deleted = tuple(path for path in before.entries if path not in after.entries)
    made = {path for path, entry in after.entries.items() if differs(before.entries.get(path), entry)}
    # Removing the paths also removes emptied directories. Those that still exist are added again.
    made.update(parent for path in deleted for parent in parents(path) if parent in after.entries)
    return Tree({path: entry for path, entry in after.entries.items() if path in made}), deleted


def _mode(entry: ArchiveEntry) -> int:
    match entry.kind:
        case EntryKind.DIRECTORY:
            return entry.mode & 0o777 | 0o700
        case EntryKind.LINK:
            return 0o777
        case EntryKind.FILE:
            return entry.mode & 0o777 | 0o600
