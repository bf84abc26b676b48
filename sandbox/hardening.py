"""The body of the request that creates a sandbox: every restriction in one place. Pure.

Field names are those of the Docker Engine API's ContainerCreate (v1.41 and newer). Nothing is bind-mounted, so the
engine may be on another machine. What an engine silently does not enforce is found by the supervisor, which reads its
own status when it starts (`Guarantees`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.engines.engine import ImageInfo
from sandbox.types import (
    MIB,
    SCRATCH,
    WORKSPACE,
    Guarantees,
    Limits,
    Network,
    SandboxSpec,
)

# Every sandbox of an engine has this one volume. Who may open what is in it could watch when others begin, and lock it
# for others to see: so it lies in a directory of each sandbox's own that only root may enter.
CLOSED_DIRECTORY = "/.gradebox"
SUPERVISOR_DIRECTORY = f"{CLOSED_DIRECTORY}/volume"
SUPERVISOR = f"{SUPERVISOR_DIRECTORY}/supervisor"

LABEL = "io.gradebox.kind"
LABEL_OWNER = "io.gradebox.owner"
LABEL_UNTIL = "io.gradebox.until"
LABEL_SESSION = "io.gradebox.session"

LABEL_LOCALHOST = "io.gradebox.localhost"
"""Of an image in which ``localhost`` has an address though ``/etc/hosts`` is empty."""

# What PID 1 needs and nothing more: become the candidate (SETUID, SETGID), own and reach its files
# (CHOWN, DAC_OVERRIDE, FOWNER), end its processes (KILL).
CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "SETUID", "SETGID", "KILL")

# The same as bits of /proc/PID/status, from linux/capability.h: 0, 1, 3, 7, 6, 5.
CAPABILITY_BITS = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 7 | 1 << 6 | 1 << 5

# What gVisor's own processes take of a container's limits: its kernel is one of them, and runs every guest process in
# threads and helper processes of its own. The limit of the guest's processes is set inside (`Guarantees.own_kernel`).
SENTRY_PIDS = 2048
SENTRY_BYTES = 96 * MIB

_PAGE = 4096


def is_gvisor(runtime: str | None) -> bool:
    """Say whether an OCI runtime is gVisor, by the name under which everybody registers it or one that contains it."""
    return runtime is not None and ("runsc" in runtime or "gvisor" in runtime)


def volume_mount(volume: str, labels: Mapping[str, str], *, read_only: bool) -> dict[str, Any]:
    """Return the mount of the supervisor's volume."""
    return {
        "Type": "volume",
        "Source": volume,
        "Target": SUPERVISOR_DIRECTORY,
        "ReadOnly": read_only,
        "VolumeOptions": {"NoCopy": True, "Labels": dict(labels)},
    }


def create_body(
    spec: SandboxSpec, image: ImageInfo, *, mount: dict[str, Any], labels: Mapping[str, str]
) -> dict[str, Any]:
    """Return the whole request for one sandbox.

    Args:
        spec: What the sandbox may do.
        image: Its image.
        mount: The supervisor's volume, from `volume_mount`.
        labels: By which it is found again.
    """
    limits = spec.limits
    tmpfs = {
        CLOSED_DIRECTORY: f"rw,noexec,nosuid,nodev,mode=0700,size={_PAGE}",
        WORKSPACE: f"rw,exec,nosuid,nodev,mode=1777,size={limits.disk_bytes},nr_inodes={limits.disk_files}",
        SCRATCH[0]: f"rw,exec,nosuid,nodev,mode=1777,size={limits.tmp_bytes},nr_inodes={limits.disk_files}",
    }
    for path in image.volumes:
        # A volume that an image declares would be a writable directory on the engine's disk without a limit.
        tmpfs.setdefault(path, f"rw,nosuid,nodev,noexec,size={limits.tmp_bytes}")
    own_kernel = is_gvisor(spec.runtime)
    memory = limits.memory_bytes + (SENTRY_BYTES if own_kernel else 0)
    network_none = limits.network is Network.NONE
    # The engine then spares itself the network sandbox, half of what a start costs it, but writes no /etc/hosts either.
    network_disabled = network_none and bool(image.labels.get(LABEL_LOCALHOST))
    return {
        "Image": image.id,
        "Entrypoint": [SUPERVISOR],
        "Cmd": [WORKSPACE, str(max(1, round(spec.lifetime_seconds))), spec.filter.value],
        "User": "0:0",
        "WorkingDir": "/",
        "Env": [],
        "Hostname": "sandbox",
        "Labels": {**spec.labels, **labels},
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "Tty": False,
        "NetworkDisabled": network_disabled,
        "Healthcheck": {"Test": ["NONE"]},
        "StopSignal": "SIGKILL",
        "HostConfig": {
            "NetworkMode": "none" if network_none else "bridge",
            # Else the names of the machine's own servers and domains would be in there.
            **({"Dns": ["127.0.0.1"], "DnsSearch": ["."]} if network_none and not network_disabled else {}),
            "ReadonlyRootfs": True,
            "Tmpfs": tmpfs,
            "Mounts": [mount],
            "ShmSize": limits.shm_bytes,
            "CapDrop": ["ALL"],
            "CapAdd": list(CAPABILITIES),
            "SecurityOpt": ["no-new-privileges"],
            "Privileged": False,
            "IpcMode": "private",
            "CgroupnsMode": "private",
            "PidsLimit": limits.pids + 1 + (SENTRY_PIDS if own_kernel else 0),
            "Memory": memory,
            "MemorySwap": memory,
            "NanoCpus": round(limits.cpus * 1e9),
            "OomKillDisable": False,
            "Ulimits": [
                {"Name": "nofile", "Soft": limits.open_files, "Hard": limits.open_files},
                # Not 0: see NO_DUMPS in the supervisor's spawn.c.
                {"Name": "core", "Soft": 1, "Hard": 1},
            ],
            "LogConfig": {"Type": "none"},
            "RestartPolicy": {"Name": "no"},
            "AutoRemove": False,
            **({"Runtime": spec.runtime} if spec.runtime else {}),
            **({"MaskedPaths": list(spec.masked)} if spec.masked else {}),
        },
    }


def without_file_limits(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same request without limits of the number of files, for engines that refuse them.

    Podman takes no such option of a tmpfs. What is missing then is among the `gaps` of every sandbox.
    """
    host = body["HostConfig"]
    tmpfs = {
        path: ",".join(option for option in options.split(",") if not option.startswith("nr_inodes="))
        for path, options in host["Tmpfs"].items()
    }
    return {**body, "HostConfig": {**host, "Tmpfs": tmpfs}}


def masked_by_option(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same request with the hidden paths as a security option, for Podman, which ignores MaskedPaths."""
    host = body["HostConfig"]
    masked = host.get("MaskedPaths")
    options = [*host["SecurityOpt"], *([f"mask={':'.join(masked)}"] if masked else [])]
    return {**body, "HostConfig": {**host, "SecurityOpt": options}}


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
    for path, room in guarantees.rooms.items():
        wanted = sizes.get(path, room.size_bytes)
        # Sizes are rounded up to whole pages.
        if not 0 < room.size_bytes <= wanted + _PAGE:
            found.append(f"The size of {path} is not limited to {wanted} bytes.")
        if path != SCRATCH[1] and not 0 < room.files <= limits.disk_files:
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
