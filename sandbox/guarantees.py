"""Compares what a supervisor read about its own container with what was requested. Pure.

An engine may silently fail to enforce a limit. So the supervisor reads its own status when it starts (`Guarantees`).
A visibly broken promise prevents the sandbox; a limit that cannot be read is a gap, which verdicts name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import NamedTuple

from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import SCRATCH, WORKSPACE, Filter, SandboxSpec
from gradebox.sandbox.walls import Wall, sentences

# CHOWN, DAC_OVERRIDE, FOWNER, SETUID, SETGID and KILL as bits of /proc/PID/status (linux/capability.h).
CAPABILITY_BITS = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 7 | 1 << 6 | 1 << 5

_PAGE = 4096


class TmpfsSize(NamedTuple):
    """The limits of a file system in memory; `files` is 0 if their number is not limited."""

    size_bytes: int
    files: int


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What the supervisor read about its own container when it started.

    Attributes:
        interfaces: Network interfaces other than loopback.
        seccomp: Whether a seccomp filter is active.
        no_new_privileges: Whether the process flag of this name is set.
        capabilities: Bits of the supervisor's effective capabilities.
        root_read_only: Whether the root filesystem refuses writes.
        memory_limit_bytes: The cgroup's memory limit, None if it cannot be read.
        pids_limit: The cgroup's limit of processes, None if it cannot be read.
        swap_bytes: Swap that may be used beyond the memory limit, None if it cannot be read.
        cpus: The cgroup's quota in processors, None if it cannot be read.
        open_files: The supervisor's hard limit of descriptors; the supervisor sets the limit of commands itself.
        filter: The filter of system calls that commands get.
        tmpfs_sizes: The limits of the workspace and of the scratch directories that every sandbox has.
        own_kernel: Whether the sandbox has its own kernel, as with gVisor. Then it shows no cgroup, and that kernel
            enforces the limit of processes.
        kernel, processor: Name and release of the kernel, and model of the processors; empty if unknown.
        lacks: The walls that could not be built, in a sandbox without a container engine.
    """

    interfaces: tuple[str, ...] = ()
    seccomp: bool = False
    no_new_privileges: bool = False
    capabilities: int = 0
    root_read_only: bool = False
    memory_limit_bytes: int | None = None
    pids_limit: int | None = None
    swap_bytes: int | None = None
    cpus: float | None = None
    open_files: int | None = None
    filter: Filter = Filter.NONE
    tmpfs_sizes: Mapping[str, TmpfsSize] = field(default_factory=dict)
    own_kernel: bool = False
    kernel: str = ""
    processor: str = ""
    lacks: tuple[Wall, ...] = ()

    @property
    def limits_users(self) -> bool:
        """Whether processes can only be limited per user, and no other sandbox of the kernel has the same users."""
        return self.own_kernel or Wall.LIMITS in self.lacks


def missing(guarantees: Guarantees, spec: SandboxSpec) -> tuple[Wall, ...]:
    """Return the walls that a sandbox lacks although nobody accepted that."""
    return tuple(wall for wall in guarantees.lacks if wall not in spec.accepted)


def is_gvisor(runtime: str | None) -> bool:
    """Return whether an OCI runtime is gVisor, judging by whether its name contains a usual one."""
    return runtime is not None and ("runsc" in runtime or "gvisor" in runtime)


def gaps(guarantees: Guarantees, spec: SandboxSpec) -> tuple[str, ...]:
    """Return the requested limits that could not be verified, one sentence each.

    No gap gives a submission access to anything, so the sandbox is used and the verdict names the gaps.
    """
    limits = spec.limits
    found = list(sentences(guarantees.lacks))
    if guarantees.filter is not spec.filter:
        found.append(
            "The kernel accepted no system call filter of gradebox; only the engine's is active, if it has one."
        )
    if guarantees.own_kernel:
        # The sandbox cannot read its cgroup from inside; `grade doctor` tests what the cgroup enforces.
        found.append("gVisor shows no cgroup: the limits of memory and processors cannot be verified.")
    elif Wall.LIMITS not in guarantees.lacks:
        found.extend(_gaps_of_cgroup(guarantees, limits))
    if limits.network is not Network.NONE and not guarantees.interfaces:
        found.append("The sandbox has no network although one was requested.")
    sizes = {WORKSPACE: limits.disk_bytes, SCRATCH[0]: limits.tmp_bytes, SCRATCH[1]: limits.shm_bytes}
    for path, size in () if Wall.FILES in guarantees.lacks else guarantees.tmpfs_sizes.items():
        wanted = sizes.get(path, size.size_bytes)
        # Sizes are rounded up to whole pages.
        if not 0 < size.size_bytes <= wanted + _PAGE:
            found.append(f"The size of {path} is not limited to {wanted} bytes.")
        if path != SCRATCH[1] and not 0 < size.files <= limits.disk_files:
            found.append(f"The number of files in {path} is not limited.")
    return tuple(found)


def _gaps_of_cgroup(guarantees: Guarantees, limits: Limits) -> Iterator[str]:
    if guarantees.memory_limit_bytes is None:
        yield "The memory limit cannot be read, so it is not verified."
    elif guarantees.swap_bytes != 0:
        yield "Swap is not limited: memory can exceed its limit by using the machine's swap."
    if guarantees.pids_limit is None:
        yield "The limit of processes cannot be read, so it is not verified."
    if guarantees.cpus is None:
        yield "The processor quota cannot be read, so it is not verified."
    elif guarantees.cpus > limits.cpus * 1.01:
        yield f"The sandbox may use {guarantees.cpus:g} processors instead of {limits.cpus:g}."


def broken_promises(guarantees: Guarantees, spec: SandboxSpec) -> tuple[str, ...]:
    """Return the requested restrictions that the engine visibly does not enforce, one sentence each.

    A limit that cannot be read is not a broken promise but a gap.
    """
    broken: list[str] = []
    lacks = guarantees.lacks
    if spec.limits.network is Network.NONE and guarantees.interfaces and Wall.NETWORK not in lacks:
        broken.append(f"The sandbox has network interfaces ({', '.join(guarantees.interfaces)}); it must have none.")
    if is_gvisor(spec.runtime) and not guarantees.own_kernel:
        broken.append(f"The sandbox uses the machine's kernel instead of the runtime {spec.runtime}.")
    if not guarantees.root_read_only and Wall.FILES not in lacks:
        broken.append("The root filesystem of the sandbox is writable.")
    if not guarantees.no_new_privileges:
        broken.append("Processes in the sandbox can gain privileges (no-new-privileges is not set).")
    extra = guarantees.capabilities & ~CAPABILITY_BITS
    if extra:
        broken.append(f"The sandbox has more capabilities than requested (extra bits {extra:#x}).")
    if guarantees.memory_limit_bytes is not None and guarantees.memory_limit_bytes > spec.limits.memory_bytes:
        broken.append("The memory limit of the sandbox is not enforced.")
    if guarantees.pids_limit is not None and guarantees.pids_limit > spec.limits.pids + 1:
        broken.append("The process limit of the sandbox is not enforced.")
    return tuple(broken)
