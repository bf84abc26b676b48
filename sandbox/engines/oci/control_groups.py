"""The control groups of sandboxes: who is in them, killing these, lack of memory, removal. Both versions.

/gradebox/<sandbox>          ours; what it has counted is still there when the sandbox has ended
/gradebox/<sandbox>/box      the runtime's, which has the limits, and which it removes with the container
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
    """Return the group that the runtime makes for a sandbox."""
    return f"/{PARENT}/{sandbox}/box"


def version() -> str:
    """Return the version of the machine's control groups."""
    return "2" if (MOUNT / "cgroup.controllers").exists() else "1"


def hybrid() -> Path | None:
    """Return where systemd has mounted version 2 beside version 1, None if it has not. crun does not start there."""
    place = MOUNT / "unified"
    return place if version() == "1" and place.is_mount() else None


def _places(sandbox: str) -> list[Path]:
    """Return the group of a sandbox in each hierarchy; version 2 has one. A link names another one's hierarchy."""
    tops = [MOUNT] if version() == "2" else [top for top in MOUNT.iterdir() if not top.is_symlink()]
    return [place for top in tops if (place := top / PARENT / sandbox).is_dir()]


def members(sandbox: str) -> set[int]:
    """Return the processes of a sandbox; none if it has no group."""
    found: set[int] = set()
    # Whichever hierarchy counts processes has all of them.
    place = MOUNT / ("" if version() == "2" else "pids") / PARENT / sandbox
    for directory, _, _ in os.walk(place):
        with suppress(OSError):
            found.update(map(int, Path(directory, "cgroup.procs").read_text("ascii").split()))
    return found


def network(sandbox: str) -> str:
    """Return the path of the network namespace of a running sandbox, that of its first process.

    Raises:
        EngineRefused: If it does not run.
    """
    for pid in members(sandbox):
        with suppress(OSError):
            # Its number in each PID namespace, the innermost one last.
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
    """Return whether memory reached its limit. Of an ended sandbox that was killed, this tells why."""
    for place in _places(sandbox):
        with suppress(OSError, ValueError):
            if version() == "2":
                # It counts what happened in the groups below it, too.
                events = dict(line.split() for line in (place / "memory.events").read_text("ascii").splitlines())
                return int(events["oom_kill"]) > 0
            peak = int((place / "memory.max_usage_in_bytes").read_text("ascii"))
            # As in supervisor/cgroup.c: version 1 does not count this for the groups below.
            return peak >= limit_bytes - limit_bytes // 8
    return False


def remove(sandbox: str) -> bool:
    """Remove the groups of a sandbox, once it has no process. The kernel may take a moment to agree.

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
