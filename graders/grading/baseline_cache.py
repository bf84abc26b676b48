"""What cases come to without a submission, by content: in memory, and in a directory where it survives the process.

    DIRECTORY/<hash of all that it depends on>.json
    DIRECTORY/<hash of all that it depends on>.crossing.json    what its reference shows of judging apart

Nothing needs this directory, and what cannot be read in it is found again. An error of the case does not get there: it
may be one of that day. May be used from several threads.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from threading import Lock, get_ident
from typing import Any, Generic, TypeVar

from gradebox.graders.documents import strict_json
from gradebox.graders.languages.complaints import Complaint
from gradebox.graders.model import crossing
from gradebox.graders.model.expectation import Content
from gradebox.sandbox.records import dataclass

# Where a directory of runs keeps them; no run has such a name.
BASELINES = ".baselines"
_MOST_BYTES = 16 * 1024 * 1024

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a case comes to without the submission."""

    subject: str  # What was graded instead, `the reference` or `the untouched workspace`.
    # The names of its checks, and of their members, that are not errors; an empty one if its setup works.
    works: frozenset[str] = frozenset()
    lasting: bool = False  # Whether there was no error.
    # Why a step cannot work, by the name under which it is kept, its own name, and its complaint.
    broken: Mapping[tuple[str, str, Complaint], str] = field(default_factory=dict)


class ContentCache(Generic[T]):
    """What was found, by a hash of all that it depends on. `write` returns None for what is not to survive."""

    def __init__(
        self, directory: Path | None, suffix: str, read: Callable[[Any], T], write: Callable[[T], Any | None]
    ) -> None:
        self.directory = directory
        self._suffix = suffix
        self._of_json, self._as_json = read, write
        self._known: dict[str, T] = {}
        self._finding: defaultdict[str, Lock] = defaultdict(Lock)
        self._lock = Lock()

    def get(self, key: str, find: Callable[[], T | None]) -> T | None:
        """Return what is known by this key; who asks for what is just being found waits.

        `find` returns it where it is not known, None if it cannot be found out.
        """
        with self._lock:
            lock = self._finding[key]
        with lock:
            found = self._known.get(key) or self._read(f"{key}{self._suffix}")
            if found is None and (found := find()):
                self._write(f"{key}{self._suffix}", found)
            if found is not None:
                self._known[key] = found
            return found

    def know(self, key: str, found: T) -> None:
        """Take over what was found elsewhere."""
        self._known.setdefault(key, found)

    def _read(self, name: str) -> T | None:
        if self.directory is not None:
            with suppress(OSError, ValueError, TypeError), (self.directory / name).open("rb") as stream:
                return self._of_json(strict_json.loads(stream.read(_MOST_BYTES)))
        return None

    def _write(self, name: str, found: T) -> None:
        if self.directory is None or (value := self._as_json(found)) is None:
            return
        with suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            unfinished = self.directory / f"{name}.{os.getpid()}-{get_ident()}.new"
            unfinished.write_text(json.dumps(value), "utf-8")
            unfinished.replace(self.directory / name)


class BaselineCache(ContentCache[Baseline]):
    """The baselines that are known, and beside them the crossings of references."""

    def __init__(self, directory: Path | None = None) -> None:
        super().__init__(directory, ".json", _baseline_of, _baseline_as)
        # By the names of tests, what the reference prints; too much to be kept on disk.
        self.answers = ContentCache[dict[str, Content]](None, "", dict, lambda _: None)
        self.crossings = ContentCache(directory, ".crossing.json", crossing.of_document, crossing.as_document)


def _baseline_of(value: Any) -> Baseline:
    subject, works = value
    return Baseline(str(subject), frozenset(map(str, works)), lasting=True)


def _baseline_as(found: Baseline) -> Any | None:
    return [found.subject, sorted(found.works)] if found.lasting else None
