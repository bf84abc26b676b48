"""The recipes of the images that sandboxes start from: their files, their order, and whether an image is current.

This module decides and `build` acts: this module reads the files of the recipes and uses no engine. An image's label
holds a hash of its own files and of its parent's hash; the image is stale when the current files have another hash.
This module knows no language: callers pass a catalogue. If no registry provides a root, `first_layer` makes it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from enum import StrEnum
from functools import cache
from importlib import metadata
from pathlib import Path

from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.records import dataclass

REPOSITORY = "gradebox"

LABEL_IMAGE = "io.gradebox.image"
LABEL_INPUTS = "io.gradebox.inputs"
LABEL_ROOT = "io.gradebox.root"
LABEL_STAGE = "io.gradebox.stage"
LABEL_VERSION = "io.gradebox.version"

AUTHORITIES = "authorities.pem"
"""The file in a build context with the host's certificate authorities."""

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")


@dataclass(frozen=True, slots=True)
class Root:
    """The source of a first layer.

    Attributes:
        registry: The preferred source, an image from a registry.
        release: The Debian release to import if no registry provides that image.
    """

    registry: str
    release: str

    @property
    def imported(self) -> str:
        """The name under which the release is imported."""
        return f"{REPOSITORY}/debian:{self.release}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one image is built.

    Attributes:
        name: The image's name after ``gradebox/``.
        parent: The base image, or the source of its first layer.
        directory: The directory of its Dockerfile: absolute, or under ``images/``.
        files: The files beside the Dockerfile that it copies.
        programs: Files from elsewhere that it copies, with unique names.
        texts: Further files that it copies: their names, and functions that return their contents.
        settings: Environment variables that select a package index; they do not change the image's hash.
        fetches: Whether the build downloads over TLS with other tools than Debian's package manager.
        is_step: Whether the image only serves as the base of others.
        on_demand: Whether it is built only when a user names it or a case needs it.
    """

    name: str
    parent: str | Root
    directory: str | Path
    files: tuple[str, ...] = ()
    programs: tuple[Path, ...] = ()
    texts: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    fetches: bool = False
    is_step: bool = False
    on_demand: bool = False


class ImageState(StrEnum):
    """Whether an image of the engine matches its recipe. An optional one may be missing until it is named."""

    CURRENT = "current"
    STALE = "stale"
    MISSING = "missing"
    OPTIONAL = "optional"


DEBIAN = Root("debian:bookworm-slim", "bookworm")

BASE = Recipe("base", DEBIAN, "base", files=("install-packages",))
"""The image without a language. All our other images are built on it or in the same way."""

TRIXIE = Recipe("trixie", Root("debian:trixie-slim", "trixie"), "base", files=("install-packages",), is_step=True)
"""Like BASE, on a newer Debian, for languages whose packages in bookworm are years old."""


@cache
def version() -> str:
    """Return the version of gradebox, which tags the images."""
    try:
        return metadata.version("gradebox")
    except metadata.PackageNotFoundError:
        return "0"


def reference(name: str) -> str:
    """Return the full name of one of our images, with this version's tag."""
    return f"{REPOSITORY}/{name}:{version()}"


def tags(name: str) -> tuple[str, str]:
    """Return the names of an image that is built."""
    return reference(name), f"{REPOSITORY}/{name}:latest"


def find_images_directory() -> Path:
    """Return the directory of the recipes: ``images/`` of the checkout, or the copy in the installed package.

    Raises:
        ImageUnavailable: If there is neither.
    """
    here = Path(__file__).resolve().parents[1]
    for directory in (here / "_images", here.parent / "images"):
        if (directory / "base" / "Dockerfile").is_file():
            return directory
    raise ImageUnavailable(
        "The recipes of the images are missing from the installed package.", remedy="Install gradebox again."
    )


def state(stored: Mapping[str, str] | None, expected: str) -> ImageState:
    """Return an image's state from its labels (None if it does not exist) and the current hash of its recipe."""
    if stored is None:
        return ImageState.MISSING
    return ImageState.CURRENT if stored.get(LABEL_INPUTS) == expected else ImageState.STALE


