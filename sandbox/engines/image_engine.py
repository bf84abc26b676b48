"""What building images asks of a container engine: the whole surface, so that tests can script it.

`docker_images` implements it over the Docker API. Every method may raise `EngineUnavailable` or `EngineRefused`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

OnLine = Callable[[str], None]
"""Is given each line of progress."""


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image that an engine has.

    Attributes:
        id: Content id, ``sha256:...``.
        tags: Names it goes by, none if another took them.
        labels: Its labels, those of the images below it included.
        size_bytes: Of its layers, shared ones included.
        created: When it was built, in seconds since the epoch; None when the engine does not say.
    """

    id: str
    tags: tuple[str, ...]
    labels: Mapping[str, str]
    size_bytes: int
    created: float | None


class ImageEngine(Protocol):
    """The images of a container engine."""

    def find(self, reference: str) -> StoredImage | None:
        """Return the image of that name or id, None if there is none."""
        ...

    def labelled(self, label: str) -> tuple[StoredImage, ...]:
        """Return the images that carry a label, whatever its value, untagged ones included."""
        ...

    def pull(self, reference: str, *, patience_seconds: float, on_line: OnLine) -> str | None:
        """Fetch an image from its registry; return why that was not possible, None if it was.

        Args:
            reference: Name and tag.
            patience_seconds: How long the registry may say nothing.
            on_line: Is told how it goes.
        """
        ...

    def import_image(self, tar: Path, reference: str, *, labels: Mapping[str, str]) -> str:
        """Make an image of one layer from the tar archive of a root filesystem and return its id."""
        ...

    def build(
        self,
        context: bytes,
        references: Sequence[str],
        *,
        arguments: Mapping[str, str],
        labels: Mapping[str, str],
        fresh: bool,
        on_line: OnLine,
    ) -> str:
        """Build an image with the host's network, give it its names, and return its id.

        Args:
            context: A tar archive with the Dockerfile at its top.
            references: The names, one at least.
            arguments: Build arguments; one that the Dockerfile does not declare is no error.
            labels: Labels besides those in the Dockerfile.
            fresh: Take nothing from what earlier builds left.
            on_line: Is given the output of the build.

        Raises:
            ImageUnavailable: If a step fails.
        """
        ...

    def remove(self, reference: str) -> bool:
        """Take a name away, and the image with its last; say whether there was one.

        Layers that other images stand on stay.
        """
        ...
