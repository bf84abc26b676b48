"""A plain container in which `grade --engine here` runs with this Python: `--cap-drop ALL` and the six capabilities.

What an attack can exhaust there is limited by the container: memory, processes, and the size of what is writable.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from gradebox.sandbox import supervisor_build
from gradebox.sandbox.engines.docker.container_request import CAPABILITIES

CHECKOUT = Path(__file__).parents[2]
PACKAGE = CHECKOUT / ".ci" / "package"
PLAIN, NAMESPACES = "here", "here-namespaces"
ACCEPTED = {PLAIN: "files,processes,ipc,limits", NAMESPACES: "limits"}
_RIGHTS = {
    PLAIN: ("--cap-drop=ALL", *(f"--cap-add={name}" for name in CAPABILITIES)),
    NAMESPACES: (
        *("--cap-add=SYS_ADMIN", "--cap-add=NET_ADMIN"),
        *("--security-opt=seccomp=unconfined", "--security-opt=apparmor=unconfined"),
    ),
}


def words(kind: str, image: str, directory: Path, environment: Mapping[str, str]) -> list[str]:
    """Return the beginning of a command line that runs the rest of it in such a container.

    Args:
        kind: PLAIN, or NAMESPACES for one that may make namespaces.
        image: Its image.
        directory: Is there under the same path, and can be written.
        environment: Its environment variables.
    """
    cache = directory / "cache"
    _bring_supervisor(cache / "gradebox" / "supervisor")
    # Not the whole checkout: it has the answers of all cases, for everybody to read.
    packages = {str(CHECKOUT / name) for name in (".ci/package", "sandbox", "graders", "benchmarks", "tests/support")}
    read = packages | {sys.prefix, sys.base_prefix, str(Path(sys.prefix).resolve())}
    variables = {"PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    variables["XDG_CACHE_HOME"] = str(cache)
    return [
        *("docker", "run", "--rm", "--init", "--user=0", "--network=none", "--hostname=sandbox"),
        *_RIGHTS[kind],
        *("--memory=3g", "--memory-swap=3g", "--pids-limit=700"),
        *(f"--tmpfs={path}:rw,exec,mode=1777,size=512m" for path in ("/workspace", "/tmp", "/var/tmp")),
        *(f"--volume={path}:{path}:ro" for path in sorted(read)),
        *(f"--volume={directory}:{directory}", f"--workdir={directory}", "--entrypoint="),
        *(f"--env={name}={value}" for name, value in variables.items()),
        image,
    ]


def _bring_supervisor(cache: Path) -> None:
    """Put the supervisor where it is looked for, since the container has no compiler but a slow one."""
    machine = os.uname().machine
    path = cache / f"{machine}-zig-{supervisor_build._key(supervisor_build._zig(machine))}"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        path.write_bytes(supervisor_build.binary(machine))
