"""Examines the environment of sandboxes: the engine's own report, images, leftovers of crashed runs, and disks."""

from __future__ import annotations

import os
import platform
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from gradebox.graders.doctor import other_engines
from gradebox.graders.doctor.findings import Finding, Health, guarded, ok, warning
from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.sandbox import reaper, supervisor_build
from gradebox.sandbox.engines.engine import Engine, EngineInfo
from gradebox.sandbox.engines.here.no_images import NoImages
from gradebox.sandbox.errors import EngineRefused, SandboxError
from gradebox.sandbox.guarantees import is_gvisor
from gradebox.sandbox.images import build
from gradebox.sandbox.images.recipes import ImageState
from gradebox.sandbox.limits import GIB, Limits

OLDEST_API = (1, 41)
CLOCK_SECONDS = 5.0
# The first versions without known escapes from containers. runc: masked paths, /dev/console and redirected writes to
# /proc (CVE-2025-31133, -52565, -52881). Docker: AF_ALG sockets in containers (CVE-2026-31431), and a program of the
# image that the engine ran for a compressed archive (GHSA-x86f-5xw2-fm2r).
SAFE_RUNC = (1, 2, 8)
SAFE_DOCKER = (29, 4, 3)
MACHINE = "machine"
# The beginnings of Docker's warnings about features that no sandbox requests.
NOT_REQUESTED = (
    "No blkio",
    "No cpu shares",
    "No cpuset",
    "No io.",
    "No kernel memory TCP",
    "No oom kill disable",
    "bridge-nf-call-",
)


def unreachable(error: SandboxError, address: str) -> Finding:
    """Return the finding, with its remedy, that no engine answers."""
    if isinstance(error, EngineRefused):
        # The engine has answered, or is not a server.
        return Finding("engine", Health.BROKEN, error.message, error.remedy)
    if address:
        message = f"{error.message} Its address is {address}."
        remedy = "Start the engine there, or set DOCKER_HOST or --host to another one."
    else:
        there = "exists" if other_engines.DEFAULT_SOCKET.exists() else "does not exist"
        message = f"{error.message} Its socket {other_engines.DEFAULT_SOCKET} {there}."
        remedy = other_engines.remedy(os.environ, Path.home())
    return Finding("engine", Health.BROKEN, message, remedy)


def environment(engine: Engine, info: EngineInfo) -> Iterator[Finding]:
    yield from _of_engine(info)
    yield guarded("supervisor", lambda: _supervisor(info))
    yield guarded("images", lambda: _images(engine))
    yield guarded("leftovers", lambda: leftovers(engine))
    yield from _disk(info)


def _of_engine(info: EngineInfo) -> Iterator[Finding]:
    where = f"{info.name} {info.version} on {info.architecture}"
    yield ok("engine", f"{where}, {info.processors} processors, {info.memory_bytes / GIB:.1f} GiB of memory.")
    if info.api_version:
        yield from _of_containers(info)
    yield _users(info)
    yield from _warnings(info)
    if "seccomp" not in info.security:
        yield warning("seccomp", "The engine does not filter system calls.", "Use an engine built with seccomp.")
    if info.time is not None:
        yield _clock(abs(info.time - time.time()))


def _of_containers(info: EngineInfo) -> Iterator[Finding]:
    version = tuple(int(part) for part in info.api_version.split(".") if part.isdigit())
    # An engine that is not a server has no API.
    if info.api_version and version >= OLDEST_API:
        yield ok("api", f"API version {info.api_version}.")
    elif info.api_version:
        message = f"API version {info.api_version} is older than {'.'.join(map(str, OLDEST_API))}."
        yield Finding("api", Health.BROKEN, message, "Use a newer engine.")
    yield from _known_faults(info)
    yield ok("cgroups", f"cgroup version {info.cgroup_version or 'unknown'}.")
    yield ok("runtime", f"{info.default_runtime} by default; available: {', '.join(info.runtimes)}.")
    if any(is_gvisor(name) for name in info.runtimes):
        yield ok("gvisor", "The engine has gVisor, which gives a sandbox a kernel of its own.")
    else:
        yield ok("gvisor", "The engine has no gVisor; all sandboxes share its kernel.")
    yield _services(info)


