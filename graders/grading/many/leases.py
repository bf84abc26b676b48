"""What one grading of a call leaves to the next, such as services that last: each has it to itself."""

from __future__ import annotations

from threading import Lock
from typing import Protocol


class Lasting(Protocol):
    """What lasts longer than one grading."""

    def close(self) -> None:
        """End it."""


class Leases:
    """What nobody has now, by keys of which equal ones are alike. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: list[tuple[object, Lasting]] = []
        self._closed = False

    def take(self, key: object) -> Lasting | None:
        """Return what has a key, None if there is none; whatever has another key is then ended."""
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
        """Keep something for the next grading."""
        with self._lock:
            if not self._closed:
                self._idle.append((key, one))
                return
        one.close()

    def close(self) -> None:
        """End all that nobody has, and whatever is given from now on."""
        with self._lock:
            self._closed = True
            leaving, self._idle = self._idle, []
        for _, one in leaving:
            one.close()
