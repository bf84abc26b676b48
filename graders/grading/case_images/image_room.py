"""Limits the disk space of a run's images: each is obtained for its first grading and removed after its last.

Only images that the run itself has built or pulled count and are removed. Images that the engine had before stay, as do
the images of gradebox. Other processes that use the same images at the same time are not protected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import field
from threading import Condition

from gradebox.graders.errors import GraderError
from gradebox.graders.grading.case_images.describe import describe
from gradebox.graders.grading.image_choice import image_of, with_services
from gradebox.graders.model.case import Case
from gradebox.graders.model.own_image import OwnImage
from gradebox.sandbox import forks
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.records import dataclass

Key = OwnImage | str
"""An image as a case states it: its name, or how to build it."""


def key_of(case: Case) -> Key:
    """Return the image of a case as the case specifies it."""
    return case.image if isinstance(case.image, OwnImage) else image_of(case)


# Try again, since the engine keeps an image while a container that uses it is being removed.
_AGAIN_SECONDS = 0.5
_LAST_TRIES = 20


@dataclass(slots=True)
class _Brought:
    """An image that the run has built or pulled."""

    size_bytes: int
    users: set[Key] = field(default_factory=set)  # The images that are it or are built on it.


class ImageRoom:
    """The images of one run. May be used from several threads.

    Args:
        most_bytes: Limit of their total size, as the engine reports sizes. A single image may be larger.
        cases: The case of each grading of the run.

    Attributes:
        peak_bytes: Their largest total size so far.
        count: How many images were built or pulled, repetitions included.
        remove: Removes an image by its name, as `engine.Images.remove`; set before the first grading.
        forget: Called with each removed image.
    """

    def __init__(self, most_bytes: int, cases: Iterable[Case]) -> None:
        self._most_bytes = most_bytes
        self.peak_bytes = self.count = 0
        self.remove: Callable[[str], object] = lambda _: None
        self.forget: Callable[[Key], None] = lambda _: None
        self._same: dict[Key, Key] = {}
        self._first: dict[str, Key] = {}
        self._left = Counter[Key]()
        # The images that will be built on each base image.
        self._users: dict[str, set[Key]] = {}
        for case in cases:
            for one in with_services(case):
                self._expect(one)
        self._in_use = Counter[Key]()
        self._brought: dict[str, _Brought] = {}
        self._admitted = set[Key]()
        self._largest = self._making = self._running = self._waiting = 0
        self.forked()
        forks.register(self)

    def forked(self) -> None:
        """Reset the state in a forked process, which has none of the parent's threads."""
        self._changed = Condition()

    def _expect(self, case: Case) -> None:
        image = key_of(case)
        if image not in self._same:
            self._same[image] = image
            # The case's grading will report the error.
            with suppress(GraderError, SandboxError, OSError):
                if isinstance(image, OwnImage):
                    described = describe(image, str(case.place.file))
                    self._same[image] = key = self._first.setdefault(described.own_hash, image)
                    for name in described.below:
                        self._users.setdefault(name, set()).add(key)
        self._left[self._same[image]] += 1

    def key_of(self, case: Case) -> Key:
        """Return the image of a case, the same key for all cases whose images are built from the same inputs."""
        image = key_of(case)
        return self._same.get(image, image)

    @contextmanager
    def held(self, case: Case) -> Iterator[None]:
        """Keep the images of a case during one of its gradings; then remove the images that no grading needs."""
        keys = [self.key_of(one) for one in with_services(case)]
        with self._changed:
            self._in_use.update(keys)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._in_use.subtract(keys)
                self._left.subtract(keys)
                self._running -= 1
                self._remove_done()
                self._changed.notify_all()

    def admit(self, key: Key, stopping: Callable[[], bool]) -> None:
        """Wait until there is room to obtain an image; return at once if the engine has it.

        Each image is expected to be as large as the largest so far. If no grading can end before this image exists, it
        is obtained even without room.
        """
        with self._changed:
            self._waiting += 1
            tries = 0
            try:
                while key not in self._admitted and not self._fits() and not stopping():
                    tries += 1
                    if self._running <= self._waiting and (tries > _LAST_TRIES or not self._has_idle()):
                        break
                    self._changed.wait(_AGAIN_SECONDS)
                    self._remove_done()
            finally:
                self._waiting -= 1
            if key not in self._admitted:
                self._admitted.add(key)
                self._making += 1

    def _fits(self) -> bool:
        """Return whether one more image fits, after removing images that no grading needs now."""
        while not self._has_room():
            # Reversed, since a base image comes first.
            if not any(self._remove(name) for name in reversed([*self._brought]) if not self._is_used(name)):
                return False
        return True

    def _has_idle(self) -> bool:
        """Return whether there may soon be room, since the engine will release an unused image."""
        return any(not self._is_used(name) for name in self._brought)

    def _has_room(self) -> bool:
        if not (self._brought or self._making):
            return True
        # Before the first image exists, the size to expect is unknown.
        return self._largest > 0 and self._taken + (self._making + 1) * self._largest <= self._most_bytes

    @property
    def _taken(self) -> int:
        return sum(one.size_bytes for one in self._brought.values())

    def obtained(self, key: Key, name: str, size_bytes: int, *, is_new: bool) -> None:
        """Note that the engine has the image `name` for `key`; `is_new` states that the run built or pulled it."""
        with self._changed:
            if is_new and name not in self._brought:
                self._brought[name] = _Brought(size_bytes, {key, *self._users.get(name, ())})
                self.count += 1
                self._largest = max(self._largest, size_bytes)
                self.peak_bytes = max(self.peak_bytes, self._taken)
            elif name in self._brought:
                self._brought[name].users.add(key)

    def made(self, key: Key) -> None:
        """Note that an admitted image has been obtained, or cannot be obtained."""
        with self._changed:
            self._making -= key in self._admitted
            self._changed.notify_all()

    def _is_used(self, name: str) -> bool:
        return any(self._in_use[key] > 0 for key in self._brought[name].users)

    def _remove_done(self) -> None:
        """Remove images that no grading needs any more, the last first: it may be built on an earlier one."""
        for name in reversed([*self._brought]):
            if not self._is_used(name) and not any(self._left[key] > 0 for key in self._brought[name].users):
                self._remove(name)

    def _remove(self, name: str) -> bool:
        """Remove an image; return whether it is gone."""
        try:
            self.remove(name)
        except SandboxError:
            # Usually, a container still uses it.
            return False
        for key in self._brought.pop(name).users & self._admitted:
            self._admitted.discard(key)
            self.forget(key)
        return True

    def close(self, wait: Callable[[float], object]) -> tuple[str, ...]:
        """Remove the remaining images of the run, and return the names of those that the engine keeps.

        Args:
            wait: Waits for some seconds between attempts, while containers are being removed.
        """
        with self._changed:
            for _ in range(_LAST_TRIES):
                for name in reversed([*self._brought]):
                    self._remove(name)
                if not self._brought:
                    break
                wait(_AGAIN_SECONDS)
            return tuple(self._brought)
