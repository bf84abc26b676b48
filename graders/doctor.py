"""Examines the engine and all else that grading needs: a finding each, with a remedy where something is wrong.

What an engine claims is not taken on trust: the last examination makes a real sandbox and reads what is enforced in it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from graders.errors import ExitCode
from sandbox import images, reaper, supervisor_build
from sandbox.docker_engine import DockerEngine
from sandbox.engine import EngineInfo
from sandbox.errors import SandboxError
from sandbox.image_recipes import State, reference
from sandbox.session import Sandbox
from sandbox.types import FIRST_UID, GIB, MIB, Command, Ending, Limits, SandboxSpec

OLDEST_API = (1, 41)
CLOCK_SECONDS = 5.0
DEFAULT_SOCKET = Path("/var/run/docker.sock")


class Health(StrEnum):
    """How grave a finding is."""

    OK = "ok"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was examined.

    Attributes:
        name: What was examined.
        health: How it is.
        message: What was found.
        remedy: What to do about it; empty when nothing is to be done.
    """

    name: str
    health: Health
    message: str
    remedy: str = ""


def examine(host: str | None = None) -> list[Finding]:
    """Examine everything; what depends on a broken thing is left out."""
    engine = DockerEngine(host)
    try:
        info = engine.info()
    except SandboxError as error:
        return [_unreachable(error, host or os.environ.get("DOCKER_HOST", ""))]
    try:
        return [
            *_of_engine(info),
            _guarded("supervisor", lambda: _supervisor(info)),
            *_images(engine),
            _guarded("leftovers", lambda: _leftovers(engine)),
            *_disk(info),
            *_sandbox(engine),
        ]
    finally:
        engine.close()


def worst(findings: list[Finding]) -> ExitCode:
    """Return the exit code that findings ask for."""
    broken = any(finding.health is Health.BROKEN for finding in findings)
    return ExitCode.NOT_GRADED if broken else ExitCode.PASSED


def print_findings(findings: list[Finding], *, as_json: bool) -> None:
    """Print findings on stdout, for people or as one JSON object."""
    if as_json:
        described = {"ok": worst(findings) is ExitCode.PASSED, "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(described) + "\n")
        return
    console = Console(highlight=False, soft_wrap=True)
    styles = {Health.OK: "green", Health.WARNING: "yellow", Health.BROKEN: "red"}
    for finding in findings:
        console.print(f"[{styles[finding.health]}]{finding.health:8}[/] {finding.name:12} {escape(finding.message)}")
        if finding.remedy:
            console.print(f"{'':21} [dim]{escape(finding.remedy)}[/]")


def _unreachable(error: SandboxError, address: str) -> Finding:
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


def _guarded(name: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except SandboxError as error:
        return Finding(name, Health.BROKEN, error.message, error.remedy)


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
    for warning in info.warnings:
        yield Finding(
            "engine", Health.WARNING, warning.removeprefix("WARNING: ") + ".", "The engine cannot enforce this limit."
        )
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


def _supervisor(info: EngineInfo) -> Finding:
    size = len(supervisor_build.binary(info.architecture))
    return Finding("supervisor", Health.OK, f"The supervisor for {info.architecture} is at hand, {size >> 10} KiB.")


def _images(engine: DockerEngine) -> Iterator[Finding]:
    try:
        rows = images.list_built(engine.images())
    except SandboxError as error:
        yield Finding("images", Health.BROKEN, error.message, error.remedy)
        return
    wanting = [row for row in rows if row.state is not State.CURRENT]
    if wanting:
        told = ", ".join(f"{row.name} is {row.state}" for row in wanting)
        yield Finding(
            "images", Health.WARNING, f"{told}.", f"Run `grade images build {' '.join(row.name for row in wanting)}`."
        )
    else:
        yield Finding("images", Health.OK, f"{', '.join(row.name for row in rows)} are current.")


def _leftovers(engine: DockerEngine) -> Finding:
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
    for name, place in (("disk", str(Path.cwd())), ("engine disk", info.root_directory)):
        # The engine's directory can be looked at only if the engine names it and is on this machine.
        if place and Path(place).exists():
            free = shutil.disk_usage(place).free
            if free < GIB:
                yield Finding(name, Health.WARNING, f"{free / GIB:.1f} GiB are free at {place}.", "Make room there.")
            else:
                yield Finding(name, Health.OK, f"{free / GIB:.0f} GiB are free at {place}.")


def _sandbox(engine: DockerEngine) -> Iterator[Finding]:
    image = reference("base")
    limits = Limits(memory_bytes=128 * MIB, pids=16, disk_bytes=8 * MIB, tmp_bytes=8 * MIB, shm_bytes=1 * MIB)
    try:
        begun = time.monotonic()
        with Sandbox(engine, SandboxSpec(image, limits)) as sandbox:
            sandbox.snapshot()
            sandbox.reset(FIRST_UID)
            outcome = sandbox.run(Command(("true",), env=sandbox.env, wall_seconds=30))
            seen = sandbox.guarantees
        seconds = time.monotonic() - begun
    except SandboxError as error:
        remedy = error.remedy or "Run `grade images build base`."
        yield Finding("sandbox", Health.BROKEN, error.message, remedy)
        return
    if outcome.ending is not Ending.EXITED or outcome.exit_code != 0:
        yield Finding(
            "sandbox", Health.BROKEN, f"A command in a sandbox did not run: {outcome.ending}. {outcome.detail}"
        )
        return
    yield Finding("sandbox", Health.OK, f"A sandbox was made, used and removed in {seconds:.2f} s.")
    unread = [
        name for name, value in (("memory", seen.memory_limit_bytes), ("processes", seen.pids_limit)) if value is None
    ]
    if unread:
        yield Finding(
            "limits",
            Health.WARNING,
            f"In a sandbox the limits of {' and '.join(unread)} cannot be read, so nobody knows that they hold.",
            "Use an engine with the cgroup controllers memory and pids.",
        )
    else:
        yield Finding("limits", Health.OK, "The limits of memory and processes are in force in a sandbox.")
    if not seen.seccomp:
        yield Finding(
            "seccomp", Health.WARNING, "In a sandbox no system call is filtered.", "Use an engine with seccomp."
        )
