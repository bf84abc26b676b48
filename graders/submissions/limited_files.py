"""Reads files of submissions: opens only named files, and reads each up to a limit."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from gradebox.graders.errors import SubmissionRefused

MAX_BYTES = 32 * 1024 * 1024


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file. Raises SubmissionRefused for any other kind, and OSError if it cannot be opened."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise SubmissionRefused(f"{path} is neither a directory nor a file.")
    # Without O_NONBLOCK, opening a named pipe that took the file's place would wait for its writer.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
        yield stream


def limited(path: Path) -> bytes:
    """Return the content of a file. Raises SubmissionRefused if it cannot be read, or is larger than MAX_BYTES."""
    try:
        with opened(path) as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise SubmissionRefused(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise SubmissionRefused(f"{path} cannot be read: {error}.") from error
    if len(data) > MAX_BYTES:
        raise SubmissionRefused(f"{path} is larger than {MAX_BYTES} bytes.")
    return data


def text_of_file(data: bytes) -> str:
    # The line ends that an editor writes are not part of the answer.
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def stays_below(directory: Path, path: Path) -> bool:
    """Return whether a path exists and lies in a directory after its links are resolved."""
    try:
        return path.resolve(strict=True).is_relative_to(directory.resolve())
    except (OSError, RuntimeError):
        return False
