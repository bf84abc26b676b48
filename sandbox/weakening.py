"""What a test asks of the engine and the supervisor when it has switched a defence off. Pure.

The requests themselves, in `hardening` and `answers`, know of no switch. They pass through here before they are sent,
and come out as they are unless `defences.switched_off` is in force, which only a test can bring about.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sandbox.defences import Defence, is_on, off
from sandbox.types import Command, SandboxSpec

# As good as none, and still a number that every engine and kernel takes.
_MANY = 1 << 40
_LONG_SECONDS = 3600.0

_NO_NEW_PRIVILEGES = "no-new-privileges"
# What the fields of HostConfig are where a defence is off.
_WITHOUT: Mapping[Defence, Mapping[str, Any]] = {
    Defence.NETWORK: {"NetworkMode": "bridge"},
    Defence.READ_ONLY_ROOT: {"ReadonlyRootfs": False},
    # Root's rights as the engine has them by default.
    Defence.CAPABILITIES: {"CapDrop": [], "CapAdd": []},
    Defence.CGROUP_NAMESPACE: {"CgroupnsMode": "host"},
    Defence.MASKED_PATHS: {"MaskedPaths": []},
    Defence.MEMORY_LIMIT: {"Memory": 0, "MemorySwap": 0},
    Defence.PROCESS_LIMIT: {"PidsLimit": 0},
}


def container(body: dict[str, Any]) -> dict[str, Any]:
    """Return the request that creates a sandbox without what is switched off."""
    if not off():
        return body
    host = dict(body["HostConfig"])
    security = [
        option for option in host["SecurityOpt"] if option != _NO_NEW_PRIVILEGES or is_on(Defence.NO_NEW_PRIVILEGES)
    ]
    host["SecurityOpt"] = [*security, *([] if is_on(Defence.ENGINE_SECCOMP) else ["seccomp=unconfined"])]
    host["Tmpfs"] = {path: _without_limits(options) for path, options in host["Tmpfs"].items()}
    if not is_on(Defence.OPEN_FILES_LIMIT):
        host["Ulimits"] = [limit for limit in host["Ulimits"] if limit["Name"] != "nofile"]
    for defence, fields in _WITHOUT.items():
        host |= {} if is_on(defence) else fields
    return {**body, "NetworkDisabled": body["NetworkDisabled"] and is_on(Defence.NETWORK), "HostConfig": host}


def _without_limits(options: str) -> str:
    gone = [("size=", Defence.DISK_LIMIT), ("nr_inodes=", Defence.FILE_COUNT_LIMIT)]
    dropped = tuple(name for name, defence in gone if not is_on(defence))
    return ",".join(option for option in options.split(",") if not dropped or not option.startswith(dropped))


def run(command: Command, spec: SandboxSpec) -> tuple[Command, SandboxSpec]:
    """Return a command and the sandbox in which it runs without the limits that are switched off."""
    if not is_on(Defence.OUTPUT_LIMIT):
        command = replace(command, output_bytes=_MANY)
    if not is_on(Defence.DEADLINE):
        command = replace(command, wall_seconds=_LONG_SECONDS)
    limits = spec.limits
    if not is_on(Defence.OPEN_FILES_LIMIT):
        limits = replace(limits, open_files=_MANY)
    if not is_on(Defence.FILE_SIZE_LIMIT):
        limits = replace(limits, file_bytes=_MANY)
    return command, spec if limits is spec.limits else replace(spec, limits=limits)


def environment() -> Mapping[str, str]:
    """Return what a command gets of our own environment: nothing."""
    return {} if is_on(Defence.CLEAN_ENVIRONMENT) else os.environ