def _services(info: EngineInfo) -> Finding:
    if not info.joins_networks:
        return ok("services", "Sandboxes cannot share a network here: cases with services are errors.")
    if is_gvisor(info.default_runtime):
        return ok("services", "Sandboxes of gVisor cannot share a network: cases with services need another --runtime.")
    return ok("services", "Sandboxes can share a network, so cases can have services.")


def _known_faults(info: EngineInfo) -> Iterator[Finding]:
    """Warn about versions with known escapes. A distribution may have fixed them in an older version."""
    docker = info.version if info.name.startswith("Docker") else ""
    for product, version, safe in (("Docker Engine", docker, SAFE_DOCKER), ("runc", info.runc, SAFE_RUNC)):
        numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
        if numbers and numbers < safe:
            first = ".".join(map(str, safe))
            message = f"{product} {version} is older than {first}, which closed known ways out of containers."
            remedy = f"Update to {first} or newer, unless your distribution has mended this version. gVisor helps, too."
            yield warning("version", message, remedy)


def _clock(apart_seconds: float) -> Finding:
    if apart_seconds <= CLOCK_SECONDS:
        return ok("clock", "The engine's clock agrees with this machine's.")
    message = f"The engine's clock and this machine's differ by {apart_seconds:.0f} s."
    return warning("clock", message, "Synchronise them: the age of leftovers tells whether their run crashed.")


def _warnings(info: EngineInfo) -> Iterator[Finding]:
    """Report the engine's warnings. Many concern features that no sandbox requests."""
    others = []
    for line in info.warnings:
        text = " ".join(line.removeprefix("WARNING: ").split()).rstrip(".") + "."
        if text.startswith(NOT_REQUESTED):
            others.append(text)
            continue
        if "without encryption" in text:
            remedy = "Anyone who reaches that address is root on that machine: require TLS certificates, or use SSH."
        elif "files here" in text:
            files = Limits().open_files
            remedy = f"Raise the hard limit: `ulimit -Hn {files}`, or `LimitNOFILE={files}` of a service."
        else:
            remedy = "The limits that still hold are tried below."
        yield warning("engine", text, remedy)
    if others:
        yield ok("engine", f"It warns about features that no sandbox requests: {' '.join(others)}")


def _users(info: EngineInfo) -> Finding:
    if "rootless" in info.security:
        message = "The engine runs without root: a process that escapes a sandbox is an ordinary user."
    elif "userns" in info.security:
        message = "Users are remapped: root in a sandbox has no rights on the machine."
    else:
        message = "Users are not remapped: root in a sandbox is root on the machine. The candidate is never root."
    return ok("users", message)


def _supervisor(info: EngineInfo) -> Finding:
    size = len(supervisor_build.binary(info.architecture))
    return ok("supervisor", f"The supervisor for {info.architecture} is available ({size >> 10} KiB).")


def _images(engine: Engine) -> Finding:
    if isinstance(engine.images, NoImages):
        return ok("images", "Cases are graded with the programs of the file system that we are in.")
    listed = build.list_built(engine.images, image_catalogue())
    rows = [row for row in listed if row.state is not ImageState.OPTIONAL]
    outdated = [row for row in rows if row.state is not ImageState.CURRENT]
    if not outdated:
        return ok("images", f"{', '.join(row.name for row in rows)} are current.")
    states = ", ".join(f"{row.name} is {row.state}" for row in outdated)
    return warning("images", f"{states}.", f"Run `grade images build {' '.join(row.name for row in outdated)}`.")


def leftovers(engine: Engine) -> Finding:
    removed = reaper.reap(engine)
    if removed:
        what = "1 leftover" if len(removed) == 1 else f"{len(removed)} leftovers"
        return ok("leftovers", f"Removed {what} of crashed runs.")
    running = sum(leftover.kind == "container" for leftover in engine.leftovers())
    others = f"; {running} containers belong to living runs" if running else ""
    return ok("leftovers", f"No crashed run left anything{others}.")


def _disk(info: EngineInfo) -> Iterator[Finding]:
    # The engine may be on another machine. Then its directory is not on this one.
    root = info.root_directory if info.machine == platform.node() else ""
    for name, place in (("disk", str(Path.cwd())), ("engine disk", root)):
        if place and Path(place).exists():
            free = shutil.disk_usage(place).free
            if free < GIB:
                message = f"Only {free / GIB:.1f} GiB are free at {place}."
                yield warning(name, message, "Free some space there.", group=MACHINE)
            else:
                yield ok(name, f"{free / GIB:.0f} GiB are free at {place}.", group=MACHINE)
