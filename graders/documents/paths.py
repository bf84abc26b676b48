"""Questions about paths that a case file wrote: whatever is wrong with one, the answer is no."""

from __future__ import annotations

import os
from pathlib import Path

# What Linux takes at most, in bytes.
LONGEST_PATH = 4096

# pathlib raises for names that are too long or cannot be looked up; these do not.


def exists(path: Path) -> bool:
    """Whether there is something, be it a dangling link."""
    return os.path.lexists(path)


def is_directory(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113
