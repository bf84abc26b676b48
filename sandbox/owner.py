"""The owner of a sandbox: a process, named so that another process can later find out whether it is still alive.

An owner is ``<host>:<pid>:<start>``. The host part names a boot and a PID namespace, so that a process id of another
machine or container is never mistaken for one of ours. The start part reveals that a process id was reused.
"""

from __future__ import annotations

import hashlib
import os
import platform
import uuid
from enum import StrEnum
from functools import cache
from pathlib import Path

# The labels of all objects that we create on an engine: kind, owner, end of life (seconds since the epoch), and the
# connection that created the object.
LABEL = "io.gradebox.kind"
LABEL_OWNER = "io.gradebox.owner"
LABEL_UNTIL = "io.gradebox.until"
LABEL_SESSION = "io.gradebox.session"


class Life(StrEnum):
    """Whether an owner lives, as far as known."""

    ALIVE = "alive"
    DEAD = "dead"
    ELSEWHERE = "elsewhere"


@cache
def host() -> str:
    """Return a short name of this boot and PID namespace."""
    parts = [platform.node()]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text("ascii"))
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    except OSError:
        # Not Linux. Two machines may have the same name and use the same engine.
        parts.append(f"{uuid.getnode():x}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


# The start part for a process that exists but hides its start time.
_HIDDEN = "hidden"


def _start(pid: int) -> str | None:
    """Return when a process started, in clock ticks since boot; None if there is no such process."""
    try:
        # The command name may hold spaces and parentheses; the fields after its closing parenthesis do not.
        return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        # If /proc is mounted with hidepid, it shows no processes of other users.
        linux = Path("/proc/self/stat").exists()
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except PermissionError:
        pass
    return _HIDDEN if linux else "0"


def me() -> str:
    """Return this process as an owner."""
    pid = os.getpid()
    return f"{host()}:{pid}:{_start(pid)}"


def life(owner: str) -> Life:
    """Return whether an owner is alive, as far as this process can tell."""
    parts = owner.split(":")
    if len(parts) != 3 or not parts[1].isdecimal():
        return Life.ELSEWHERE
    where, pid, start = parts
    if where != host():
        return Life.ELSEWHERE
    found = _start(int(pid))
    if found == _HIDDEN:
        return Life.ELSEWHERE
    return Life.ALIVE if found == start else Life.DEAD
