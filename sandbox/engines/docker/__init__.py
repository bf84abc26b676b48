"""Docker Engine, and Podman by its Docker API, as an `Engine`.

`docker_engine` implements the interface with `client`, which alone imports docker-py. `container_request` has every
restriction of a sandbox; `volume` delivers the supervisor; `channel` is the connection to it.
"""

from __future__ import annotations

from sandbox.engines.engine import Engine

SCHEMES = frozenset({"unix", "tcp", "http", "https", "http+unix", "ssh", "npipe"})


def connect(url: str | None, timeout_seconds: int) -> Engine:
    """Return a Docker Engine; None for the one that the environment names (DOCKER_HOST), otherwise the default."""
    # docker-py takes a while to import, and only a command that grades needs it.
    from sandbox.engines.docker.docker_engine import DockerEngine  # noqa: PLC0415

    return DockerEngine(url, timeout_seconds=timeout_seconds)
