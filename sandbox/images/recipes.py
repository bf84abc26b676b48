"""What the images that sandboxes start from are made of, in which order, and whether an engine's are current.

Deciding only: this module reads the recipes' files and asks no engine; `images` acts on what it decides.
An image carries the hash of what it was made of, its own files and its parent's hash, as a label; it is stale when
that is not the hash of the files here.

    debian:bookworm-slim --- base --- python, node, bun
    julia --- julia-base --- julia

A root that no registry gives is made from the packages of a Debian release: see `image_base`.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from importlib import metadata
from pathlib import Path

from sandbox.errors import ImageUnavailable

REPOSITORY = "gradebox"

LABEL_IMAGE = "io.gradebox.image"
LABEL_INPUTS = "io.gradebox.inputs"
LABEL_ROOT = "io.gradebox.root"
LABEL_STAGE = "io.gradebox.stage"
LABEL_VERSION = "io.gradebox.version"

AUTHORITIES = "authorities.pem"
"""Name in a build context of the certificate authorities that the host trusts."""

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")
_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")


@dataclass(frozen=True, slots=True)
class Root:
    """Where a first layer comes from.

    Attributes:
        registry: The image of a registry that is preferred.
        release: The Debian release that does instead.
    """

    registry: str
    release: str

    @property
    def imported(self) -> str:
        """The name under which the release is imported."""
        return f"{REPOSITORY}/debian:{self.release}"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one image is made.

    Attributes:
        name: Of the image, after ``gradebox/``.
        parent: The image below it, or where its first layer comes from.
        directory: Where its Dockerfile is, under ``images/``.
        files: What the Dockerfile copies, beside it.
        settings: Environment variables that say which index to fetch from; not part of what the image is.
        fetches: Whether it fetches over TLS by other means than Debian's own.
    """

    name: str
    parent: str | Root
    directory: str
    files: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    fetches: bool = False


class ImageState(StrEnum):
    """How an image of the engine compares with its recipe."""

    CURRENT = "current"
    STALE = "stale"
    MISSING = "missing"


_DEBIAN = Root("debian:bookworm-slim", "bookworm")
_JULIA = Root("julia:1.10-bookworm", "bullseye")

RECIPES: Mapping[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe("base", _DEBIAN, "base", files=("install-packages",)),
        Recipe("python", "base", "python", files=("requirements.txt",), settings=("PIP_INDEX_URL",), fetches=True),
        Recipe("node", "base", "node"),
        Recipe("bun", "base", "bun", settings=("NPM_CONFIG_REGISTRY",), fetches=True),
        Recipe("julia-base", _JULIA, "base", files=("install-packages",)),
        Recipe("julia", "julia-base", "julia"),
    )
}

NAMES = ("base", "python", "node", "bun", "julia")
"""The images that cases can name; the others are steps on the way to them."""


@cache
def version() -> str:
    """Return the version that tags the images: ours."""
    try:
        return metadata.version("gradebox")
    except metadata.PackageNotFoundError:
        return "0"


def reference(name: str) -> str:
    """Return the full name of one of our images, as this version builds it."""
    return f"{REPOSITORY}/{name}:{version()}"


def tags(name: str) -> tuple[str, str]:
    """Return the names that an image gets when it is built."""
    return reference(name), f"{REPOSITORY}/{name}:latest"


def find_images_directory() -> Path:
    """Return the directory of the recipes: ``images/`` of the checkout, or the copy in the installed package.

    Raises:
        ImageUnavailable: If there is neither.
    """
    here = Path(__file__).parents[1]
    for directory in (here / "_images", here.parent / "images"):
        if (directory / "base" / "Dockerfile").is_file():
            return directory
    raise ImageUnavailable(
        "The recipes of the images are not where this package keeps them.", remedy="Install gradebox again."
    )


