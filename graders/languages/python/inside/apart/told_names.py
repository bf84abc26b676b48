"""Which files the candidate's process has named: no test opens one that the candidate could not read itself."""

from __future__ import annotations

import binascii
import os
from typing import Any

_PATH_CHARACTERS = 4096
_MOST_WAITING, _MOST_WAITING_BYTES = 1000, 1 << 20
_abspath, _stat = os.path.abspath, os.stat
BEING_LOADED: set[str] = set()
"""Files of the case that are read to be run. Their digests are checked, and no test sees what is in them."""


class ToldNames:
    """The texts that were received, as the paths that they could be.

    Attributes:
        names: Of files of the case. Any other text is a path if it has a slash.
        readable: What was the candidate's, or was lent to it.
    """

    def __init__(self) -> None:
        self.names = frozenset[str]()
        self.paths, self.ends, self.readable = set[str](), set[str](), set[str]()
        self.waiting: list[Any] = []
        self.size = 0

    def hear(self, tree: Any, size: int) -> None:
        """Take note of a message."""
        self.waiting.append(tree)
        self.size += size
        if len(self.waiting) > _MOST_WAITING or self.size > _MOST_WAITING_BYTES:
            self._look()

    def _look(self) -> None:
        trees, self.waiting, self.size = self.waiting, [], 0
        while trees:
            tree = trees.pop()
            if type(tree) is list:
                trees += tree if tree[:1] != ["b"] else map(_path_of_bytes, tree[1:])
            elif type(tree) is dict:
                trees += [*tree, *tree.values()]
            elif type(tree) is str and len(tree) <= _PATH_CHARACTERS and ("/" in tree or tree in self.names):
                self.paths.add(_abspath(tree))
                if "../" in tree:
                    # A test may put a directory in front of it.
                    self.ends.add(os.path.normpath(tree.rpartition("../")[2]))

    def refuse(self, path: str) -> None:
        """Raise PermissionError for a path that was named by who cannot read it."""
        if path in BEING_LOADED or not _is_hidden(path):
            return
        self._look()
        parts = path.split("/")
        # A test may open what lies in a directory that was named.
        above = ["/".join(parts[:end]) for end in range(2, len(parts))]
        is_told = path in self.paths or any(each in self.paths and _is_hidden(each) for each in above)
        is_told = is_told or any("/".join(parts[place:]) in self.ends for place in range(1, len(parts)))
        if is_told and not any(f"{path}/".startswith(f"{each}/") for each in self.readable):
            raise PermissionError(f"the submission named a file that it cannot read itself: {path}")


def _path_of_bytes(part: Any) -> str:
    """Return the path that bytes are, as they are sent."""
    try:
        return os.fsdecode(binascii.a2b_base64(part))
    except (TypeError, ValueError):
        return ""


def _is_hidden(path: str) -> bool:
    """Whether only some users can read a file or directory."""
    try:
        if not _stat(path).st_mode & 0o004:
            return True
        parts = path.split("/")
        return not all(_stat("/".join(parts[:end]) or "/").st_mode & 0o001 for end in range(1, len(parts)))
    except OSError:
        return False
