"""Docker Engine, and Podman by its Docker API, as an `Engine`.

`docker_engine` implements the interface with `connection` over `http_client`; only `docker_images` imports docker-py.
`container_request` has every restriction of a sandbox; `volume` delivers the supervisor; `channel` is the connection
to it. `unreachable` makes the error for an engine that does not answer.
"""

from __future__ import annotations

from gradebox.sandbox.engines.engine import Engine

SCHEMES = frozenset({"unix", "tcp", "http", "https", "http+unix", "ssh", "npipe"})


def connect(url: str | None, timeout_seconds: int) -> Engine:
    """Return a Docker Engine; None for the one that the environment names (DOCKER_HOST), otherwise the default."""
    # Every engine is imported to learn its schemes; only the chosen one loads more.
    from gradebox.sandbox.engines.docker.docker_engine import DockerEngine  # noqa: PLC0415

    return DockerEngine(url, timeout_seconds=timeout_seconds)
