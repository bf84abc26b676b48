"""Builds the images that cases describe: each once, several at a time, before they are needed.

A build that nobody waits for any more ends with this process, since the engine stops it when the connection closes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from threading import Event as Flag
from typing import NamedTuple

from gradebox.graders.errors import CaseRefused, GraderError
from gradebox.graders.grading.case_images.describe import describe
from gradebox.graders.grading.case_images.image_room import ImageRoom, Key, key_of
from gradebox.graders.grading.image_choice import with_services
from gradebox.graders.grading.open_sandboxes import INTERRUPTED
from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.graders.model.case import Case
from gradebox.graders.model.events import Event, ImageBuilt, ImageProgress
from gradebox.graders.model.own_image import OwnImage
from gradebox.sandbox import forks
from gradebox.sandbox.engines.engine import Engine, OnLine
from gradebox.sandbox.engines.here.no_images import NoImages
from gradebox.sandbox.errors import ImageUnavailable, SandboxError, SandboxLost
from gradebox.sandbox.images import build as our_images
from gradebox.sandbox.images import described_image, recipes
from gradebox.sandbox.images.dockerfile import buildkit_needs
from gradebox.sandbox.images.pulling import Pull, obtain

# Builds at a time: each uses the engine's network and one of its processors most of the time.
PARALLEL = 3
_POLL_SECONDS = 0.2
_PODMAN = "Podman"


class Obtained(NamedTuple):
    """An image that cases need, and the result of obtaining it."""

    image: str  # Its name, or a summary of its inputs.
    reference: str  # Its name on the engine, empty if it is not available.
    error: SandboxError | GraderError | None = None


class CaseImages:
    """The images of one engine. May be used from several threads.

    Args:
        engine: The engine that builds them.
        emit: Receives the progress, from any thread.
        stopping: Returns whether nothing new may start.
        policy: When a base image is pulled.
        parallel: How many builds run at a time.
        room: Limits their disk space. If given, images that cases name are pulled here, too.
    """

    def __init__(
        self,
        engine: Engine,
        emit: Callable[[Event], None] = lambda _: None,
        stopping: Callable[[], bool] = lambda: False,
        *,
        policy: Pull = Pull.MISSING,
        parallel: int = PARALLEL,
        room: ImageRoom | None = None,
    ) -> None:
        self._engine, self._emit, self._stopping = engine, emit, stopping
        self._policy, self._parallel, self._room = policy, parallel, room
        if room is not None:
            room.remove, room.forget = self._remove, self._forget
        self.forked()
        forks.register(self)

    def forked(self) -> None:
        """Reset the state in a forked process, which has none of the parent's threads."""
        self._turns = threading.Semaphore(self._parallel)
        self._lock, self._ours = threading.Lock(), threading.Lock()
        self._known: dict[Key, _Making] = {}
        self._needed: dict[str, None] = {}

    def image_of(self, case: Case) -> str:
        """Return the reference of the image of a case, built if necessary.

        Raises:
            ImageUnavailable: If it cannot be built; this is not tried again.
            CaseRefused: If its Dockerfile needs a feature that the engine's builder lacks, or a file cannot be read.
            SandboxLost: If the run is being stopped.
        """
        room = self._room
        image = key_of(case) if room is None else room.key_of(case)
        if isinstance(image, str) and (room is None or image.startswith(f"{recipes.REPOSITORY}/")):
            return image
        if room is not None:
            room.admit(image, self._stopping)
        return self._begun(case, image).result(self._stopping)

    def _remove(self, name: str) -> bool:
        # `Engine.images` differs by thread.
        return self._engine.images.remove(name)

    def _forget(self, image: Key) -> None:
        with self._lock:
            self._known.pop(image, None)

    def make_all(self, cases: Iterable[Case]) -> None:
        """Build all images that these cases describe. `image_of` raises the error of a failed build."""
        needed = (one for case in cases for one in with_services(case))
        begun = [self._begun(one, one.image) for one in needed if isinstance(one.image, OwnImage)]
        for making in begun:
            making.wait(self._stopping)

    def obtain_all(self, cases: Iterable[Case]) -> Iterator[Obtained]:
        """Build or pull every image that these cases need, and yield each once it and all before it are available."""
        begun: dict[Key, _Making] = {}
        for one in (one for case in cases for one in with_services(case)):
            begun.setdefault(key_of(one), self._begun(one, key_of(one)))
        for image, making in begun.items():
            try:
                yield Obtained(str(image), making.result(self._stopping))
            except (SandboxError, GraderError) as error:
                yield Obtained(str(image), "", error)

    @property
    def needed(self) -> tuple[str, ...]:
        """The names of all images used so far, whether built, pulled or already present, including base images."""
        with self._lock:
            return tuple(self._needed)

    def current_name(self, case: Case) -> str | None:
        """Return the current name of the image that a case describes, built or not; None if the case names its image.

        Raises:
            ImageUnavailable: If its base image is missing.
            OSError: If a file cannot be read.
        """
        if not isinstance(case.image, OwnImage):
            return None

        platform = case.image.platform

        def below(reference: str, _: OnLine) -> str:
            return obtain(reference, self._engine.images, policy=Pull.NEVER, platform=platform).id

        key = describe(case.image, str(case.place.file)).key(below, lambda _: None)
        return described_image.reference(key)

    def _begun(self, case: Case, image: Key) -> _Making:
        with self._lock:
            making = self._known.get(image)
            if making is None:
                making = self._known[image] = _Making()
                work = (making, case, image)
                # A daemon: a build may be silent for minutes, and the process must be able to end meanwhile.
                threading.Thread(target=self._make, args=work, name="image", daemon=True).start()
            return making

    def _make(self, making: _Making, case: Case, image: Key) -> None:
        try:
            with self._turns:
                if not self._stopping():
                    making.reference = self._made(case, image)
        except OSError as error:
            making.error = CaseRefused(f"The image of {case.id} cannot be built, since a file cannot be read: {error}.")
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting threads
            making.error = error
        finally:
            if self._room is not None:
                self._room.made(image)
            making.done.set()

    def _made(self, case: Case, image: Key) -> str:
        def on_line(line: str) -> None:
            self._emit(ImageProgress(case.id, line))

        if isinstance(image, str):
            self._below(image, on_line, key=image, current=True)
            return image
        images = self._engine.images
        if isinstance(images, NoImages):
            raise ImageUnavailable(
                f"The case {case.id} has an image of its own ({image}), but here:// has no images.",
                remedy="Grade it on a container engine, or name no image and install what the case needs here.",
            )
        self._refuse_buildkit(image)
        source = str(case.place.file)
        described = describe(image, source)
        key = described.key(partial(self._below, key=image, platform=image.platform), on_line)
        name = described_image.reference(key)
        is_new, begin = images.find(name) is None, time.monotonic()
        if is_new:
            self._emit(ImageProgress(case.id))
        built = described_image.build(described, key, images, on_line)
        if self._room is not None:
            self._room.obtained(image, name, built.size_bytes, is_new=is_new)
        if is_new:
            self._emit(ImageBuilt(case.id, name, time.monotonic() - begin))
        self._note(name)
        return name

    def _note(self, *names: str) -> None:
        with self._lock:
            self._needed.update(dict.fromkeys(names))

    def _below(self, reference: str, on_line: OnLine, *, key: Key, current: bool = False, platform: str = "") -> str:
        """Return the id of a named image, built or pulled if necessary. `key` is it, or is built on it.

        `current` rebuilds an image of gradebox if it is stale.
        """
        images, catalogue = self._engine.images, image_catalogue()
        name = reference.removeprefix(f"{recipes.REPOSITORY}/").partition(":")[0]
        if reference.startswith(f"{recipes.REPOSITORY}/") and name in catalogue.names:
            self._note(*recipes.tags(name))
            if not current and (stored := images.find(reference)) is not None:
                return stored.id
            with self._ours:
                # Several builds may need it.
                (built,) = our_images.build([name], images, catalogue, lambda event: on_line(event.text))
            return built.image_id
        self._note(reference)
        before = images.find(reference) if self._room is not None else None
        image = obtain(reference, images, on_line, policy=self._policy, platform=platform)
        if self._room is not None:
            self._room.obtained(key, reference, image.size_bytes, is_new=before is None)
        return image.id

    def _refuse_buildkit(self, image: OwnImage) -> None:
        if image.dockerfile is None or self._engine.info().name.startswith(_PODMAN):
            return
        needs = [need for need in buildkit_needs(image.dockerfile.read_text("utf-8", "replace")) if need.blocks]
        if needs:
            listed = ", ".join(f"{need.what} (line {need.line})" for need in needs)
            raise CaseRefused(
                f"{image.dockerfile}:{needs[0].line}: the engine's classic builder lacks BuildKit, which this needs: "
                f"{listed}.",
                remedy="Rewrite these lines without BuildKit, or build the image yourself and name it.",
            )


class _Making:
    """One image that is being built."""

    def __init__(self) -> None:
        self.done = Flag()
        self.reference = ""
        self.error: BaseException | None = None

    def wait(self, stopping: Callable[[], bool]) -> None:
        while not self.done.wait(_POLL_SECONDS) and not stopping():
            pass

    def result(self, stopping: Callable[[], bool]) -> str:
        self.wait(stopping)
        if self.error is not None:
            raise self.error
        if not self.reference:
            raise SandboxLost(INTERRUPTED)
        return self.reference
