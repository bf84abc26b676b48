"""The control groups of sandboxes, versions 1 and 2: lists and kills processes, detects lack of memory, removes groups.

/gradebox/<sandbox>          ours; its counts can still be read when the sandbox has ended
/gradebox/<sandbox>/box      the runtime's; it has the limits, and the runtime removes it with the container
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from gradebox.sandbox.errors import EngineRefused

PARENT = "gradebox"
MOUNT = Path("/sys/fs/cgroup")
_REMOVAL_SECONDS = 2.0


def path(sandbox: str) -> str:
    """Return the path of the group that the runtime makes for a sandbox."""
    return f"/{PARENT}/{sandbox}/box"


def version() -> str:
    """Return the version of the machine's control groups."""
    return "2" if (MOUNT / "cgroup.controllers").exists() else "1"


def hybrid() -> Path | None:
    """Return where systemd mounted version 2 beside version 1, None if it did not. With it, crun does not start."""
    place = MOUNT / "unified"
    return place if version() == "1" and place.is_mount() else None


def _places(sandbox: str) -> list[Path]:
    """Return the group of a sandbox in each hierarchy (one in version 2). Links are aliases of other hierarchies."""
    tops = [MOUNT] if version() == "2" else [top for top in MOUNT.iterdir() if not top.is_symlink()]
    return [place for top in tops if (place := top / PARENT / sandbox).is_dir()]


def members(sandbox: str) -> set[int]:
    """Return the processes of a sandbox; none if it has no group."""
    found: set[int] = set()
    # The hierarchy that counts processes has all of them.
    place = MOUNT / ("" if version() == "2" else "pids") / PARENT / sandbox
    for directory, _, _ in os.walk(place):
        with suppress(OSError):
            found.update(map(int, Path(directory, "cgroup.procs").read_text("ascii").split()))
    return found


def network(sandbox: str) -> str:
    """Return the path of a running sandbox's network namespace, by way of its first process.

    Raises:
        EngineRefused: If the sandbox does not run.
    """
    for pid in members(sandbox):
        with suppress(OSError):
            # NSpid has the process's id in each PID namespace, the innermost one last.
            status = Path(f"/proc/{pid}/status").read_bytes().splitlines()
            if next(line for line in status if line.startswith(b"NSpid:")).split()[-1] == b"1":
                return f"/proc/{pid}/ns/net"
    raise EngineRefused("A sandbox cannot share the network of another one that has ended.")


def kill(sandbox: str) -> None:
    """Kill every process of a sandbox."""
    for pid in members(sandbox):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def ran_out_of_memory(sandbox: str, limit_bytes: int) -> bool:
    """Return whether memory reached its limit, which explains why a sandbox was killed."""
    for place in _places(sandbox):
        with suppress(OSError, ValueError):
            if version() == "2":
                # This file also counts events in the groups below.
                events = dict(line.split() for line in (place / "memory.events").read_text("ascii").splitlines())
                return int(events["oom_kill"]) > 0
            peak = int((place / "memory.max_usage_in_bytes").read_text("ascii"))
            # Version 1 does not count kills in the groups below, so compare the peak, as in supervisor/cgroup.c.
            return peak >= limit_bytes - limit_bytes // 8
    return False


def remove(sandbox: str) -> bool:
    """Remove the groups of a sandbox that has no process any more; retry, as the kernel may refuse for a moment.

    Returns:
        Whether they are gone. A process that does not die, such as one that waits for a broken disk, keeps them.
    """
    deadline, pause = time.monotonic() + _REMOVAL_SECONDS, 0.001
    while places := _places(sandbox):
        for place in places:
            for directory, _, _ in os.walk(place, topdown=False):
                with suppress(OSError):
                    Path(directory).rmdir()
        if not _places(sandbox):
            break
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = min(2 * pause, 0.1)
    return True
