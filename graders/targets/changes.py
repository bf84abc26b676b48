"""What a target made of a workspace: the difference of two trees, as a submission brings it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gradebox.graders.model.tree import Tree, differs, parents
from gradebox.sandbox.archive import ArchiveEntry, EntryKind

_REPOSITORY = ".git"


def fetched(entries: Iterable[ArchiveEntry]) -> Tree:
    """Return what came out of a sandbox as a tree, in the form in which a directory is scanned: without a repository.

    Modes are widened so that we can read and enter what a candidate made unreadable.
    """
    kept = (entry for entry in entries if entry.path.partition("/")[0] != _REPOSITORY)
    found = {entry.path: replace(entry, mode=_mode(entry)) for entry in kept}
    return Tree({path: found[path] for path in sorted(found)})


def changes(before: Tree, after: Tree) -> tuple[Tree, tuple[str, ...]]:
    """Return what was added or changed, and the paths that are gone.

    Laid over `before`, with those paths removed first, the result is `after`.
    """
    deleted = tuple(path for path in before.entries if path not in after.entries)
    made = {path for path, entry in after.entries.items() if differs(before.entries.get(path), entry)}
    # Removing what is gone also removes the directories that it leaves empty; these are still there.
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
