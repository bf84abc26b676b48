"""Sandbox profiles: named sets of restrictions, as data. Pure.

`DEFAULT` is for everyday use. `STRICT` is for submissions that are expected to attack: a separate kernel if the engine
has gVisor, fewer system calls, less information about the machine, and smaller limits. `SETUP` adds permissions for
the time in which the case's own setup runs. The limits that a case sets override the profile's.
"""

from __future__ import annotations

from dataclasses import fields, replace

from gradebox.sandbox.engines.engine import EngineInfo
from gradebox.sandbox.guarantees import is_gvisor
from gradebox.sandbox.limits import MIB, Limits, Network
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import Filter

# The paths that engines hide by default, in any version. They are listed because our list replaces the engine's.
ENGINES_HIDE = (
    "/proc/acpi",
    "/proc/asound",
    "/proc/interrupts",
    "/proc/kcore",
    "/proc/keys",
    "/proc/latency_stats",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/sys/devices/system/cpu/cpu*/thermal_throttle",
    "/sys/devices/virtual/powercap",
    "/sys/firmware",
)

# State that one sandbox can change and another can read, such as the range of a lock: a channel between submissions.
_SHARED = (
    "/proc/key-users",
    "/proc/loadavg",
    "/proc/locks",
    "/proc/pressure",
    "/proc/sys/fs/aio-nr",
    "/proc/sys/fs/dentry-negative",
    "/proc/sys/fs/dentry-state",
    "/proc/sys/fs/file-nr",
    "/proc/sys/fs/inode-nr",
    "/proc/sys/fs/inode-state",
    "/proc/sys/kernel/pty/nr",
)

# Paths that reveal something about the machine or its other users. No program needs them.
_STRICT_HIDES = (
    # How the kernel was started, built and extended, which shows what vulnerabilities it may have.
    "/proc/cmdline",
    "/proc/config.gz",
    "/proc/kallsyms",
    "/proc/modules",
    "/sys/module",
    # Which disks the machine has, and how busy they are.
    "/proc/diskstats",
    "/proc/partitions",
    "/sys/block",
    # How busy processors are: a clock for side channels between sandboxes.
    "/proc/softirqs",
    # How the machine's memory is used, by place and purpose.
    "/proc/buddyinfo",
    "/proc/pagetypeinfo",
    "/proc/slabinfo",
    "/proc/vmallocinfo",
    "/proc/vmstat",
    "/proc/zoneinfo",
    "/proc/iomem",
    "/proc/ioports",
    # Terminals: all sandboxes together can have only a few thousand.
    "/dev/pts",
)


@dataclass(frozen=True, slots=True)
class Profile:
    """What a sandbox may do.

    Attributes:
        name: Its name in requests and reports.
        filter: Which system calls commands are denied.
        runtimes: Preferred OCI runtimes, the best first; the engine's default if the engine has none of them.
        masked: Hidden paths, including those that engines always hide. ``cpu*`` stands for each processor.
        limits: Limits for what the case does not limit.
        networks: The values of a case's network limit for which the sandbox gets a network.
        insists: Whether to run nothing if the engine has none of the runtimes.
    """

    name: str
    filter: Filter = Filter.DEFAULT
    runtimes: tuple[str, ...] = ()
    masked: tuple[str, ...] = (*ENGINES_HIDE, *_SHARED)
    limits: Limits = Limits()
    networks: frozenset[Network] = frozenset({Network.BRIDGE})
    insists: bool = False


DEFAULT = Profile("default")
STRICT = Profile(
    "strict",
    filter=Filter.STRICT,
    runtimes=("runsc",),
    masked=(*ENGINES_HIDE, *_SHARED, *_STRICT_HIDES),
    limits=Limits(
        memory_bytes=512 * MIB,
        pids=64,
        disk_bytes=128 * MIB,
        disk_files=20_000,
        tmp_bytes=64 * MIB,
        shm_bytes=16 * MIB,
        open_files=256,
        file_bytes=128 * MIB,
    ),
)
SETUP = Profile("setup", networks=frozenset({Network.BRIDGE, Network.SETUP}))

# The profiles for a whole sandbox; `SETUP` applies only to a part of its life.
SELECTABLE = {profile.name: profile for profile in (DEFAULT, STRICT)}


def limits(profile: Profile, wanted: Limits) -> Limits:
    """Return the limits of a case, with the profile's limits for those that the case does not set.

    A limit is set if it is in `Limits.stated` or differs from the default.
    """
    usual = Limits()
    names = {field.name for field in fields(Limits)} - wanted.stated - {"stated", "network"}
    unset = [name for name in names if getattr(wanted, name) == getattr(usual, name)]
    narrowed = replace(wanted, **{name: getattr(profile.limits, name) for name in unset})
    # If the case sets the size of the workspace, a file may fill it.
    if "disk_bytes" in wanted.stated:
        return replace(narrowed, file_bytes=max(narrowed.file_bytes, narrowed.disk_bytes))
    return narrowed


def runtime(profile: Profile, requested: str | None, engine: EngineInfo) -> str | None:
    """Return the OCI runtime to request, None for the engine's default.

    Args:
        profile: The profile with the preferred runtimes.
        requested: The runtime that the caller insists on, None for the profile's best one.
        engine: The engine with its available runtimes.
    """
    if requested:
        return requested
    for name in profile.runtimes:
        if name in engine.runtimes:
            return name
    # gVisor is named even if it is the default, because the limits must leave room for its own processes.
    return engine.default_runtime if is_gvisor(engine.default_runtime) else None


def shortfall(profile: Profile, runtime: str | None) -> tuple[str, ...]:
    """Return the parts of a profile that a runtime cannot provide, one sentence each."""
    if profile.runtimes and not is_gvisor(runtime):
        name = profile.name
        return (f"The profile {name} is for gVisor, which was not used: the sandbox shares the engine's kernel.",)
    return ()
