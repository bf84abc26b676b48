"""Finds out whether the submission changes files of the tests that the reference leaves as they are.

A test may compute what it expects from a file that it has passed, after the call: `assert digest(path) ==
sha256(path.read_bytes()).hexdigest()`. So a test fails if the submission has changed such a file. The contract has the
word `change NAME` at the path `#files` for each name of a file that the reference changes or removes.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gradebox.graders.languages.python.inside.apart.in_grader.answer_trees import sha256

_FILES = (("#files",),)
_MOST_FILES, _MOST_KEPT_BYTES, _NAME_MOST = 200, 1 << 20, 100
# What `tempfile` makes of a name.
_RANDOM = re.compile(r"tmp[a-z0-9_]{8}")


class KeptFiles:
    """The files of the tests in what is lent now.

    Attributes:
        places: The files and directories that are lent.
        kept: A hash of each file of the tests in them, by path.
        made: Hashes of files that the submission has made or may change, as they were when they were taken back.
    """

    def __init__(self) -> None:
        self.places = dict[str, None]()
        self.kept = dict[str, bytes]()
        self.made = dict[str, bytes]()

    def keep(self, places: Iterable[str]) -> None:
        """Read the first files of the tests in places that will be lent."""
        new = [place for place in places if place not in self.places]
        self.places.update(dict.fromkeys(new))
        found = _hashes_of_files(new)
        self.kept.update({path: held for path, held in found.items() if self.made.get(path) != held})

    def changed(self, may_change: Callable[[Any, str], bool]) -> str:
        """Return the name of a file that was changed and may not be, "" if there is none; all were taken back."""
        now, refused = _hashes_of_files(self.places), ""
        for path in [path for path, held in self.kept.items() if _hash_of_file(path) != held]:
            name = _RANDOM.sub("tmp", os.path.basename(path))[:_NAME_MOST]
            if may_change(_FILES, f"change {name}"):
                del self.kept[path]
            else:
                refused = refused or name
        self.made.update({path: held for path, held in now.items() if path not in self.kept})
        self.places.clear()
        self.kept.clear()
        return refused


def _hashes_of_files(places: Iterable[str]) -> dict[str, bytes]:
    """Return hashes of the first regular files in places, by path; no link is followed."""
    found = {}
    for path, _ in zip(_files_in(places), range(_MOST_FILES)):
        held = _hash_of_file(path)
        if held:
            found[path] = held
    return found


def _files_in(places: Iterable[str]) -> Iterator[str]:
    for place in places:
        yield place
        for top, _, names in os.walk(place):
            yield from (os.path.join(top, name) for name in sorted(names))


def _hash_of_file(path: str) -> bytes:
    """Return a hash of a regular file, empty if there is none or if it is large."""
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_KEPT_BYTES:
            return b""
        with open(path, "rb") as file:
            return bytes(sha256(file.read()).digest())
    except OSError:
        return b""
