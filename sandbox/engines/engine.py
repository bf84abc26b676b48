"""The interface that every container engine implements for the sandbox.

Each engine is a package beside this module; `connect` finds it by the scheme of an address. Tests use an engine in
memory. Every method may raise `EngineUnavailable` or `EngineRefused`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import BinaryIO, Protocol

from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import SandboxSpec

KILLED = 137  # SIGKILL, as the exit status of a container.

OnLine = Callable[[str], None]
"""Receives each line of progress."""


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """What an engine reports about itself.

    Attributes:
        name, version, api_version: The product (``Docker Engine``), its version, and the API version in use.
        architecture: The architecture of its containers, ``x86_64`` or ``aarch64``.
        cgroup_version: ``1`` or ``2``, empty when not reported.
        default_runtime: The OCI runtime for sandboxes that name none.
        runtimes: All OCI runtimes that a sandbox can name.
        security: Security options, such as ``seccomp`` and ``rootless``.
        processors, memory_bytes: Size of the machine that runs the containers.
        time: The engine's clock, in seconds since the epoch; None when not reported.
        root_directory: The directory of the images, on the engine's machine.
        warnings: The engine's own warnings, for example about limits that it cannot enforce.
        machine, runc: Name of the engine's machine, and version of its runc; empty when not reported.
        pins_processors, joins_networks: Whether a sandbox can be limited to some processors (`Limits.processors`), and
            can share the network of another sandbox (`SandboxSpec.beside`).
        most_sandboxes: How many sandboxes can exist at a time; 0 for any number.
        removes_images: Whether removing an image frees its disk space.
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
    pins_processors: bool = False
    most_sandboxes: int = 0
    runc: str = ""
    joins_networks: bool = False
    removes_images: bool = False


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """An image from which a sandbox is created.

    Attributes:
        id, reference: Content id, ``sha256:...``, and the name under which it was requested.
        env, labels: Environment variables that the image sets for every process, and its labels.
        volumes: Paths that the image declares as volumes.
    """

    id: str
    reference: str
    env: Mapping[str, str] = field(default_factory=dict)
    volumes: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image that an engine stores.

    Attributes:
        id, tags: Content id, ``sha256:...``, and its names; no names if other images took them over.
        labels: Its labels, including those inherited from its base images.
        size_bytes: Size of all its layers, shared ones included.
        created: When it was built, in seconds since the epoch; None when the engine does not report it.
        platform: Its target platform, such as ``linux/arm64/v8``; empty when the engine does not report it.
    """

    id: str
    tags: tuple[str, ...]
    labels: Mapping[str, str]
    size_bytes: int
    created: float | None
    platform: str = ""


@dataclass(frozen=True, slots=True)
class ContainerState:
    """The state of a container.

    Attributes:
        running, exit_code: Whether the supervisor runs, and its exit code if it has ended.
        oom_killed, error: Whether a process was killed for lack of memory, and the engine's message, often empty.
    """

    running: bool
    exit_code: int | None = None
    oom_killed: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something on the engine that carries our label (`owner.LABEL`).

    Attributes:
        kind: ``container``, or ``volume`` for a volume that stores a supervisor.
        id, labels: Its id or name, and its labels.
        created: Seconds since the epoch; 0 when the engine does not report it.
        running: Whether a container runs, or whether any container, running or not, uses a volume.
    """

    kind: str
    id: str
    labels: Mapping[str, str]
    created: float
    running: bool = False


class Channel(Protocol):
    """The connection to a supervisor, in both directions."""

    def send(self, data: bytes, timeout_seconds: float) -> None:
        """Write all the data.

        Raises:
            SandboxLost: If the supervisor is gone or does not read in time.
        """

    def receive(self, timeout_seconds: float) -> bytes:
        """Return the next bytes of the supervisor's stdout, ``b""`` at the end.

        Raises:
            TimeoutError: If no data arrived in time.
            SandboxLost: If the connection broke.
        """

    def stderr(self) -> str:
        """Return the supervisor's stderr, capped."""

    def close(self) -> None:
        """Close both directions, which makes the supervisor exit."""


