"""Where the service's time comes from: a function that returns whole seconds since 1970."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

Clock = Callable[[], int]


def system_clock() -> int:
    return int(time.time())


def file_clock(path: Path) -> Clock:
    """Return a clock that shows what the file says, read anew each time."""

    def read() -> int:
        return int(path.read_text(encoding="ascii"))

    return read
