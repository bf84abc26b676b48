"""Checks whether a run is writing to a directory, and locks a directory against runs."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gradebox.graders.errors import RunRefused
from gradebox.graders.runs.store import LOCK


def is_written(directory: Path) -> bool:
    """Return whether a run is writing to a run directory; always False on a file system without locks."""
    try:
        lock = os.open(directory / LOCK, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        # A shared lock, so that two processes that check do not mistake each other for a run.
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(lock)
    return False


@contextmanager
def kept_out(directory: Path) -> Iterator[None]:
    """Keep every run out of a run directory. Raises RunRefused if one is writing there, or it cannot be locked."""
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(directory / LOCK, flags, 0o644)
    except OSError as error:
        raise RunRefused(f"{directory} cannot be locked: {error.strerror}.") from error
    try:
        _lock(lock, directory)
        yield
    finally:
        os.close(lock)


def _lock(lock: int, directory: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise RunRefused(f"A run is writing to {directory}.", remedy="Wait until it has ended, or stop it.") from error
    except OSError as error:
        remedy = "If no run writes there, remove the directory with `rm -r`."
        raise RunRefused(f"{directory} cannot be locked: {error.strerror}.", remedy=remedy) from error
