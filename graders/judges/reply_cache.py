"""Caches judges' replies in a directory or in memory, so that no judge is asked the same question twice.

    DIRECTORY/<hash of question and judge>.json

Only usable replies are kept. May be used from several threads: a thread with a question that another thread is asking
waits for that thread.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, field
from pathlib import Path
from threading import Lock, get_ident

from gradebox.graders.model.judgment import MAX_REPLY_CHARACTERS, Reply
from gradebox.sandbox.records import dataclass

# Its subdirectory in a directory of runs; no run can have this name.
REPLIES = ".judge-replies"
_MOST_BYTES = 8 * MAX_REPLY_CHARACTERS
# How many replies are kept in memory if there is no directory.
_MOST_REPLIES = 10_000


@dataclass(slots=True)
class ReplyCache:
    """The replies that are already known."""

    directory: Path | None = None  # Where replies are kept; None keeps the last ones in memory.
    _known: dict[str, Reply] = field(default_factory=dict, repr=False)
    # The questions being asked, with the number of threads for each.
    _asking: dict[str, tuple[Lock, int]] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    @contextmanager
    def asking(self, key: str) -> Iterator[None]:
        """Return a context in which no other thread asks the same question."""
        with self._lock:
            lock, others = self._asking.get(key, (Lock(), 0))
            self._asking[key] = lock, others + 1
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, askers = self._asking.pop(key)
                if askers > 1:
                    self._asking[key] = lock, askers - 1

    def get(self, key: str) -> Reply | None:
        """Return a reply; None if it is unknown or its file cannot be read."""
        if key in self._known or self.directory is None:
            return self._known.get(key)
        with suppress(OSError, ValueError, TypeError), (self.directory / f"{key}.json").open("rb") as stream:
            return Reply(**json.loads(stream.read(_MOST_BYTES)))
        return None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply, in memory if there is no directory or it cannot be written."""
        with suppress(OSError):
            if self.directory is not None:
                self.directory.mkdir(parents=True, exist_ok=True)
                unfinished = self.directory / f"{key}.{os.getpid()}-{get_ident()}.new"
                unfinished.write_text(json.dumps(asdict(reply)), "utf-8")
                unfinished.replace(self.directory / f"{key}.json")
                return
        with self._lock:
            self._known[key] = reply
            while len(self._known) > _MOST_REPLIES:
                del self._known[next(iter(self._known))]