def recipe(name: str) -> Recipe:
    """Return a recipe by its name.

    Raises:
        ImageUnavailable: If there is none.
    """
    if name in RECIPES:
        return RECIPES[name]
    close = get_close_matches(name, NAMES, n=1)
    raise ImageUnavailable(
        f"There is no recipe for an image named {name!r}.",
        remedy=f"Did you mean {close[0]!r}?" if close else f"There are: {', '.join(NAMES)}.",
    )


def chain(names: Iterable[str]) -> tuple[Recipe, ...]:
    """Return the recipes of some images and of all below them, each once and after its parent."""
    ordered: dict[str, Recipe] = {}

    def visit(wanted: Recipe) -> None:
        if isinstance(wanted.parent, str):
            visit(recipe(wanted.parent))
        ordered.setdefault(wanted.name, wanted)

    for name in names:
        visit(recipe(name))
    return tuple(ordered.values())


def inputs_hash(name: str, directory: Path) -> str:
    """Return the hash of all that makes an image: its files, and those of the images below it."""
    made = recipe(name)
    below = inputs_hash(made.parent, directory) if isinstance(made.parent, str) else list(_fields(made.parent))
    files = {path: hashlib.sha256(content).hexdigest() for path, content in _files(made, directory)}
    text = json.dumps([made.name, below, files], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def state(stored: Mapping[str, str] | None, expected: str) -> ImageState:
    """Compare the labels of an image, None if it does not exist, with the hash its recipe has now."""
    if stored is None:
        return ImageState.MISSING
    return ImageState.CURRENT if stored.get(LABEL_INPUTS) == expected else ImageState.STALE


def plan(names: Iterable[str], state_of: Callable[[str], ImageState], *, fresh: bool) -> tuple[Recipe, ...]:
    """Return what must be built so that all of `names` are current, each after its parent.

    Args:
        names: Which images are wanted.
        state_of: Tells of an image by its name.
        fresh: Build all of it again.
    """
    if fresh:
        return chain(names)
    # An image whose own hash is right holds its parent's layers: whether that still exists by name does not matter.
    needed: dict[str, Recipe] = {}

    def visit(wanted: Recipe) -> None:
        if wanted.name in needed or state_of(wanted.name) is ImageState.CURRENT:
            return
        if isinstance(wanted.parent, str):
            visit(recipe(wanted.parent))
        needed[wanted.name] = wanted

    for name in names:
        visit(recipe(name))
    return tuple(needed.values())


def labels(name: str, directory: Path) -> dict[str, str]:
    """Return what an image says of itself."""
    return {
        "org.opencontainers.image.version": version(),
        LABEL_IMAGE: name,
        LABEL_VERSION: version(),
        LABEL_INPUTS: inputs_hash(name, directory),
    }


def build_arguments(made: Recipe, base: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the arguments of a build: what it stands on, and how this machine reaches the network."""
    wanted = (*_PROXIES, *made.settings)
    return {"BASE": base, **{name: environment[name] for name in wanted if environment.get(name)}}


def trusted_authorities(environment: Mapping[str, str]) -> bytes | None:
    """Return the certificate authorities that this machine trusts, for a build behind a proxy that has its own."""
    named = (environment.get(name) for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"))
    for path in (*filter(None, named), *_BUNDLES):
        if os.access(path, os.R_OK) and Path(path).is_file():
            return Path(path).read_bytes()
    return None


def build_context(made: Recipe, directory: Path, authorities: bytes | None) -> bytes:
    """Return the tar archive that the engine builds an image from, the same bytes for the same files."""
    members = _files(made, directory)
    if made.fetches and authorities:
        members.append((AUTHORITIES, authorities))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            # An installed package may have lost the mode that the checkout has.
            member.mode = 0o755 if content.startswith(b"#!") else 0o644
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _files(made: Recipe, directory: Path) -> list[tuple[str, bytes]]:
    return [(name, (directory / made.directory / name).read_bytes()) for name in ("Dockerfile", *made.files)]


def _fields(root: Root) -> tuple[str, str]:
    return root.registry, root.release
