"""The body of the request that creates a sandbox: every restriction in one place. Pure.

Field names are those of the Docker Engine API's ContainerCreate (v1.41 and newer). Nothing is bind-mounted, so the
engine may be on another machine. `guarantees` compares the request with what the supervisor reads in the sandbox.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.guarantees import is_gvisor
from gradebox.sandbox.limits import MIB, Limits, Network
from gradebox.sandbox.types import CANDIDATE_DIRECTORY, SCRATCH, WORKSPACE, SandboxSpec

# All sandboxes of an engine share this volume. A process that could open its file could notice when other sandboxes
# start, and signal to them by locks. So the volume is mounted in a directory that only root can enter.
CLOSED_DIRECTORY = "/.gradebox"
SUPERVISOR_DIRECTORY = f"{CLOSED_DIRECTORY}/volume"
SUPERVISOR = f"{SUPERVISOR_DIRECTORY}/supervisor"

HOST_NAME = "sandbox"

LABEL_LOCALHOST = "io.gradebox.localhost"
"""Label of an image in which ``localhost`` resolves even with an empty ``/etc/hosts``."""

# PID 1 needs these to become the candidate (SETUID, SETGID), to own and access the candidate's files (CHOWN,
# DAC_OVERRIDE, FOWNER), and to kill the candidate's processes (KILL).
CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "SETUID", "SETGID", "KILL")

# The share of a container's limits that gVisor's own processes use: its kernel, which runs every guest process in
# threads and helper processes. The limit of guest processes is set inside the sandbox (`Guarantees.own_kernel`).
SENTRY_PIDS = 2048
SENTRY_BYTES = 96 * MIB

_PAGE = 4096
# Room for the program `candidate`, a copy of the supervisor.
_PROGRAM_BYTES = 2 * MIB


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
    spec: SandboxSpec, image: ImageInfo, *, mount: dict[str, Any], labels: Mapping[str, str], processors: int
) -> dict[str, Any]:
    """Return the whole request for one sandbox.

    Args:
        spec: What the sandbox may do.
        image: The sandbox's image.
        mount: The supervisor's volume, from `volume_mount`.
        labels: Labels by which gradebox finds the container later.
        processors: The number of processors of the engine's machine.
    """
    network_none = spec.limits.network is Network.NONE
    # Without a network, the engine starts a container at half the cost, but then it writes no /etc/hosts.
    is_alone = not (spec.hosts or spec.beside)
    network_disabled = network_none and is_alone and bool(image.labels.get(LABEL_LOCALHOST))
    host = _host_config(spec, image, mount, processors)
    if spec.beside:
        # The network brings that container's hosts file, name servers and host name.
        host["NetworkMode"] = f"container:{spec.beside}"
    elif network_none and not network_disabled:
        # Without these, the container would show the machine's name servers and domains.
        host |= {"Dns": ["127.0.0.1"], "DnsSearch": ["."], "ExtraHosts": [f"{name}:127.0.0.1" for name in spec.hosts]}
    return {
        "Image": image.id,
        "Entrypoint": [SUPERVISOR],
        "Cmd": [WORKSPACE, str(max(1, round(spec.lifetime_seconds))), spec.filter.value],
        "User": "0:0",
        "WorkingDir": "/",
        "Env": [],
        **({} if spec.beside else {"Hostname": HOST_NAME}),
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
        "HostConfig": host,
    }


def _host_config(spec: SandboxSpec, image: ImageInfo, mount: dict[str, Any], processors: int) -> dict[str, Any]:
    limits = spec.limits
    own_kernel = is_gvisor(spec.runtime)
    memory = limits.memory_bytes + (SENTRY_BYTES if own_kernel else 0)
    return {
        "NetworkMode": "none" if limits.network is Network.NONE else "bridge",
        "ReadonlyRootfs": True,
        "Tmpfs": _tmpfs(limits, image.volumes, apart=spec.apart),
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
        **({"CpusetCpus": f"0-{limits.processors - 1}"} if limits.processors else {}),
        "OomKillDisable": False,
        "Ulimits": [
            {"Name": "nofile", "Soft": limits.open_files, "Hard": limits.open_files},
            # Not 0: see NO_DUMPS in supervisor/spawn.c.
            {"Name": "core", "Soft": 1, "Hard": 1},
        ],
        "LogConfig": {"Type": "none"},
        "RestartPolicy": {"Name": "no"},
        "AutoRemove": False,
        **({"Runtime": spec.runtime} if spec.runtime else {}),
        **({"MaskedPaths": _masked(spec.masked, processors)} if spec.masked else {}),
    }


def _tmpfs(limits: Limits, volumes: Iterable[str], *, apart: bool) -> dict[str, str]:
    """Return the mount options of every writable file system, by path."""
    usual = "rw,exec,nosuid,nodev,mode=1777"
    found = {
        CLOSED_DIRECTORY: f"rw,noexec,nosuid,nodev,mode=0700,size={_PAGE}",
        WORKSPACE: f"{usual},size={limits.disk_bytes},nr_inodes={limits.disk_files}",
        SCRATCH[0]: f"{usual},size={limits.tmp_bytes},nr_inodes={limits.disk_files}",
    }
    if apart:
        found[CANDIDATE_DIRECTORY] = f"rw,exec,nosuid,nodev,mode=0700,size={_PROGRAM_BYTES}"
    for path in volumes:
        # Otherwise a volume that an image declares would be a writable directory on the engine's disk, without a limit.
        found.setdefault(path, f"rw,nosuid,nodev,noexec,size={limits.tmp_bytes}")
    return found


def _masked(paths: Iterable[str], processors: int) -> list[str]:
    """Return the hidden paths, with one for each processor in place of ``cpu*``."""
    return [path.replace("cpu*", f"cpu{i}") for path in paths for i in range(processors if "cpu*" in path else 1)]


def without_file_limits(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same request without limits on the number of files, for engines that refuse such limits.

    Podman refuses this tmpfs option. The `gaps` of every sandbox then name the missing limit.
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
