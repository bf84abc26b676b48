"""Globs of paths in a workspace, for checks that say which file they mean. Pure.

``*`` and ``?`` stop at slashes, ``**`` is any number of directories, and a glob begins at the workspace: ``a.txt`` is
that file and no other. (Globs that protect files are wider on purpose: they match a name at any depth.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from graders.model.evidence import workspace_path
from graders.model.tree import Tree
from sandbox.archive import Kind


def matching(tree: Tree, glob: str) -> list[str]:
    """Return the files and links of a tree that a glob matches, and all that lies below a directory that it matches."""
    pattern = workspace_path(glob).split("/")
    return [path for path, entry in tree.entries.items() if entry.kind is not Kind.DIRECTORY and _below(path, pattern)]


def matches_any(path: str, globs: Iterable[str]) -> bool:
    """Say whether one of these globs matches a path, or a directory that leads to it."""
    return any(_below(path, workspace_path(glob).split("/")) for glob in globs)


def _below(path: str, pattern: Sequence[str]) -> bool:
    """Say whether a pattern matches a path or a directory that leads to it."""
    # The set of places in the pattern at which the parts so far may stand; small, whatever the path.
    places = _beyond_stars({0}, pattern)
    for part in path.split("/"):
        moved = {
            place if pattern[place] == "**" else place + 1
            for place in places
            if place < len(pattern) and (pattern[place] == "**" or fnmatchcase(part, pattern[place]))
        }
        places = _beyond_stars(moved, pattern)
        if len(pattern) in places:
            return True
    return False


def _beyond_stars(places: set[int], pattern: Sequence[str]) -> set[int]:
    found = set(places)
    for place in sorted(places):
        at = place
        while at < len(pattern) and pattern[at] == "**":
            at += 1
            found.add(at)
    return found
