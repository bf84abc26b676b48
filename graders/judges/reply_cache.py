"""Replies of judges by content, in memory and in a directory: the same question is never put to the same judge twice.

    DIRECTORY/<hash of question and judge>.json

Only replies that could be used are kept. May be used from several threads; who asks what another is just asking waits.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, field
from pathlib import Path
from threading import Lock, get_ident

from graders.model.judgment import MAX_REPLY_CHARACTERS, Reply
from sandbox.records import dataclass

# Where a directory of runs keeps them; no run has such a name.
REPLIES = ".judge-replies"
_MOST_BYTES = 8 * MAX_REPLY_CHARACTERS


@dataclass(slots=True)
class ReplyCache:
    """The replies that are known.

    Attributes:
        directory: Where they survive the process; None keeps them in memory alone.
    """

    directory: Path | None = None
    _known: dict[str, Reply] = field(default_factory=dict, repr=False)
    _asking: defaultdict[str, Lock] = field(default_factory=lambda: defaultdict(Lock), repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    @contextmanager
    def asking(self, key: str) -> Iterator[None]:
        """Keep others from asking the same meanwhile."""
        with self._lock:
            lock = self._asking[key]
        with lock:
            yield

    def get(self, key: str) -> Reply | None:
        """Return a reply; None if it is not known or its file cannot be read."""
        if key in self._known or self.directory is None:
            return self._known.get(key)
        with suppress(OSError, ValueError, TypeError), (self.directory / f"{key}.json").open("rb") as stream:
            return Reply(**json.loads(stream.read(_MOST_BYTES)))
        return None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply. A directory that cannot be written costs a question more, and nothing else."""
        self._known[key] = reply
        if self.directory is None:
            return
        with suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            unfinished = self.directory / f"{key}.{os.getpid()}-{get_ident()}.new"
            unfinished.write_text(json.dumps(asdict(reply)), "utf-8")
            unfinished.replace(self.directory / f"{key}.json")
