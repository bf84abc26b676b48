"""Keeps submissions that were read: they are read when they are needed, and needed again for the next case."""

from __future__ import annotations

from collections.abc import Callable

from gradebox.graders.model.submission import Submission

MOST = 64
MOST_BYTES = 4 * 1024 * 1024
"""The limit for one submission: an unpacked archive may hold 256 MiB."""


class RecentSubmissions:
    """Reads submissions by their index, and keeps the last ones that are small."""

    def __init__(self, read: Callable[[int], Submission]) -> None:
        self._read = read
        self._kept: dict[int, Submission] = {}

    def __call__(self, place: int) -> Submission:
        found = self._kept.pop(place, None) or self._read(place)
        if found.memory_bytes <= MOST_BYTES:
            self._kept[place] = found
        if len(self._kept) > MOST:
            del self._kept[next(iter(self._kept))]
        return found
