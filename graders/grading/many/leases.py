"""Resources that one grading of a call leaves to the next, such as services; one grading uses each at a time."""

from __future__ import annotations

from threading import Lock
from typing import Protocol


class Lasting(Protocol):
    """A resource that lasts longer than one grading."""

    def close(self) -> None:
        """End the resource."""


class Leases:
    """The idle resources by key; resources with equal keys are interchangeable. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: list[tuple[object, Lasting]] = []
        self._closed = False

    def take(self, key: object) -> Lasting | None:
        """Return an idle resource with a key. If there is none, end the idle resources and return None."""
        with self._lock:
            for place, (other, found) in enumerate(self._idle):
                if other == key:
                    del self._idle[place]
                    return found
            leaving, self._idle = self._idle, []
        for _, one in leaving:
            one.close()
        return None

    def give(self, key: object, one: Lasting) -> None:
        """Keep a resource for the next grading."""
        with self._lock:
            if not self._closed:
                self._idle.append((key, one))
                return
        one.close()

    def close(self) -> None:
        """End all idle resources, and every resource that is given from now on."""
        with self._lock:
            self._closed = True
            leaving, self._idle = self._idle, []
        for _, one in leaving:
            one.close()
