"""The directory of this user in which gradebox keeps what it can make again: compiled supervisors, unpacked images."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def directory() -> Path:
    """Return the directory; it may not exist. By the XDG Base Directory Specification."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gradebox"


def remove() -> Path | None:
    """Remove the directory and return it; None if there was none.

    Raises:
        OSError: If something in it cannot be removed.
    """
    place = directory()
    if not place.is_dir():
        return None
    shutil.rmtree(place)
    return place
