"""Computes how many parallel gradings the limit of open files allows. A grading has two connections to the engine."""

from __future__ import annotations

import errno
from pathlib import Path

# Open files per grading: its connections, those of sandboxes made and removed meanwhile, and a file that it uses.
_EACH = 4
# Files that are briefly open for other reasons: modules, reports, the run directory.
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
    """Return how many gradings fit into a limit of open files, besides those open now; at least one."""
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
