"""What the sandbox asks of a container engine: the whole surface, so that tests can script it.

`docker_engine` implements it over the Docker API, `fake_engine` in memory. Every method may raise
`EngineUnavailable` or `EngineRefused`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sandbox.types import SandboxSpec


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What an engine says of itself.

    Attributes:
        name: Product, such as ``Docker Engine`` or ``Podman Engine``.
        version, api_version: As reported; the API version is the one in use.
        architecture: Of its containers, as ``x86_64`` or ``aarch64``.
        cgroup_version: ``1`` or ``2``, empty when not reported.
        default_runtime: OCI runtime that is used unless a sandbox names another.
        runtimes: All that can be named.
        security: Its security options, such as ``seccomp`` and ``rootless``.
        processors, memory_bytes: Of the machine that runs containers.
        time: Its clock, as seconds since the epoch; None when not reported.
        root_directory: Where it keeps images, on its machine.
        warnings: What it warns of, limits that it cannot enforce among them.
        machine: The name of the machine on which it runs.
    """

    name: str
    version: str
    api_version: str
    architecture: str
    cgroup_version: str = ""
    default_runtime: str = ""
    runtimes: tuple[str, ...] = ()
    security: tuple[str, ...] = ()
    processors: int = 0
    memory_bytes: int = 0
    time: float | None = None
    root_directory: str = ""
    warnings: tuple[str, ...] = ()
    machine: str = ""


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """One image of the engine.

    Attributes:
        id: Content id, ``sha256:...``.
        reference: The name under which it was asked for.
        env: What it sets for every process.
        volumes: Paths that it declares as volumes.
        labels: Its labels.
    """

    id: str
    reference: str
    env: Mapping[str, str] = field(default_factory=dict)
    volumes: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)


# SIGKILL, as the exit status of a container.
KILLED = 137


@dataclass(frozen=True, slots=True)
class ContainerState:
    """How a container is doing.

    Attributes:
        running: Whether its supervisor runs.
        exit_code: Of its supervisor, None while it runs.
        oom_killed: Whether the kernel killed a process of it for lack of memory.
        error: What the engine says went wrong, if anything.
    """

    running: bool
    exit_code: int | None = None
    oom_killed: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A container or volume that carries our label.

    Attributes:
        kind: ``container`` or ``volume``.
        id: Its id or name.
        labels: Its labels.
        created: Seconds since the epoch; 0 where the engine does not say.
        running: Whether it runs; of a volume, whether a container has it, running or not.
    """

    kind: str
    id: str
    labels: Mapping[str, str]
    created: float
    running: bool = False


class Channel(Protocol):
    """The two ways between us and a supervisor."""

    def send(self, data: bytes, timeout_seconds: float) -> None:
        """Write all of it.

        Raises:
            SandboxLost: If the other end is gone or does not read in time.
        """
        ...

    def receive(self, timeout_seconds: float) -> bytes:
        """Return the next bytes of the supervisor's stdout, ``b""`` at the end.

        Raises:
            TimeoutError: If nothing came in time.
            SandboxLost: If the connection broke.
        """
        ...

    def said(self) -> str:
        """Return what the supervisor wrote to stderr, capped: its last words."""
        ...

    def close(self) -> None:
        """Close both ways; the supervisor ends when it sees that."""
        ...


class Engine(Protocol):
    """A container engine."""

    def info(self) -> EngineInfo:
        """Describe the engine."""
        ...

    def image(self, reference: str) -> ImageInfo:
        """Return an image that the engine has.

        Raises:
            ImageUnavailable: If it has none of that name.
        """
        ...

    def create(self, spec: SandboxSpec, image: ImageInfo, name: str | None = None) -> str:
        """Create a container for `spec`, not started, and return its id.

        Raises:
            NameTaken: If another container has the name.
        """
        ...

    def attach(self, container: str) -> Channel:
        """Connect to the container's stdin and stdout, before it starts."""
        ...

    def start(self, container: str) -> None:
        """Start it."""
        ...

    def state(self, container: str) -> ContainerState | None:
        """Return its state, None if there is no such container."""
        ...

    def ran_out_of_memory(self, container: str) -> bool:
        """Say whether the kernel killed a process of an ended container for lack of memory.

        For one whose state does not say so: an engine may have learnt of that only after the end. False when it cannot
        tell.
        """
        ...

    @property
    def volume(self) -> str:
        """The name of the volume from which its sandboxes have the supervisor."""
        ...

    def repair(self, container: str, image: ImageInfo) -> bool:
        """Fill the supervisor's volume again if it is empty or damaged, and say whether it was."""
        ...

    def disconnect(self, container: str) -> None:
        """Take a running container off every network but loopback."""
        ...

    def kill(self, container: str) -> None:
        """Kill it; a container that is gone already is fine."""
        ...

    def remove(self, container: str) -> None:
        """Kill and remove it with its anonymous volumes; one that is gone already is fine."""
        ...

    def leftovers(self) -> tuple[Leftover, ...]:
        """Return everything on the engine that carries our label."""
        ...

    def remove_leftover(self, leftover: Leftover) -> None:
        """Remove one of these; one that is gone already is fine."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
