"""The meaning of globs everywhere in gradebox.

    ?  *  [abc]  [!abc]    one character, any number of them, one of these, one of the others; never a slash
    **                     as a whole part between slashes: any number of directories

A glob that matches a directory also matches everything below it. Upper and lower case differ, and names with a leading
dot are not special. The purpose of a glob decides where it begins:

    a kind of file         protect, allow: as in .gitignore, a glob without a slash matches a name at any depth, and
                           a glob with a slash (also ``./a.txt``) begins at the workspace
    a path                 file checks and `tests`: it begins at the workspace, or in the directory of the suite

We have our own matcher because both names and globs may be hostile: candidates choose file names, and their
configuration contains globs. Libraries translate a glob to one regular expression, which can take minutes on a name of
60 characters.
"""

from __future__ import annotations

import glob as shell
import os
import re
from collections.abc import Iterable, Sequence
from fnmatch import translate
from functools import lru_cache
from pathlib import Path

from gradebox.graders.model.evidence import workspace_path
from gradebox.graders.model.tree import Tree
from gradebox.sandbox.archive import EntryKind

_ANY_DEPTH = "**"
_NOTHING = re.compile(r"(?!)")


def matches(path: str, globs: Iterable[str]) -> bool:
    """Return whether one of these globs of kinds of files matches a relative path, or a directory above it."""
    # A glob whose only slash is at its end does not begin at the workspace.
    return _matches(
        path, [glob if "/" in glob.rstrip("/") else f"**/{glob}" for glob in globs if glob.strip("/") not in ("", ".")]
    )


def matches_path(path: str, globs: Iterable[str]) -> bool:
    """Return whether one of these globs of paths matches a path of the workspace, or a directory above it."""
    return _matches(path, map(workspace_path, globs))


def at_any_depth(glob: str) -> str:
    """Return a glob of kinds of files with `**` before each part that has a `*`: its widest possible meaning."""
    if "/" not in glob.rstrip("/") or glob.startswith("./"):
        return glob
    parts = glob.split("/")
    return "/".join(f"**/{part}" if "*" in part.replace(_ANY_DEPTH, "") else part for part in parts)


def matching(tree: Tree, glob: str) -> list[str]:
    """Return the files and links of a tree that a glob of a path matches."""
    pattern = [workspace_path(glob)]
    return [
        path
        for path, entry in tree.entries.items()
        if entry.kind is not EntryKind.DIRECTORY and _matches(path, pattern)
    ]


def expand(pattern: Path) -> list[Path]:
    """Return the files and directories that a glob of a path matches, in bytewise order.

    As in a shell, names with a leading dot match only if the glob writes the dot.
    """
    # Path.glob accepts no absolute pattern.
    return [Path(found) for found in sorted(shell.glob(str(pattern), recursive=True), key=os.fsencode)]  # noqa: PTH207


def _matches(path: str, globs: Iterable[str]) -> bool:
    parts = path.split("/")
    return any(_leads_to(parts, _compiled(glob)) for glob in globs)


def _leads_to(parts: Sequence[str], pattern: Sequence[re.Pattern[str] | None]) -> bool:
    """Return whether a pattern matches a path or a directory above it.

    Keeps the set of positions in the pattern that the parts so far can reach, so time grows with the product of both
    lengths, and not exponentially.
    """
    places = _beyond_any_depth({0}, pattern)
    for part in parts:
        moved = set()
        for place in places - {len(pattern)}:
            wanted = pattern[place]
            if wanted is None:
                moved.add(place)
            elif wanted.match(part):
                moved.add(place + 1)
        places = _beyond_any_depth(moved, pattern)
        if len(pattern) in places:
            return True
    return False


def _beyond_any_depth(places: set[int], pattern: Sequence[re.Pattern[str] | None]) -> set[int]:
    """Add the positions after each `**`, which can match no directory at all. Two `**` never follow each other."""
    return places | {place + 1 for place in places if place < len(pattern) and pattern[place] is None}


# The cache is small because some globs come from a candidate, who can make each one long.
@lru_cache(maxsize=1024)
def _compiled(glob: str) -> tuple[re.Pattern[str] | None, ...]:
    """Return the patterns for the parts of a glob, with None for `**`."""
    written = [part for part in glob.split("/") if part not in ("", ".")]
    # Several `**` in a row mean the same as one.
    parts = [
        part for part, before in zip(written, ("", *written), strict=False) if part != before or part != _ANY_DEPTH
    ]
    # A glob without any part matches nothing.
    return tuple(None if part == _ANY_DEPTH else re.compile(translate(part)) for part in parts) or (_NOTHING,)
