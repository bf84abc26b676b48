"""Builds, lists and removes the images that sandboxes start from.

`recipes` decides what must be built and `first_layer` finds the root. This module builds, reports its progress as
events, and prints nothing. Processes that build from the same recipes wait for each other. On a file system without
locks, both build the same image, and the last build gets the image's name.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from gradebox.sandbox.engines.engine import Images, StoredImage
from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images import recipes
from gradebox.sandbox.images.first_layer import Roots
from gradebox.sandbox.images.recipes import LABEL_STAGE, Catalogue, ImageState, Recipe, Root, find_images_directory
from gradebox.sandbox.records import dataclass

_LAST_LINES = 8


class BuildStep(StrEnum):
    """The kind of an event."""

    WAITING = "waiting"
    STARTED = "started"
    OUTPUT = "output"
    BUILT = "built"
    REUSED = "reused"


@dataclass(frozen=True, slots=True)
class BuildEvent:
    """One step of a build.

    Attributes:
        image: Name of the image, empty if the event does not concern a single image.
        step: What happened.
        text: One line of output; may be empty.
    """

    image: str
    step: BuildStep
    text: str = ""


@dataclass(frozen=True, slots=True)
class BuiltImage:
    """An image that is now current.

    Attributes:
        name: Its short name, such as ``python``.
        reference: Its full name, for sandboxes.
        image_id: Content id, ``sha256:...``.
        seconds: How long the build took.
        reused: Whether it was already current.
    """

    name: str
    reference: str
    image_id: str
    seconds: float
    reused: bool


@dataclass(frozen=True, slots=True)
class ListedImage:
    """One of our images, and whether the engine has it.

    Attributes:
        name: Its short name, such as ``python``.
        reference: Its full name, with this version's tag.
        state: Whether it is missing, stale or current, or absent because no case needed it yet.
        image_id: Content id, empty when it is missing.
        size_bytes: Size of its layers, shared ones included; 0 when it is missing.
        created: When it was built, in seconds since the epoch; None when missing or unknown.
    """

    name: str
    reference: str
    state: ImageState
    image_id: str = ""
    size_bytes: int = 0
    created: float | None = None


OnEvent = Callable[[BuildEvent], None]


def build(
    names: Iterable[str],
    engine: Images,
    catalogue: Catalogue,
    on_event: OnEvent = lambda _: None,
    *,
    force: bool = False,
    environment: Mapping[str, str] = os.environ,
) -> list[BuiltImage]:
    """Build images that are not current, after their base images.

    Args:
        names: Which images; none means all except those built on demand.
        engine: The images of the engine.
        catalogue: All recipes.
        on_event: Receives the progress.
        force: Build them and their base images again, with Debian's current packages.
        environment: The variables that name this machine's proxies and package indexes.

    Returns:
        An entry for each of `names`, in that order.

    Raises:
        ImageUnavailable: If a name is unknown, or an image cannot be built.
    """
    wanted = tuple(dict.fromkeys(names)) or catalogue.usual
    directory = find_images_directory()
    seconds: dict[str, float] = {}
    # Check without the lock first: a run that needs no build must not wait for the build of another run.
    if force or _plan(wanted, engine, catalogue, directory, fresh=force):
        with _alone(directory, on_event):
            roots = Roots(engine, fresh=force)
            for recipe in _plan(wanted, engine, catalogue, directory, fresh=force):
                started = time.monotonic()
                labels = catalogue.labels(recipe.name, directory)
                _build_one(recipe, engine, roots, on_event, labels=labels, fresh=force, environment=environment)
                seconds[recipe.name] = time.monotonic() - started
    return [_result(name, engine, seconds.get(name), on_event) for name in wanted]


def list_built(engine: Images, catalogue: Catalogue) -> list[ListedImage]:
    """Return all our images, in build order."""
    directory = find_images_directory()
    rows = []
    for name in catalogue.names:
        reference = recipes.reference(name)
        stored = engine.find(reference)
        state = _state(name, stored, catalogue, directory)
        if stored is None:
            state = ImageState.OPTIONAL if catalogue.recipe(name).on_demand else state
            rows.append(ListedImage(name, reference, state))
        else:
            rows.append(ListedImage(name, reference, state, stored.id, stored.size_bytes, stored.created))
    return rows


def remove(names: Iterable[str], engine: Images, catalogue: Catalogue) -> list[str]:
    """Remove images of all versions, and return the names that were removed.

    Without names, everything that builds left is removed, imported first layers and unfinished stages included. Images
    from a registry and other people's images on top of ours are kept.
    """
    wanted = tuple(names)
    for name in wanted:
        catalogue.recipe(name)
    repositories = [f"{recipes.REPOSITORY}/{name}" for name in reversed(wanted or tuple(catalogue.recipes))]
    if not wanted:
        repositories.append(f"{recipes.REPOSITORY}/debian")
    stored = (*engine.labelled(recipes.LABEL_IMAGE), *engine.labelled(recipes.LABEL_ROOT))
    # Images on top of ours inherit the label; only their names show that they are not ours.
    tags = dict.fromkeys(tag for image in stored for tag in image.tags)
    removed = [
        tag
        for repository in repositories
        for tag in tags
        if tag.rpartition(":")[0] == repository and engine.remove(tag)
    ]
    for image in engine.labelled(LABEL_STAGE):
        if not image.tags and (not wanted or image.labels[LABEL_STAGE] in wanted):
            engine.remove(image.id)
    return removed


def _plan(
    names: Iterable[str], engine: Images, catalogue: Catalogue, directory: Path, *, fresh: bool
) -> tuple[Recipe, ...]:
    def state_of(name: str) -> ImageState:
        # A case may name the image with or without a tag, and must get the same image.
        states = {_state(name, engine.find(tag), catalogue, directory) for tag in recipes.tags(name)}
        return ImageState.CURRENT if states == {ImageState.CURRENT} else ImageState.STALE

    return catalogue.plan(names, state_of, fresh=fresh)


def _state(name: str, stored: StoredImage | None, catalogue: Catalogue, directory: Path) -> ImageState:
    return recipes.state(stored.labels if stored else None, catalogue.inputs_hash(name, directory))


def _build_one(
    recipe: Recipe,
    engine: Images,
    roots: Roots,
    on_event: OnEvent,
    *,
    labels: Mapping[str, str],
    fresh: bool,
    environment: Mapping[str, str],
) -> None:
    directory = find_images_directory()
    last: deque[str] = deque(maxlen=_LAST_LINES)

    def on_line(text: str) -> None:
        last.append(text)
        on_event(BuildEvent(recipe.name, BuildStep.OUTPUT, text))

    on_event(BuildEvent(recipe.name, BuildStep.STARTED))
    if isinstance(recipe.parent, Root):
        below = roots.obtain(recipe.parent, on_line)
    else:
        below = recipes.reference(recipe.parent)
    authorities = recipes.trusted_authorities(environment) if recipe.fetches else None
    try:
        engine.build(
            recipes.build_context(recipe, directory, authorities),
            recipes.tags(recipe.name),
            arguments=recipes.build_arguments(recipe, below, environment),
            labels=labels,
            fresh=fresh,
            on_line=on_line,
        )
    except ImageUnavailable as error:
        output = "".join(f"\n    {line}" for line in last)
        raise ImageUnavailable(
            f"The image {recipes.REPOSITORY}/{recipe.name} cannot be built: {error.message}{output}\n",
            remedy=error.remedy or "A build needs the network: check that this machine reaches its package mirrors.",
        ) from error
    on_event(BuildEvent(recipe.name, BuildStep.BUILT))


def _result(name: str, engine: Images, seconds: float | None, on_event: OnEvent) -> BuiltImage:
    reference = recipes.reference(name)
    stored = engine.find(reference)
    if stored is None:
        raise ImageUnavailable(
            f"The image {reference} was removed during its build.", remedy="Run `grade images build` again."
        )
    if seconds is None:
        on_event(BuildEvent(name, BuildStep.REUSED))
    return BuiltImage(name, reference, stored.id, seconds or 0.0, seconds is None)


@contextmanager
def _alone(directory: Path, on_event: OnEvent) -> Iterator[None]:
    """Hold the lock on the recipes. The directory itself is locked, so no lock file remains."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_event(BuildEvent("", BuildStep.WAITING, "Waiting for another process that builds images."))
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:
            # A file system without locks: a second build costs time but breaks nothing.
            pass
        yield
    finally:
        os.close(descriptor)
