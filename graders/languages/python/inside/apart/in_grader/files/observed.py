"""What tests observe beside messages: files, which are part of the answers, and what cannot be compared.

Python tells of all these by audit events (https://docs.python.org/3/library/audit_events.html). An event that is not
listed here counts as one by which a test can observe the submission.
"""

from __future__ import annotations

import _thread
import os
import stat
import sys
from collections.abc import Callable
from typing import Any

from gradebox.graders.languages.python.inside.apart.describing import HERE
from gradebox.graders.languages.python.inside.apart.first import INSTALLED
from gradebox.graders.languages.python.inside.apart.in_grader.answer_trees import sha256
from gradebox.graders.languages.python.inside.apart.in_grader.errors import MAIN

_readlink = os.readlink
LISTING = frozenset(("os.listdir", "os.scandir"))
_MOST_READ_BYTES = 16 << 20
# Events by which a test observes nothing, or after which come others: by their first word, or as a whole.
_PLAIN = frozenset(
    "_thread array builtins code compile cpython ctypes exec function glob http import logging marshal object open "
    "pathlib pickle setopencodehook shutil sqlite3 sys tempfile time urllib".split()
)
_PLAIN_OF_OS = frozenset(
    "chdir chflags chmod chown link listdir mkdir putenv readlink remove removexattr rename rmdir scandir "
    "setxattr stat symlink truncate unsetenv utime walk".split()
)
_PLAIN_EVENTS = frozenset(("fcntl.fcntl", "socket.__new__", *(f"os.{name}" for name in _PLAIN_OF_OS)))
# Directories of the system in which processes show themselves, and what shows nothing there.
_SHOWING = ("/proc/", "/sys/", "/dev/")
_PLAIN_PLACES = (
    "/proc/self/",
    "/proc/sys/",
    *(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom")),
)


class Observed:
    """What the part of a test that runs now has observed.

    Attributes:
        told: A function that adds what a test observes of a file to the answers.
        has_looked: Whether a test has used what is not compared, such as databases and programs.
        has_listed: Whether a test has listed the workspace.
        databases: The paths of the databases that tests have opened.
    """

    told: Any = staticmethod(lambda event, *content: None)

    def __init__(self) -> None:
        self.has_looked = self.has_listed = False
        self.databases = set[str]()
        # The threads that read a file to compare it.
        self._reading = set[int]()

    def is_reading(self) -> bool:
        """Whether this thread reads a file only to compare it."""
        return _thread.get_ident() in self._reading

    def aside(self, use: Callable[..., Any], *args: Any) -> Any:
        """Call a function that uses files for this program, which no test observes."""
        self._reading.add(thread := _thread.get_ident())
        try:
            return use(*args)
        finally:
            self._reading.discard(thread)

    def hear(self, event: str, arguments: tuple[Any, ...], supervisor: str) -> None:
        """Take an audit event; the socket of the supervisor is this program's own."""
        if event in _PLAIN_EVENTS or event.partition(".")[0] in _PLAIN:
            return
        # A message without an address goes to what was connected before.
        if arguments[1:] not in ((supervisor,), (None,)):
            self.use()

    def use(self) -> None:
        """Take the use of something that is not compared."""
        if _is_of_tests() and not _is_copying():
            self.has_looked = True

    def see(self, path: str) -> None:
        """Take the path of a file that no candidate can make."""
        if path.startswith(_SHOWING) and not path.startswith(_PLAIN_PLACES):
            self.use()

    def read(self, event: str, path: str, *, is_written: bool = False) -> None:
        """Add what a test learns of a file by an audit event, unless the submission still writes to it."""
        if event == "sqlite3.connect":
            self.databases.add(path)
        if not _is_of_tests():
            return
        content = None if is_written else self.content(event, path)
        if content is None:
            self.has_looked = True
        else:
            self.told(event, *content)

    def content(self, event: str, path: str) -> list[Any] | None:
        """Return what an audit event lets a test learn of a file now; None if it is too much to compare."""
        try:
            found: list[Any] | None = self.aside(_content, event, path)
        except OSError as error:
            found = [error.errno]
        return found

    def end(self, *, is_in_test: bool) -> bool:
        """Return whether a part of the tests has used what is not compared, and begin the next one."""
        # Tests are found by listing directories, so while they are loaded, this does not count.
        found = self.has_looked or (self.has_listed and is_in_test)
        self.has_looked = self.has_listed = False
        return found


def held_files(is_lent: Callable[[str], bool], databases: set[str]) -> list[str]:
    """Return the paths of the lent files that this process has open for reading, but for databases."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            path = _readlink(f"/proc/self/fd/{number}")
        except OSError:  # It was open for listing them.
            continue
        if is_lent(path) and not any(path.startswith(each) for each in databases):
            with open(f"/proc/self/fdinfo/{number}") as file:
                flags = int(file.read().split("flags:")[1].split()[0], 8)
            found += [path] if flags & os.O_ACCMODE != os.O_WRONLY else []
    return found


def _is_of_tests() -> bool:
    """Whether a file of the case or an item is running, but not the import of a library."""
    others = (HERE, "<frozen", *INSTALLED, sys.prefix, sys.base_prefix)
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(others):
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return False
        frame = frame.f_back
    # What a test starts in a thread may be a function of the library.
    return frame is not None or _thread.get_ident() != MAIN


def _is_copying() -> bool:
    """Whether `shutil` copies or removes files, of which it tells nothing that the files do not."""
    frame: Any = sys._getframe(1)
    while frame.f_code.co_filename == HERE and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_globals.get("__name__") == "shutil"


def _size(status: os.stat_result) -> list[Any]:
    """Return the kind and mode of a file, and of a regular one the size and the number of its names."""
    is_regular = stat.S_ISREG(status.st_mode)
    return [stat.filemode(status.st_mode), *((status.st_size, status.st_nlink) if is_regular else ())]


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
