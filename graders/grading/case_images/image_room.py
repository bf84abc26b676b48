"""How much disk the images of a run may take: each is obtained for the first grading that needs it, and then removed.

Only what the run itself has built or pulled counts and is removed. What the engine had before stays, and so do the
images of gradebox. Nothing is promised to other processes that use the same images meanwhile.
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
"""An image as a case says it: how it is built, or its name."""


def key_of(case: Case) -> Key:
    """Return the image of a case as the case says it."""
    return case.image if isinstance(case.image, OwnImage) else image_of(case)


# The engine refuses to remove an image as long as a container of it is being removed.
_AGAIN_SECONDS = 0.5
_LAST_TRIES = 20


@dataclass(slots=True)
class _Brought:
    """An image that the run has built or pulled."""

    size_bytes: int
    users: set[Key] = field(default_factory=set)  # What is made of it, or is it.


class ImageRoom:
    """The images of one run. May be used from several threads.

    Args:
        most_bytes: What they may take together, by the sizes that the engine says. A single one may be larger.
        cases: The case of each grading of the run.

    Attributes:
        peak_bytes: The most that they have taken.
        count: How many were built or pulled, those that were needed again included.
        remove: Removes an image by its name, as `engine.Images.remove`; set before the first grading.
        forget: Called with an image that will have to be obtained again.
    """

    def __init__(self, most_bytes: int, cases: Iterable[Case]) -> None:
        self._most_bytes = most_bytes
        self.peak_bytes = self.count = 0
        self.remove: Callable[[str], object] = lambda _: None
        self.forget: Callable[[Key], None] = lambda _: None
        self._same: dict[Key, Key] = {}
        self._first: dict[str, Key] = {}
        self._left = Counter[Key]()
        # Images below others that are to come, by name.
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
        """Start afresh in a forked process, which has none of the threads."""
        self._changed = Condition()

    def _expect(self, case: Case) -> None:
        image = key_of(case)
        if image not in self._same:
            self._same[image] = image
            # Why it cannot be built, its grading says.
            with suppress(GraderError, SandboxError, OSError):
                if isinstance(image, OwnImage):
                    described = describe(image, str(case.place.file))
                    self._same[image] = key = self._first.setdefault(described.own_hash, image)
                    for name in described.below:
                        self._users.setdefault(name, set()).add(key)
        self._left[self._same[image]] += 1

    def key_of(self, case: Case) -> Key:
        """Return the image of a case, the same one for all cases whose images are made of the same."""
        image = key_of(case)
        return self._same.get(image, image)

    @contextmanager
    def held(self, case: Case) -> Iterator[None]:
        """Keep the images of a case for one of its gradings; afterwards, remove what none needs any more."""
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
        """Wait until there is room for an image that is to be obtained; of one that is there, return at once.

        Each is expected to be as large as the largest so far. If no grading can end before this image is there, it is
        obtained even without room.
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
        """Return whether one more fits; what no grading needs now is removed for it."""
        while not self._has_room():
            # What is built on another one comes after it.
            if not any(self._remove(name) for name in reversed([*self._brought]) if not self._is_used(name)):
                return False
        return True

    def _has_idle(self) -> bool:
        """Return whether there may soon be room, since the engine will let go of an image."""
        return any(not self._is_used(name) for name in self._brought)

    def _has_room(self) -> bool:
        if not (self._brought or self._making):
            return True
        # Of the first one, nobody knows how large it will be.
        return self._largest > 0 and self._taken + (self._making + 1) * self._largest <= self._most_bytes

    @property
    def _taken(self) -> int:
        return sum(one.size_bytes for one in self._brought.values())

    def obtained(self, key: Key, name: str, size_bytes: int, *, is_new: bool) -> None:
        """Note an image that is there for `key`; `is_new` says that it was built or pulled for that."""
        with self._changed:
            if is_new and name not in self._brought:
                self._brought[name] = _Brought(size_bytes, {key, *self._users.get(name, ())})
                self.count += 1
                self._largest = max(self._largest, size_bytes)
                self.peak_bytes = max(self.peak_bytes, self._taken)
            elif name in self._brought:
                self._brought[name].users.add(key)

    def made(self, key: Key) -> None:
        """Note that an image that was admitted is there, or cannot be obtained."""
        with self._changed:
            self._making -= key in self._admitted
            self._changed.notify_all()

    def _is_used(self, name: str) -> bool:
        return any(self._in_use[key] > 0 for key in self._brought[name].users)

    def _remove_done(self) -> None:
        """Remove what no grading needs now or later, the last one first: it may be built on one before it."""
        for name in reversed([*self._brought]):
            if not self._is_used(name) and not any(self._left[key] > 0 for key in self._brought[name].users):
                self._remove(name)

    def _remove(self, name: str) -> bool:
        """Remove an image; return whether it is gone."""
        try:
            self.remove(name)
        except SandboxError:
            # A container of it is left, mostly.
            return False
        for key in self._brought.pop(name).users & self._admitted:
            self._admitted.discard(key)
            self.forget(key)
        return True

    def close(self, wait: Callable[[float], object]) -> tuple[str, ...]:
        """Remove whatever is left of the run, and return the names of images that the engine keeps.

        Args:
            wait: Waits for so many seconds, since containers may still be being removed.
        """
        with self._changed:
            for _ in range(_LAST_TRIES):
                for name in reversed([*self._brought]):
                    self._remove(name)
                if not self._brought:
                    break
                wait(_AGAIN_SECONDS)
            return tuple(self._brought)