class Catalogue:
    """The recipes of all images, by name. Steps only serve as bases; cases cannot name them."""

    def __init__(self, recipes: Iterable[Recipe]) -> None:
        self.recipes: Mapping[str, Recipe] = {each.name: each for each in recipes}

    @property
    def names(self) -> tuple[str, ...]:
        """The images that cases can name."""
        return tuple(name for name, each in self.recipes.items() if not each.is_step)

    @property
    def usual(self) -> tuple[str, ...]:
        """The images that are built if the user names none."""
        return tuple(name for name in self.names if not self.recipes[name].on_demand)

    def recipe(self, name: str) -> Recipe:
        """Return a recipe by its name.

        Raises:
            ImageUnavailable: If there is none.
        """
        if name in self.recipes:
            return self.recipes[name]
        from difflib import get_close_matches  # noqa: PLC0415 - slow to import, and only an error needs it

        close = get_close_matches(name, self.names, n=1)
        raise ImageUnavailable(
            f"No recipe builds an image named {name!r}.",
            remedy=f"Did you mean {close[0]!r}?" if close else f"The images are: {', '.join(self.names)}.",
        )

    def chain(self, names: Iterable[str]) -> tuple[Recipe, ...]:
        """Return the recipes of images and of everything below them, each once and after its parent."""
        ordered: dict[str, Recipe] = {}

        def visit(wanted: Recipe) -> None:
            if isinstance(wanted.parent, str):
                visit(self.recipe(wanted.parent))
            ordered.setdefault(wanted.name, wanted)

        for name in names:
            visit(self.recipe(name))
        return tuple(ordered.values())

    def inputs_hash(self, name: str, directory: Path) -> str:
        """Return the hash of an image's files and those of the images below it."""
        made = self.recipe(name)
        below = self.inputs_hash(made.parent, directory) if isinstance(made.parent, str) else list(_fields(made.parent))
        files = {path: hashlib.sha256(content).hexdigest() for path, content in _files(made, directory)}
        text = json.dumps([made.name, below, files], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def plan(self, names: Iterable[str], state_of: Callable[[str], ImageState], *, fresh: bool) -> tuple[Recipe, ...]:
        """Return what must be built so that all of `names` are current, each after its parent.

        Args:
            names: Which images are needed.
            state_of: Returns the state of an image, by its name.
            fresh: Build everything again.
        """
        if fresh:
            return self.chain(names)
        # An image with the right hash contains its parent's layers, even if the parent itself no longer exists.
        needed: dict[str, Recipe] = {}

        def visit(wanted: Recipe) -> None:
            if wanted.name in needed or state_of(wanted.name) is ImageState.CURRENT:
                return
            if isinstance(wanted.parent, str):
                visit(self.recipe(wanted.parent))
            needed[wanted.name] = wanted

        for name in names:
            visit(self.recipe(name))
        return tuple(needed.values())

    def labels(self, name: str, directory: Path) -> dict[str, str]:
        """Return the labels of an image."""
        return {
            "org.opencontainers.image.version": version(),
            LABEL_IMAGE: name,
            LABEL_VERSION: version(),
            LABEL_INPUTS: self.inputs_hash(name, directory),
        }


def build_arguments(made: Recipe, base: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the arguments of a build: its base image, and this machine's proxies and package indexes."""
    return {"BASE": base, **machine_arguments(made.settings, environment)}


def machine_arguments(settings: Iterable[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return this machine's proxies, and the variables of `settings` that are set, as arguments of a build."""
    return {name: environment[name] for name in (*_PROXIES, *settings) if environment.get(name)}


def trusted_authorities(environment: Mapping[str, str]) -> bytes | None:
    """Return the certificate authorities of this machine, for a build behind a proxy with an authority of its own."""
    named = (environment.get(name) for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"))
    for path in (*filter(None, named), *_BUNDLES):
        if os.access(path, os.R_OK) and Path(path).is_file():
            return Path(path).read_bytes()
    return None


def build_context(made: Recipe, directory: Path, authorities: bytes | None) -> bytes:
    """Return the tar archive from which the engine builds an image; the same files give the same bytes."""
    members = _files(made, directory)
    if made.fetches and authorities:
        members.append((AUTHORITIES, authorities))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in members:
            add_file(tar, name, content)
    return buffer.getvalue()


def add_file(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    """Add a file of a build context to an archive; a file that begins with ``#!`` is made executable."""
    member = tarfile.TarInfo(name)
    member.size = len(content)
    # An installed package may have lost the file's mode.
    member.mode = 0o755 if content.startswith(b"#!") else 0o644
    tar.addfile(member, io.BytesIO(content))


def _files(made: Recipe, directory: Path) -> list[tuple[str, bytes]]:
    beside = [directory / made.directory / name for name in ("Dockerfile", *made.files)]
    copied = [(path.name, path.read_bytes()) for path in (*beside, *made.programs)]
    return copied + [(name, text().encode()) for name, text in made.texts.items()]


def _fields(root: Root) -> tuple[str, str]:
    return root.registry, root.release
