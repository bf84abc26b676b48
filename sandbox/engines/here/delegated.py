"""Control groups for sandboxes, if control groups are delegated to us: in a container, a systemd service, or as root.

Each sandbox gets a group below our own, in one hierarchy (version 2) or in one per controller (version 1). If any step
is refused, the sandbox gets no group at all, and the supervisor reports the missing wall.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gradebox.sandbox.limits import Limits

MOUNT = Path("/sys/fs/cgroup")
_CONTROLLERS = ("memory", "pids", "cpu")
_PERIOD_US = 100_000
_REMOVAL_SECONDS = 2.0
# The group for our own processes, since a group of version 2 has either processes or child groups with limits.
_LEAF = "gradebox-main"


def make(name: str, limits: Limits, mount: Path = MOUNT, own: Path = Path("/proc/self/cgroup")) -> list[Path]:
    """Make the groups of a sandbox and return their directories; none if limits cannot be set here.

    Args:
        name: The sandbox's name.
        limits: The limits to set, for memory without swap, processes with the supervisor, and processors.
        mount: Where the hierarchies are mounted.
        own: The file that lists our own groups.
    """
    made: list[Path] = []
    try:
        unified = (mount / "cgroup.controllers").exists()
        for parent in [_unified(mount, own)] if unified else _parents(mount, own):
            made.append(parent / name)
            made[-1].mkdir(exist_ok=True)
        for file, value in _settings(limits, unified=unified):
            _set(made, file, value)
    except (OSError, StopIteration):
        remove(made)
        return []
    return made


def _settings(limits: Limits, *, unified: bool) -> Iterator[tuple[str, str]]:
    memory, quota = str(limits.memory_bytes), round(limits.cpus * _PERIOD_US)
    # One more for the supervisor.
    yield "pids.max", str(limits.pids + 1)
    if unified:
        yield from (("memory.max", memory), ("?memory.swap.max", "0"), ("cpu.max", f"{quota} {_PERIOD_US}"))
    else:
        yield from (("memory.limit_in_bytes", memory), ("?memory.memsw.limit_in_bytes", memory))
        yield from (("cpu.cfs_period_us", str(_PERIOD_US)), ("cpu.cfs_quota_us", str(quota)))


def _set(groups: Sequence[Path], file: str, value: str) -> None:
    """Write the file in the group that has it; a file marked with a question mark may be missing."""
    name = file.removeprefix("?")
    place = next((group / name for group in groups if (group / name).exists()), None)
    if place is not None:
        place.write_text(value)
    elif name == file:
        raise FileNotFoundError(name)


def _groups(own: Path) -> Iterator[tuple[list[str], str]]:
    """Yield the controllers of every hierarchy, and our group in it; version 2 lists no controllers."""
    for line in own.read_text("utf-8").splitlines():
        _, names, path = line.split(":", 2)
        yield names.split(","), path.lstrip("/")


def _parents(mount: Path, own: Path) -> list[Path]:
    """Return our groups of version 1. A container sees its group at the top, whatever its name is outside."""
    found = {name: path for names, path in _groups(own) for name in names}
    wanted = (*_CONTROLLERS, "cpuacct")
    places = [(mount / name / found[name], mount / name) for name in wanted if name in found]
    return list(dict.fromkeys(inner if inner.is_dir() else top for inner, top in places))


def _unified(mount: Path, own: Path) -> Path:
    """Return our group of version 2, prepared so that groups below it can have limits."""
    path = next(path for names, path in _groups(own) if names == [""])
    parent = mount / path
    if parent.name == _LEAF:
        parent = parent.parent
    control, wanted = parent / "cgroup.subtree_control", " ".join(f"+{name}" for name in _CONTROLLERS)
    try:
        control.write_text(wanted)
    except OSError:
        # The group has processes. We may move them if it is a container's whole group, or delegated by systemd.
        if path and not _is_delegated(parent):
            raise
        leaf = parent / _LEAF
        leaf.mkdir(exist_ok=True)
        for pid in (parent / "cgroup.procs").read_text("ascii").split():
            with suppress(ProcessLookupError):
                (leaf / "cgroup.procs").write_text(pid)
        control.write_text(wanted)
    return parent


def _is_delegated(group: Path) -> bool:
    for name in ("user.delegate", "trusted.delegate"):
        with suppress(OSError):
            return os.getxattr(group, name) == b"1"
    return False


def ran_out_of_memory(groups: Sequence[Path]) -> bool:
    """Return whether the kernel killed a process of these groups for lack of memory."""
    for group in groups:
        for name in ("memory.events", "memory.oom_control"):
            with suppress(OSError, ValueError):
                counts = dict(line.split() for line in (group / name).read_text("ascii").splitlines())
                return int(counts.get("oom_kill", 0)) > 0
    return False


def remove(groups: Sequence[Path]) -> None:
    """Remove groups without processes; retry, as the kernel may refuse for a moment."""
    deadline = time.monotonic() + _REMOVAL_SECONDS
    left = [group for group in groups if group.is_dir()]
    while left:
        for group in left:
            with suppress(OSError):
                group.rmdir()
        left = [group for group in left if group.is_dir()]
        if left and time.monotonic() > deadline:
            return
        if left:
            time.sleep(0.005)
