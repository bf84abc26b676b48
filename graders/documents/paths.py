"""Looks up paths from case files (an invalid path counts as one that does not exist), and makes safe file names."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

# The limit of Linux, in bytes.
LONGEST_PATH = 4096
_NAME_MAX = 120

# Unlike methods of pathlib, these functions do not raise for names that are too long or cannot be looked up.


def exists(path: Path) -> bool:
    """Return whether a path exists, even as a dangling link."""
    return os.path.lexists(path)


def is_directory(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading. Raises OSError if that fails, or it is a pipe, a device or a directory."""
    # Without O_NONBLOCK, opening a named pipe would wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def checkout_root(directory: Path) -> Path | None:
    """Return the nearest of the directory and its parents with `.git`, or else the topmost one with `.agentv`."""
    above = (directory, *directory.parents)
    places = chain(((parent, ".git") for parent in above), ((parent, ".agentv") for parent in reversed(above)))
    return next((parent for parent, name in places if exists(parent / name)), None)


def searched(directory: Path) -> Iterator[Path]:
    """Yield the directories in which a file is looked up: this one, and its parents up to the repository's root."""
    root = checkout_root(directory)
    yield directory
    if root is not None and root != directory:
        yield from directory.parents[: directory.parents.index(root) + 1]


def named_file(written: str, bases: tuple[Path, ...]) -> Path | None:
    """Return the file that a case names, looked up in its directories and their parents up to the repository's root.

    A path that starts with a slash starts at that root.
    """
    if len(written) > LONGEST_PATH:
        return None
    if written.startswith("/"):
        bases, written = tuple(filter(None, map(checkout_root, bases))), written.lstrip("/")
    places = chain(bases, chain.from_iterable(map(searched, bases)))
    return next((Path(os.path.normpath(base / written)) for base in places if is_file(base / written)), None)


def file_name(text: str) -> str:
    """Return a name that is safe on any file system, and as readable as possible.

    It never has a separator, never begins with a dot, and is at most 120 characters long. Different texts get different
    names: a name that was cut ends with a part of the text's hash.
    """
    raw = text.encode("utf-8", "surrogatepass")
    # Blanks become plus signs, and plus signs are quoted. Only a name that was cut has `%-`, so names stay different.
    quoted = quote(raw, safe=" (),=@#").replace(" ", "+")
    if quoted.startswith("."):
        quoted = "%2E" + quoted[1:]
    if len(quoted) > _NAME_MAX:
        digest = sha256(raw).hexdigest()[:16]
        quoted = f"{quoted[: _NAME_MAX - len(digest) - 2]}%-{digest}"
    return quoted or "%"