class Images(Protocol):
    """The images of an engine, for building, listing and removing them."""

    def find(self, reference: str) -> StoredImage | None:
        """Return the image with this name or id, None if there is none."""

    def labelled(self, label: str) -> tuple[StoredImage, ...]:
        """Return the images that carry a label, whatever its value, untagged ones included."""

    def pull(self, reference: str, *, patience_seconds: float, on_line: OnLine, platform: str = "") -> str | None:
        """Fetch an image by name and tag; return the reason of a failure, None on success.

        The registry may stay silent for `patience_seconds`. `on_line` receives the progress. `platform` looks like
        ``linux/arm64``; empty means the engine's own platform.
        """

    def import_image(self, tar: Path, reference: str, *, labels: Mapping[str, str]) -> str:
        """Make an image of one layer from the tar archive of a root filesystem and return its id."""

    def build(
        self,
        context: bytes | BinaryIO,
        references: Sequence[str],
        *,
        arguments: Mapping[str, str],
        labels: Mapping[str, str],
        fresh: bool,
        on_line: OnLine,
        dockerfile: str = "Dockerfile",
        target: str = "",
        platform: str = "",
    ) -> str:
        """Build an image with the host's network, name it, and return its id.

        Args:
            context: A tar archive with the Dockerfile in it.
            references: The image's names, at least one.
            arguments: Build arguments; one that the Dockerfile does not declare is not an error.
            labels: Labels besides those in the Dockerfile.
            fresh: Reuse nothing from earlier builds.
            on_line: Receives the output of the build.
            dockerfile: The Dockerfile's name in the archive.
            target: The stage that becomes the image, empty for the last one.
            platform: The target platform, as in `pull`.

        Raises:
            ImageUnavailable: If a step fails.
        """

    def export(self, image: str, labels: Mapping[str, str]) -> Iterator[bytes]:
        """Yield the root filesystem of an image as a tar archive, from a container that carries `labels`."""

    def save(self, references: Sequence[str]) -> Iterator[bytes]:
        """Yield an archive of images with their names, as ``docker save`` writes it."""

    def load(self, archive: BinaryIO) -> None:
        """Add the images of an archive that `save` wrote, under the names in it.

        Raises:
            ImageUnavailable: If the stream is not such an archive.
        """

    def remove(self, reference: str) -> bool:
        """Remove a name, and the image along with its last name; return whether the name existed.

        Layers that other images use are kept.
        """


class Engine(Protocol):
    """A container engine."""

    @property
    def images(self) -> Images:
        """The engine's images, for use by the calling thread."""

    def info(self) -> EngineInfo:
        """Describe the engine."""

    def image(self, reference: str) -> ImageInfo:
        """Return an image that the engine has.

        Raises:
            ImageUnavailable: If the engine has no image of that name.
        """

    def create(self, spec: SandboxSpec, image: ImageInfo, name: str | None = None) -> str:
        """Create a container for `spec` without starting it, and return its id.

        Raises:
            NameTaken: If another container has the name.
        """

    def attach(self, container: str) -> Channel:
        """Connect to the container's stdin and stdout, before it starts."""

    def start(self, container: str) -> None:
        """Start the container."""

    def state(self, container: str) -> ContainerState | None:
        """Return the container's state, None if there is no such container."""

    def ran_out_of_memory(self, container: str) -> bool:
        """Return whether the kernel killed a process of an ended container for lack of memory.

        `state` may lack this, because an engine may learn it only after the end. False if the engine cannot tell.
        """

    def repair(self, container: str, image: ImageInfo) -> bool:
        """Install the supervisor again if the container's copy is missing or damaged; return whether it was."""

    def disconnect(self, container: str) -> None:
        """Disconnect a running container from every network but loopback."""

    def kill(self, container: str) -> None:
        """Kill the container. A container that no longer exists is not an error."""

    def remove(self, container: str) -> None:
        """Kill and remove the container with its anonymous volumes. If it no longer exists, that is not an error."""

    def leftovers(self) -> tuple[Leftover, ...]:
        """Return everything on the engine that carries our label."""

    def is_current(self, leftover: Leftover) -> bool:
        """Return whether a volume stores this version of the supervisor."""

    def remove_leftover(self, leftover: Leftover) -> None:
        """Remove a leftover. A leftover that no longer exists is not an error."""

    def close(self) -> None:
        """Close the connections to the engine."""
