"""The `config.json` of an OCI bundle, translated from the Docker Engine's request for the same sandbox. Pure.

Every restriction comes from `container_request`, so the two engines cannot differ. This module adds what Docker adds to
each container by default: the usual file systems, read-only paths, and a filter of system calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from gradebox.sandbox.engines.docker.container_request import CLOSED_DIRECTORY, HOST_NAME
from gradebox.sandbox.supervisor_build import SOURCES

PERIOD_US = 100_000
_ARCHITECTURES = {
    "x86_64": ("SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"),
    "aarch64": ("SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"),
}
# Matches a call that sets this flag, but not one that queries the flags, which passes all bits set.
_NO_RANDOM_ADDRESSES = {"index": 0, "value": 0x80040000, "valueTwo": 0x00040000, "op": "SCMP_CMP_MASKED_EQ"}
_NAMESPACES = ("pid", "network", "ipc", "uts", "mount", "cgroup")
# With cgroups v1, crun leaves the directory of the hierarchies open to all users, although its mount says `ro`.
_READ_ONLY = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger", "/sys/fs/cgroup")
_SAFE = ("nosuid", "noexec", "nodev")
_MOUNTS = (
    ("/proc", "proc", _SAFE),
    ("/dev", "tmpfs", ("nosuid", "strictatime", "mode=755", "size=65536k")),
    ("/dev/pts", "devpts", ("nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5")),
    ("/dev/mqueue", "mqueue", _SAFE),
    ("/sys", "sysfs", (*_SAFE, "ro")),
    ("/sys/fs/cgroup", "cgroup", (*_SAFE, "relatime", "ro")),
)
# The sandbox's own hosts file, read-only.
_HOSTS = {"destination": "/etc/hosts", "type": "bind", "options": ["bind", "ro", *_SAFE]}

# The error numbers of refused calls, by their names in filter_rules.h; 0 is success.
_ERRORS = {"EPERM": 1, "ENOSYS": 38, "0": 0}


def config(
    body: Mapping[str, Any], *, root: str, group: str, architecture: str, hosts: str = "", network: str = ""
) -> dict[str, Any]:
    """Return the configuration of one sandbox.

    Args:
        body: The result of `container_request.create_body` for the sandbox.
        root: The directory of its root filesystem.
        group: The path of its control group.
        architecture: This machine's architecture, ``x86_64`` or ``aarch64``.
        hosts: The path of its hosts file, empty for the one in its root filesystem.
        network: The path of the network namespace that it joins, empty for a new one.
    """
    host = body["HostConfig"]
    return {
        "ociVersion": "1.0.2",
        "process": _process(body, host),
        "root": {"path": root, "readonly": host["ReadonlyRootfs"]},
        "hostname": body.get("Hostname", HOST_NAME),
        "mounts": [*_mounts(host), *([{**_HOSTS, "source": hosts}] if hosts else [])],
        "linux": {
            "cgroupsPath": group,
            "namespaces": [
                {"type": kind, **({"path": network} if network and kind == "network" else {})} for kind in _NAMESPACES
            ],
            "resources": {
                "devices": [{"allow": False, "access": "rwm"}],
                "memory": {"limit": host["Memory"], "swap": host["MemorySwap"], "disableOOMKiller": False},
                "cpu": {"quota": host["NanoCpus"] * PERIOD_US // 1_000_000_000, "period": PERIOD_US},
                "pids": {"limit": host["PidsLimit"]},
            },
            "maskedPaths": host["MaskedPaths"],
            "readonlyPaths": _READ_ONLY,
            "seccomp": None if "seccomp=unconfined" in host["SecurityOpt"] else _filter(architecture),
        },
    }


def _process(body: Mapping[str, Any], host: Mapping[str, Any]) -> dict[str, Any]:
    capabilities = [f"CAP_{name}" for name in host["CapAdd"]]
    return {
        "terminal": body["Tty"],
        "user": {"uid": 0, "gid": 0},
        "args": [*body["Entrypoint"], *body["Cmd"]],
        "env": body["Env"],
        "cwd": body["WorkingDir"],
        "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), capabilities),
        "noNewPrivileges": "no-new-privileges" in host["SecurityOpt"],
        "rlimits": [
            {"type": f"RLIMIT_{limit['Name'].upper()}", "soft": limit["Soft"], "hard": limit["Hard"]}
            for limit in host["Ulimits"]
        ],
    }


def _mounts(host: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    for place, kind, options in _MOUNTS:
        yield {"destination": place, "type": kind, "source": kind, "options": options}
    memory = {"/dev/shm": f"{','.join(_SAFE)},mode=1777,size={host['ShmSize']}", **host["Tmpfs"]}  # noqa: S108
    for place, options in memory.items():
        # The supervisor's directory is part of the root filesystem, where only root can enter it, too.
        if place != CLOSED_DIRECTORY:
            yield {"destination": place, "type": "tmpfs", "source": "tmpfs", "options": options.split(",")}


def _denied(names: list[str], errno: int, **condition: Any) -> dict[str, Any]:
    return {"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": errno, **condition}


@cache
def _filter(architecture: str) -> dict[str, Any]:
    """Return a filter that denies the whole sandbox what the supervisor denies every command, and a little more.

    Like Docker's own filter, it also denies turning off random addresses, and access to other processes except by
    debuggers. A runtime skips names that its library does not know.
    """
    table = (SOURCES / "filter_rules.h").read_text("utf-8")
    always, strict = (
        re.findall(r"\{(?:SYS|NR)_(\w+), (\w+)\}", table.partition(f"{name}[]")[2].partition("};")[0])
        for name in ("always", "when_strict")
    )
    rules = [*always, *(rule for rule in strict if rule[1] == "EPERM" and rule[0] != "ptrace")]
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": _ARCHITECTURES[architecture],
        "syscalls": [
            *(
                _denied([name.lower() for name, error in rules if error == kind], _ERRORS[kind])
                for kind in dict.fromkeys(error for _, error in rules)
            ),
            _denied(["personality"], 1, args=[_NO_RANDOM_ADDRESSES]),
        ],
    }
