"""Questions about paths that a case file wrote (whatever is wrong with one, the answer is no), and safe file names."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Container, Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

# What Linux takes at most, in bytes.
# Every run directory has both.
RUN_RECORD, RUN_RESULTS = "run.json", "results.jsonl"
LONGEST_PATH = 4096
_NAME_MAX = 120

# pathlib raises for names that are too long or cannot be looked up; these do not.


def exists(path: Path) -> bool:
    """Return whether something exists there, a dangling link included."""
    return os.path.lexists(path)


def is_directory(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def open_regular(path: Path) -> BinaryIO:
    """Open a file to read it. Raises OSError if that cannot be done, or it is a pipe, a device or a directory."""
    # Without O_NONBLOCK a named pipe would be waited for.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def holds_runs(directory: Path) -> bool:
    """Return whether a directory is a run directory, or holds one."""
    inside = chain((directory,), (file.parent for file in directory.glob(f"*/{RUN_RECORD}")))
    return any(exists(each / RUN_RECORD) and exists(each / RUN_RESULTS) for each in inside)


def is_of_run(names: Container[str]) -> bool:
    """Return whether these are the names of the files of a run directory."""
    return RUN_RECORD in names and RUN_RESULTS in names


def checkout_root(directory: Path) -> Path | None:
    """Return the nearest directory above that is under version control; else the topmost one that has `.agentv`."""
    above = (directory, *directory.parents)
    places = chain(((parent, ".git") for parent in above), ((parent, ".agentv") for parent in reversed(above)))
    return next((parent for parent, name in places if exists(parent / name)), None)


def searched(directory: Path) -> Iterator[Path]:
    """Yield the directories in which a file is looked up: this one, and those above as far as the repository goes."""
    root = checkout_root(directory)
    yield directory
    if root is not None and root != directory:
        yield from directory.parents[: directory.parents.index(root) + 1]


def named_file(written: str, bases: tuple[Path, ...]) -> Path | None:
    """Return the file that a case names, from its directories, or from those above up to the repository's root.

    A path that starts with a slash starts at that root.
    """
    if len(written) > LONGEST_PATH:
        return None
    if written.startswith("/"):
        bases, written = tuple(filter(None, map(checkout_root, bases))), written.lstrip("/")
    places = chain(bases, chain.from_iterable(map(searched, bases)))
    return next((Path(os.path.normpath(base / written)) for base in places if is_file(base / written)), None)


def file_name(text: str) -> str:
    """Return a name that is safe on any file system, and readable where the text allows it.

    It never holds a separator, never begins with a dot, and is at most 120 characters long. Different texts have
    different names: what had to be cut ends with a part of the text's hash.
    """
    raw = text.encode("utf-8", "surrogatepass")
    # Blanks become plus signs, and plus signs are quoted; a percent sign stands before two digits, unless we cut.
    quoted = quote(raw, safe=" (),=@#").replace(" ", "+")
    if quoted.startswith("."):
        quoted = "%2E" + quoted[1:]
    if len(quoted) > _NAME_MAX:
        digest = sha256(raw).hexdigest()[:16]
        quoted = f"{quoted[: _NAME_MAX - len(digest) - 2]}%-{digest}"
    return quoted or "%"
