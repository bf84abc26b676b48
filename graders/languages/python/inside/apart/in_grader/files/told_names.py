"""Limits which files tests may open: no hidden file that the submission named, and the case's only as often as before.

"Before" means with the reference. Otherwise a submission could return the path of the file with which it is compared.
"""

from __future__ import annotations

import binascii
import os
from typing import Any

_PATH_CHARACTERS = 4096
_MOST_WAITING, _MOST_WAITING_BYTES = 1000, 1 << 20
_abspath, _stat = os.path.abspath, os.stat
BEING_LOADED: set[str] = set()
"""Files of the case that are being read for execution. Their digests are checked, and no test sees their content."""
LOADED: set[str] = set()
"""Files of the case that were read for execution. Tracebacks quote them."""


class ToldNames:
    """The received texts, as paths.

    Attributes:
        told_opened: A function that gets the path of each such file that a test opens.
        names: Names of files of the case. Any other text counts as a path if it has a slash.
        readable: Files that the candidate owned, or that were lent to it.
        opened: How often each file of the case that not everybody can read was opened.
        allowed: How often each may be opened, as with the reference; None if that is not known.
        served: Files that functions of the tests opened while the submission called them, as with the reference.
    """

    told_opened: Any = staticmethod(lambda path: None)

    def __init__(self) -> None:
        self.names = frozenset[str]()
        self.paths, self.ends, self.readable, self.dotted = set[str](), set[str](), set[str](), set[str]()
        self.waiting: list[Any] = []
        self.size = 0
        self.opened: dict[str, int] = {}
        self.allowed: dict[str, int] | None = None
        self.served = set[str]()

    def hear(self, tree: Any, size: int) -> None:
        """Record a received message."""
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
            elif type(tree) is str and ("/" in tree or tree in self.names):
                path = _abspath(path_of_uri(tree) if tree.startswith("file:") else tree)
                if len(path) > _PATH_CHARACTERS:
                    continue
                self.paths.add(path)
                if "../" in tree:
                    # A test may put a directory in front of this path.
                    self.ends.add(os.path.normpath(tree.rpartition("../")[2]))
            elif type(tree) is str and "." in tree and len(tree) < _PATH_CHARACTERS and _is_dotted(tree):
                self.dotted.add(tree)

    def has(self, path: str) -> bool:
        """Whether the submission has named a path, or an object of a module."""
        self._look()
        return path in self.paths or path in self.dotted

    def allow(self, words: Any) -> None:
        """Set how often files may be opened, from words of the contract such as `open 2 PATH`."""
        self.allowed = {}
        for verb, count, path in (word.split(" ", 2) for word in words):
            if verb == "serve":
                self.served.add(path)
            else:
                self.allowed[path] = max(int(count), self.allowed.get(path, 0))

    def words(self) -> list[str]:
        """Return these words for the files that were opened."""
        counted = [f"open {count} {path}" for path, count in self.opened.items()]
        return counted + [f"serve 1 {path}" for path in self.served]

    def count(self, path: str, is_serving: bool = False) -> None:
        """Count that a test opens a file of the case, or a function of the tests that the submission has called.

        Raises:
            PermissionError: If tests open the file less often with the reference.
        """
        if not path or path in LOADED or not _is_hidden(path):
            return
        if is_serving and (self.allowed is None or path in self.served):
            self.served.add(path)
            return
        self.opened[path] = self.opened.get(path, 0) + 1
        self.told_opened(path)
        if self.allowed is not None and self.opened[path] > self.allowed.get(path, 0):
            raise PermissionError(
                f"the submission may have named {path}: tests open it more often than with the reference"
            )

    def refuse(self, path: str) -> None:
        """Raise PermissionError for a path that the submission named although it cannot read it."""
        if path in BEING_LOADED or not _is_hidden(path):
            return
        self._look()
        parts = path.split("/")
        # A test may open a file in a directory that the submission named.
        above = ["/".join(parts[:end]) for end in range(2, len(parts))]
        is_told = path in self.paths or any(each in self.paths and _is_hidden(each) for each in above)
        is_told = is_told or any("/".join(parts[place:]) in self.ends for place in range(1, len(parts)))
        if is_told and not any(f"{path}/".startswith(f"{each}/") for each in self.readable):
            raise PermissionError(f"the submission named a file that it cannot read itself: {path}")


def path_of_uri(uri: str) -> str:
    """Return the path in a URI that begins with `file:`, as SQLite reads it (https://www.sqlite.org/uri.html)."""
    from urllib.parse import unquote_to_bytes

    path = uri[5:].partition("#")[0].partition("?")[0]
    # SQLite cuts off the host before it decodes the rest, up to a null byte.
    path = "/" + path[2:].partition("/")[2] if path.startswith("//") else path
    return os.fsdecode(unquote_to_bytes(path).partition(b"\0")[0])


def file_identity(path: str) -> Any:
    """Return an identity that all links to a file share; the path itself if there is no file."""
    try:
        found = _stat(path)
        return found.st_dev, found.st_ino
    except (OSError, ValueError):
        return path


def _path_of_bytes(part: Any) -> str:
    """Return the path in bytes that were sent as base64, "" if they are no path."""
    try:
        return os.fsdecode(binascii.a2b_base64(part))
    except (TypeError, ValueError):
        return ""


def _is_dotted(text: str) -> bool:
    return all(map(str.isidentifier, text.split(".")))


def _is_hidden(path: str) -> bool:
    """Whether only some users can read a file or directory."""
    try:
        if not _stat(path).st_mode & 0o004:
            return True
        parts = path.split("/")
        return not all(_stat("/".join(parts[:end]) or "/").st_mode & 0o001 for end in range(1, len(parts)))
    except OSError:
        return False
