"""The limit of open files of a sandbox: a runtime cannot allow more than its own limit, which it may not raise."""

from __future__ import annotations

import resource
import sys
from contextlib import suppress

from gradebox.sandbox.errors import EngineRefused
from gradebox.sandbox.limits import Limits

# The default limit of sandboxes. gVisor's runtime does not start with half of it.
_USUAL = Limits().open_files


def most() -> int:
    """Return how many files a process of this machine may open, after raising the limit if permitted."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        return sys.maxsize
    if hard < _USUAL:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, _USUAL))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def demand() -> None:
    """Raise EngineRefused, with a remedy, if gVisor does not start."""
    if (found := most()) < _USUAL:
        raise EngineRefused(
            f"gVisor does not start if a process may open only {found} files.",
            remedy=f"Raise the hard limit: `ulimit -Hn {_USUAL}`, or `LimitNOFILE={_USUAL}` of a service.",
        )


def warnings() -> tuple[str, ...]:
    """Return the warnings of ``grade doctor`` about this limit."""
    found = most()
    few = f"A process may open {found} files here, so sandboxes get no more, and gVisor does not start."
    return (few,) if found < _USUAL else ()
