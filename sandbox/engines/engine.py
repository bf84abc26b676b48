"""What the sandbox needs from a container engine: the whole interface, so that another engine can implement it.

An engine is one package beside this module (`connect` finds it by the scheme of an address). Tests have one in memory.
Every method may raise `EngineUnavailable` or `EngineRefused`.
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
        name, version, api_version: Product, such as ``Docker Engine``; as reported; and the one in use.
        architecture: Of its containers, as ``x86_64`` or ``aarch64``.
        cgroup_version: ``1`` or ``2``, empty when not reported.
        default_runtime: OCI runtime that is used unless a sandbox names another.
        runtimes: All that can be named.
        security: Its security options, such as ``seccomp`` and ``rootless``.
        processors, memory_bytes: Of the machine that runs containers.
        time: Its clock, as seconds since the epoch; None when not reported.
        root_directory: Where it keeps images, on its machine.
        warnings: Its own warnings, for instance of limits that it cannot enforce.
        machine, runc: Its machine's name, and the version of the runc that it uses; empty if not reported.
        pins_processors, joins_networks: Whether it can limit a sandbox to some processors (`Limits.processors`), and
            let it share the network of another one (`SandboxSpec.beside`).
        most_sandboxes: How many it can have at a time; 0 for any number.
        removes_images: Whether a sandbox's image is on no disk any more when it was removed.
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
        env, labels: What it sets for every process, and its labels.
        volumes: Paths that it declares as volumes.
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
        id, tags: Content id, ``sha256:...``, and its names; none if another image took them.
        labels: Its labels, those of the images below it included.
        size_bytes: Of its layers, shared ones included.
        created: When it was built, in seconds since the epoch; None when the engine does not say.
        platform: For which it is built, such as ``linux/arm64/v8``; empty when the engine does not say.
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
        running, exit_code: Whether its supervisor runs, and its exit code if it does not.
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
        kind: ``container``, or ``volume`` for the store of a supervisor.
        id, labels: Its id or name, and its labels.
        created: Seconds since the epoch; 0 where the engine does not say.
        running: Whether it runs; of a volume, whether a container has it, running or not.
    """

    kind: str
    id: str
    labels: Mapping[str, str]
    created: float
    running: bool = False


class Channel(Protocol):
    """The connection to a supervisor, in both directions."""

    def send(self, data: bytes, timeout_seconds: float) -> None:
        """Write all of it.

        Raises:
            SandboxLost: If the other end is gone or does not read in time.
        """

    def receive(self, timeout_seconds: float) -> bytes:
        """Return the next bytes of the supervisor's stdout, ``b""`` at the end.

        Raises:
            TimeoutError: If nothing came in time.
            SandboxLost: If the connection broke.
        """

    def stderr(self) -> str:
        """Return what the supervisor wrote to stderr, capped: its last words."""

    def close(self) -> None:
        """Close both directions; the supervisor ends when it sees that."""


class Images(Protocol):
    """The images of an engine, for building, listing and removing them."""

    def find(self, reference: str) -> StoredImage | None:
        """Return the image of that name or id, None if there is none."""

    def labelled(self, label: str) -> tuple[StoredImage, ...]:
        """Return the images that carry a label, whatever its value, untagged ones included."""

    def pull(self, reference: str, *, patience_seconds: float, on_line: OnLine, platform: str = "") -> str | None:
        """Fetch an image by name and tag; return why that failed, None if it succeeded.

        Its registry may stay silent for `patience_seconds`. `on_line` receives the progress. `platform` is such as
        ``linux/arm64``, empty for the engine's.
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
            references: The names, one at least.
            arguments: Build arguments; one that the Dockerfile does not declare is not an error.
            labels: Labels besides those in the Dockerfile.
            fresh: Reuse nothing of earlier builds.
            on_line: Receives the output of the build.
            dockerfile: Its name in the archive.
            target: The stage that becomes the image, empty for the last one.
            platform: For which it is built, as in `pull`.

        Raises:
            ImageUnavailable: If a step fails.
        """

    def export(self, image: str, labels: Mapping[str, str]) -> Iterator[bytes]:
        """Yield the root filesystem of an image as a tar archive, from a container that carries `labels`."""

    def save(self, references: Sequence[str]) -> Iterator[bytes]:
        """Yield an archive of images with their names, as ``docker save`` writes it."""

    def load(self, archive: BinaryIO) -> None:
        """Add the images of such an archive, under its names.

        Raises:
            ImageUnavailable: If it is none.
        """

    def remove(self, reference: str) -> bool:
        """Remove a name, and the image with its last name; return whether the name existed.

        Layers that other images stand on stay.
        """


class Engine(Protocol):
    """A container engine."""

    @property
    def images(self) -> Images:
        """Its images, for the calling thread."""

    def info(self) -> EngineInfo:
        """Describe the engine."""

    def image(self, reference: str) -> ImageInfo:
        """Return an image that the engine has.

        Raises:
            ImageUnavailable: If it has none of that name.
        """

    def create(self, spec: SandboxSpec, image: ImageInfo, name: str | None = None) -> str:
        """Create a container for `spec`, not started, and return its id.

        Raises:
            NameTaken: If another container has the name.
        """

    def attach(self, container: str) -> Channel:
        """Connect to the container's stdin and stdout, before it starts."""

    def start(self, container: str) -> None:
        """Start it."""

    def state(self, container: str) -> ContainerState | None:
        """Return its state, None if there is no such container."""

    def ran_out_of_memory(self, container: str) -> bool:
        """Return whether the kernel killed a process of an ended container for lack of memory.

        Needed where the state does not say so: an engine may learn it only after the end. False when it cannot tell.
        """

    def repair(self, container: str, image: ImageInfo) -> bool:
        """Install the supervisor again if the container's copy is missing or damaged; return whether it was."""

    def disconnect(self, container: str) -> None:
        """Disconnect a running container from every network but loopback."""

    def kill(self, container: str) -> None:
        """Kill it. A container that no longer exists is not an error."""

    def remove(self, container: str) -> None:
        """Kill and remove it with its anonymous volumes. One that no longer exists is not an error."""

    def leftovers(self) -> tuple[Leftover, ...]:
        """Return everything on the engine that carries our label."""

    def is_current(self, leftover: Leftover) -> bool:
        """Return whether this version of the supervisor is stored in that volume."""

    def remove_leftover(self, leftover: Leftover) -> None:
        """Remove one of these. One that no longer exists is not an error."""

    def close(self) -> None:
        """Release the connections."""
