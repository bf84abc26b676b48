"""How many gradings at a time the open files of this process allow. A grading holds two connections to the engine."""

from __future__ import annotations

import errno
from pathlib import Path

# Connections of a grading and of the sandboxes made and removed meanwhile, and a file that it reads or writes.
_EACH = 4
# For whatever else is open for a moment: modules, reports, the run directory.
_RESERVED = 16


def open_limit() -> int | None:
    """Return how many files this process may open; None if there is no limit, or the system does not say."""
    try:
        import resource  # noqa: PLC0415 - Windows has none
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


def jobs_within(limit: int) -> int:
    """Return how many gradings fit into a limit of open files, besides what is open now: one at least."""
    try:
        used = sum(1 for _ in Path("/dev/fd").iterdir())
    except OSError:
        used = _RESERVED
    return max(1, (limit - used - _RESERVED) // _EACH)


def ran_out(error: BaseException | None) -> bool:
    """Return whether an error is due to too many open files."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return True
        error = error.__cause__
    return False
