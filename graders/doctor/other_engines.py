"""Suggests what to do if no engine answers at the default socket: commands to paste, such as for another socket.

The docker command follows contexts, and several products have their own sockets. gradebox follows only DOCKER_HOST,
because a run must not depend on a setting of another program. This module only looks at files and calls no engine.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

DEFAULT_SOCKET = Path("/var/run/docker.sock")
VERSION = Path("/proc/version")
SYSTEMD = Path("/run/systemd/system")
# Sockets below the home directory and the runtime directory of a user, and those of the machine.
_OF_HOME = {
    "Docker Desktop": (".docker/run/docker.sock", ".docker/desktop/docker.sock"),
    "Colima": (".colima/default/docker.sock", ".config/colima/default/docker.sock"),
    "Rancher Desktop": (".rd/docker.sock",),
    "OrbStack": (".orbstack/run/docker.sock",),
}
_OF_RUNTIME = {"Docker without root": "docker.sock", "Podman": "podman/podman.sock"}
_OF_MACHINE = {"Podman of root": Path("/run/podman/podman.sock")}
_GROUP = (
    f'Your user may not use {DEFAULT_SOCKET}. Run `sudo usermod -aG docker "$USER"` and log in again. '
    "Who may use it has the rights of root on this machine."
)


def remedy(environment: Mapping[str, str], home: Path) -> str:
    """Return what a user can do to reach an engine, the most likely remedy first."""
    refused = DEFAULT_SOCKET.exists() and not os.access(DEFAULT_SOCKET, os.R_OK | os.W_OK)
    found = [_GROUP] if refused else []
    found += [
        f"{what} has a socket: `export DOCKER_HOST={shlex.quote(address)}`."
        for what, address in others(environment, home)
    ]
    return " ".join(found or [_start()])


def others(environment: Mapping[str, str], home: Path) -> Iterator[tuple[str, str]]:
    """Yield possible engines and their addresses: first the context of the docker command, then existing sockets."""
    seen = {f"unix://{DEFAULT_SOCKET}"}
    runtime = Path(environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}")
    sockets = [
        *((what, home / path) for what, paths in _OF_HOME.items() for path in paths),
        *((what, runtime / path) for what, path in _OF_RUNTIME.items()),
        *_OF_MACHINE.items(),
    ]
    context = _context(environment, home)
    for what, address in (*context, *((what, f"unix://{path}") for what, path in sockets if path.exists())):
        if address not in seen:
            seen.add(address)
            yield what, address


def _context(environment: Mapping[str, str], home: Path) -> Iterator[tuple[str, str]]:
    """Yield the context that the docker command uses, if it is not the default one."""
    folder = Path(environment.get("DOCKER_CONFIG") or home / ".docker")
    try:
        name = environment.get("DOCKER_CONTEXT") or json.loads((folder / "config.json").read_text())["currentContext"]
        about = folder / "contexts" / "meta" / sha256(name.encode()).hexdigest() / "meta.json"
        yield f"The context {name} of the docker command", json.loads(about.read_text())["Endpoints"]["docker"]["Host"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        # There is no context, or its files have an unknown format.
        return


def _start() -> str:
    if DEFAULT_SOCKET.exists():
        return (
            "Start the engine: `sudo systemctl start docker`."
            if SYSTEMD.exists()
            else "Start the engine: `sudo service docker start`, or Docker Desktop."
        )
    if VERSION.exists() and "microsoft" in VERSION.read_text().lower():
        return (
            "In WSL 2, install an engine (`sudo apt-get install docker.io`), or start Docker Desktop and let it serve "
            "this distribution: Settings, Resources, WSL integration."
        )
    if not VERSION.exists():
        return "Start Docker Desktop or Colima (`colima start`), then run `grade doctor` again."
    return "Install an engine (Debian, Ubuntu: `sudo apt-get install docker.io`), or set DOCKER_HOST to another one."
