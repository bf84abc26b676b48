"""What tests learn of files that the submission may have made, which is part of the answers."""

from __future__ import annotations

import _thread
import os
import stat
import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.describing import HERE
from gradebox.graders.languages.python.inside.apart.first import INSTALLED
from gradebox.graders.languages.python.inside.apart.in_grader.answer_trees import sha256

LISTING = frozenset(("os.listdir", "os.scandir"))
_MOST_READ_BYTES = 16 << 20


class SeenFiles:
    """What the part of a test that runs now has learned of files.

    Attributes:
        told: A function that adds what a test learns to the answers.
        has_looked: Whether a test has used what is not compared, such as databases and programs.
        has_listed: Whether a test has listed the workspace.
    """

    told: Any = staticmethod(lambda event, *content: None)

    def __init__(self) -> None:
        self.has_looked = self.has_listed = False
        # The threads that read a file to compare it.
        self._reading = set[int]()

    def is_reading(self) -> bool:
        """Whether this thread reads a file only to compare it."""
        return _thread.get_ident() in self._reading

    def look(self, event: str, path: str, *, is_written: bool = False) -> None:
        """Add what a test learns of a file by an audit event, unless the submission still writes to it."""
        if not _is_of_tests():
            return
        self._reading.add(thread := _thread.get_ident())
        try:
            content = None if is_written else _content(event, path)
        except OSError as error:
            content = [error.errno]
        finally:
            self._reading.discard(thread)
        if content is None:
            self.has_looked = True
        else:
            self.told(event, *content)

    def end(self, *, is_in_test: bool) -> bool:
        """Return whether a part of the tests has used what is not compared, and begin the next one."""
        # Tests are found by listing directories, so while they are loaded, this does not count.
        found = self.has_looked or (self.has_listed and is_in_test)
        self.has_looked = self.has_listed = False
        return found


def _is_of_tests() -> bool:
    """Whether a file of the case or an item is running, as opposed to a test runner alone."""
    others = (HERE, "<frozen", *filter(None, INSTALLED), sys.prefix, sys.base_prefix)
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(others):
        frame = frame.f_back
    return frame is not None


def _size(status: os.stat_result) -> list[Any]:
    """Return the kind and mode of a file, and the size of a regular one."""
    return [stat.filemode(status.st_mode), status.st_size if stat.S_ISREG(status.st_mode) else 0]


def _content(event: str, path: str) -> list[Any] | None:
    """Return what an audit event lets a test learn of a file, but for times; None if it is too much to compare."""
    if event == "os.readlink":
        return [os.readlink(path)]
    if event == "sqlite3.connect":
        return None
    status = os.stat(path)
    told = _size(status)
    if event in LISTING:
        return [*told, *([name, *_size(os.lstat(os.path.join(path, name)))] for name in sorted(os.listdir(path)))]
    if event != "open" or stat.S_ISDIR(status.st_mode):
        return told
    if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_READ_BYTES:
        return None
    with open(path, "rb") as file:
        return [*told, sha256(file.read()).hexdigest()]
