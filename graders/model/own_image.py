"""An image that a case describes how to build."""

from __future__ import annotations

from pathlib import Path

from gradebox.sandbox.records import dataclass


@dataclass(frozen=True, slots=True)
class OwnImage:
    """How the image of a case is built: from a Dockerfile, or from packages on top of an image.

    Attributes:
        directory: The base of the case's relative paths.
        dockerfile: The Dockerfile; None if packages are named.
        context: The directory that it may copy from.
        arguments: The build arguments, by name.
        target: The stage that becomes the image; empty for the last one.
        base: The image on which the packages are installed.
        apt, pip, npm: Packages of Debian, Python and JavaScript.
        platform: The platform of the image, such as ``linux/arm64``; empty for the engine's.
        found: Whether gradebox found it beside a case that names no image.
    """

    directory: Path
    dockerfile: Path | None = None
    context: Path | None = None
    arguments: tuple[tuple[str, str], ...] = ()
    target: str = ""
    base: str = ""
    apt: tuple[str, ...] = ()
    pip: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    platform: str = ""
    found: bool = False

    def __str__(self) -> str:
        if self.dockerfile is not None:
            return f"{self.dockerfile}{f', target {self.target}' if self.target else ''}"
        packages = (f"{tool}: {' '.join(names)}" for tool in ("apt", "pip", "npm") if (names := getattr(self, tool)))
        return f"{self.base} with {'; '.join(packages) or 'nothing more'}"
