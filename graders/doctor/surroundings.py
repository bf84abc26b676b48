"""Examines what surrounds sandboxes: the engine by its own account, images, leftovers of crashed runs, and disks."""

from __future__ import annotations

import platform
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from graders.doctor.findings import Finding, Health, guarded
from sandbox import reaper, supervisor_build
from sandbox.engines.engine import Engine, EngineInfo
from sandbox.errors import SandboxError
from sandbox.hardening import is_gvisor
from sandbox.images import build
from sandbox.images.recipes import ImageState
from sandbox.types import GIB

OLDEST_API = (1, 41)
CLOCK_SECONDS = 5.0
DEFAULT_SOCKET = Path("/var/run/docker.sock")
MACHINE = "machine"
# What Docker's warnings call what no sandbox asks for.
NOT_ASKED_FOR = (
    "No blkio",
    "No cpu shares",
    "No cpuset",
    "No io.",
    "No kernel memory TCP",
    "No oom kill disable",
    "bridge-nf-call-",
)


def unreachable(error: SandboxError, address: str) -> Finding:
    """Say what to do when no engine answers."""
    if address:
        message = f"{error.message} It was asked for at {address}."
        remedy = "Start it there, or set DOCKER_HOST or --host to one that answers."
    elif DEFAULT_SOCKET.exists():
        message = f"{error.message} Its socket is {DEFAULT_SOCKET}."
        remedy = "Start it (systemctl start docker); if it runs, your user has to be in the group docker."
    else:
        message = f"{error.message} There is no {DEFAULT_SOCKET}."
        remedy = "Install and start one (`make engine` in a checkout, as root on Debian or Ubuntu), or set DOCKER_HOST."
    return Finding("engine", Health.BROKEN, message, remedy)


def surroundings(engine: Engine, info: EngineInfo) -> Iterator[Finding]:
    """Examine all but sandboxes."""
    yield from _of_engine(info)
    yield guarded("supervisor", lambda: _supervisor(info))
    yield from _images(engine)
    yield guarded("leftovers", lambda: leftovers(engine))
    yield from _disk(info)


def _of_engine(info: EngineInfo) -> Iterator[Finding]:
    yield Finding(
        "engine",
        Health.OK,
        f"{info.name} {info.version} on {info.architecture}, {info.processors} processors, "
        f"{info.memory_bytes / GIB:.1f} GiB of memory.",
    )
    version = tuple(int(part) for part in info.api_version.split(".") if part.isdigit())
    if version >= OLDEST_API:
        yield Finding("api", Health.OK, f"API version {info.api_version}.")
    else:
        wanted = ".".join(map(str, OLDEST_API))
        yield Finding(
            "api", Health.BROKEN, f"API version {info.api_version} is older than {wanted}.", "Use a newer engine."
        )
    yield Finding("cgroups", Health.OK, f"cgroup version {info.cgroup_version or 'unknown'}.")
    yield Finding("runtime", Health.OK, f"{info.default_runtime} by default; {', '.join(info.runtimes)} can be named.")
    if any(is_gvisor(name) for name in info.runtimes):
        yield Finding("gvisor", Health.OK, "The engine has gVisor: sandboxes can have a kernel of their own.")
    else:
        yield Finding("gvisor", Health.OK, "The engine has no gVisor: all sandboxes share its kernel.")
    yield _users(info)
    yield from _warnings(info)
    if "seccomp" not in info.security:
        yield Finding(
            "seccomp", Health.WARNING, "The engine does not filter system calls.", "Use an engine built with seccomp."
        )
    if info.time is not None:
        apart = abs(info.time - time.time())
        if apart > CLOCK_SECONDS:
            yield Finding(
                "clock",
                Health.WARNING,
                f"The engine's clock and this machine's are {apart:.0f} s apart.",
                "Synchronise them: what crashed runs left is recognised by its age.",
            )
        else:
            yield Finding("clock", Health.OK, "The engine's clock agrees with this machine's.")


def _warnings(info: EngineInfo) -> Iterator[Finding]:
    """Say what an engine warns of. Much of that is about what no sandbox asks for."""
    others = []
    for warning in info.warnings:
        said = " ".join(warning.removeprefix("WARNING: ").split()).rstrip(".") + "."
        if said.startswith(NOT_ASKED_FOR):
            others.append(said)
            continue
        if "without encryption" in said:
            remedy = "Whoever reaches that address is root there: let it ask for certificates (TLS), or use SSH."
        else:
            remedy = "What holds all the same is tried below."
        yield Finding("engine", Health.WARNING, said, remedy)
    if others:
        yield Finding("engine", Health.OK, f"It warns of what no sandbox asks for: {' '.join(others)}")


def _users(info: EngineInfo) -> Finding:
    if "rootless" in info.security:
        message = "The engine runs without root: whoever gets out of a sandbox is an ordinary user."
    elif "userns" in info.security:
        message = "Users are remapped: root in a sandbox is nobody on the machine."
    else:
        message = (
            "Users are not remapped: root in a sandbox is root of the machine, and only the candidate's user is not."
        )
    return Finding("users", Health.OK, message)


def _supervisor(info: EngineInfo) -> Finding:
    size = len(supervisor_build.binary(info.architecture))
    return Finding("supervisor", Health.OK, f"The supervisor for {info.architecture} is at hand, {size >> 10} KiB.")


def _images(engine: Engine) -> Iterator[Finding]:
    try:
        rows = build.list_built(engine.images)
    except SandboxError as error:
        yield Finding("images", Health.BROKEN, error.message, error.remedy)
        return
    wanting = [row for row in rows if row.state is not ImageState.CURRENT]
    if wanting:
        told = ", ".join(f"{row.name} is {row.state}" for row in wanting)
        yield Finding(
            "images", Health.WARNING, f"{told}.", f"Run `grade images build {' '.join(row.name for row in wanting)}`."
        )
    else:
        yield Finding("images", Health.OK, f"{', '.join(row.name for row in rows)} are current.")


def leftovers(engine: Engine) -> Finding:
    """Remove what crashed runs have left, and say so."""
    removed = reaper.reap(engine)
    if removed:
        what = (
            "1 container of crashed runs was"
            if len(removed) == 1
            else f"{len(removed)} containers of crashed runs were"
        )
        return Finding("leftovers", Health.OK, f"{what} removed.")
    running = sum(leftover.kind == "container" for leftover in engine.leftovers())
    others = f"; {running} belong to runs that are alive" if running else ""
    return Finding("leftovers", Health.OK, f"No crashed run left anything{others}.")


def _disk(info: EngineInfo) -> Iterator[Finding]:
    # A directory of the same name on this machine is not the engine's when that is on another one.
    root = info.root_directory if info.machine == platform.node() else ""
    for name, place in (("disk", str(Path.cwd())), ("engine disk", root)):
        if place and Path(place).exists():
            free = shutil.disk_usage(place).free
            if free < GIB:
                yield Finding(
                    name,
                    Health.WARNING,
                    f"{free / GIB:.1f} GiB are free at {place}.",
                    "Make room there.",
                    group=MACHINE,
                )
            else:
                yield Finding(name, Health.OK, f"{free / GIB:.0f} GiB are free at {place}.", group=MACHINE)
