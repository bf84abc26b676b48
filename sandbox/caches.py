"""The user's directory for files that gradebox can make again: compiled supervisors, unpacked images."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def directory() -> Path:
    """Return the directory, following the XDG Base Directory Specification; it may not exist."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gradebox"


def remove() -> Path | None:
    """Remove the directory and return it; None if there was none.

    Raises:
        OSError: If a part of it cannot be removed.
    """
    place = directory()
    if not place.is_dir():
        return None
    shutil.rmtree(place)
    return place
