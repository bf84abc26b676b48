"""Compares what a sandbox was requested to enforce with what its supervisor reads there. Pure.

An engine may silently not enforce a limit. The supervisor therefore reads its own status when it starts (`Guarantees`).
A promise that is visibly broken prevents the sandbox; a limit that cannot be read is a gap, which verdicts name.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandbox.types import SCRATCH, WORKSPACE, Guarantees, Limits, Network, SandboxSpec

# CHOWN, DAC_OVERRIDE, FOWNER, SETUID, SETGID and KILL as bits of /proc/PID/status (linux/capability.h).
CAPABILITY_BITS = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 7 | 1 << 6 | 1 << 5

_PAGE = 4096


def is_gvisor(runtime: str | None) -> bool:
    """Say whether an OCI runtime is gVisor, by the name under which everybody registers it or one that contains it."""
    return runtime is not None and ("runsc" in runtime or "gvisor" in runtime)


def gaps(guarantees: Guarantees, spec: SandboxSpec) -> tuple[str, ...]:
    """Say what a sandbox was asked to keep to and could not be seen to, one sentence each.

    None of this lets a submission reach anything, so the sandbox is used; but nobody should believe in a limit that
    was only asked for.
    """
    limits = spec.limits
    found: list[str] = []
    if guarantees.filter is not spec.filter:
        found.append("The kernel took no filter of system calls from us; only the engine's is in force, if it has one.")
    if guarantees.own_kernel:
        # Its cgroup is outside, where the sandbox cannot look; `grade doctor` tries what it enforces.
        found.append("gVisor shows no cgroup: whether the limits of memory and processors hold cannot be read.")
    else:
        found.extend(_gaps_of_cgroup(guarantees, limits))
    if limits.network is not Network.NONE and not guarantees.interfaces:
        found.append("The sandbox has no network though it may have one.")
    sizes = {WORKSPACE: limits.disk_bytes, SCRATCH[0]: limits.tmp_bytes, SCRATCH[1]: limits.shm_bytes}
    for path, size in guarantees.tmpfs_sizes.items():
        wanted = sizes.get(path, size.size_bytes)
        # Sizes are rounded up to whole pages.
        if not 0 < size.size_bytes <= wanted + _PAGE:
            found.append(f"The size of {path} is not limited to {wanted} bytes.")
        if path != SCRATCH[1] and not 0 < size.files <= limits.disk_files:
            found.append(f"The number of files in {path} is not limited.")
    return tuple(found)


def _gaps_of_cgroup(guarantees: Guarantees, limits: Limits) -> Iterator[str]:
    if guarantees.memory_limit_bytes is None:
        yield "The memory limit cannot be read, so nobody knows whether it holds."
    elif guarantees.swap_bytes != 0:
        yield "Swap is not limited: memory can grow beyond its limit into the machine's swap."
    if guarantees.pids_limit is None:
        yield "The limit of processes cannot be read, so nobody knows whether it holds."
    if guarantees.cpus is None:
        yield "The processor quota cannot be read, so nobody knows whether it holds."
    elif guarantees.cpus > limits.cpus * 1.01:
        yield f"The sandbox may use {guarantees.cpus:g} processors instead of {limits.cpus:g}."


def broken_promises(guarantees: Guarantees, spec: SandboxSpec) -> tuple[str, ...]:
    """Say what the engine was asked to enforce and visibly does not, one sentence each.

    What cannot be read (a runtime such as gVisor shows no cgroup) is not counted as broken here.
    """
    broken: list[str] = []
    if spec.limits.network is Network.NONE and guarantees.interfaces:
        broken.append(
            f"The sandbox has network interfaces ({', '.join(guarantees.interfaces)}) though none were wanted."
        )
    if is_gvisor(spec.runtime) and not guarantees.own_kernel:
        broken.append(f"The sandbox was to have the runtime {spec.runtime} and has the machine's kernel.")
    if not guarantees.root_read_only:
        broken.append("The root filesystem of the sandbox is writable.")
    if not guarantees.no_new_privileges:
        broken.append("Processes in the sandbox can gain privileges (no-new-privileges is not set).")
    extra = guarantees.capabilities & ~CAPABILITY_BITS
    if extra:
        broken.append(f"The sandbox has more capabilities than it was given (extra bits {extra:#x}).")
    if guarantees.memory_limit_bytes is not None and guarantees.memory_limit_bytes > spec.limits.memory_bytes:
        broken.append("The memory limit of the sandbox is not enforced.")
    if guarantees.pids_limit is not None and guarantees.pids_limit > spec.limits.pids + 1:
        broken.append("The process limit of the sandbox is not enforced.")
    return tuple(broken)
