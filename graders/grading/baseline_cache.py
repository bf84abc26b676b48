"""Caches baselines, the results of cases without a submission, in memory and in a directory.

    DIRECTORY/<hash of everything that it depends on>.json             the baseline
    DIRECTORY/<hash of everything that it depends on>.crossing.json    how the reference crosses the boundary

The directory may be deleted; missing or unreadable entries are found again. Baselines with an error are not written,
since the error may be temporary. May be used from several threads.
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

# Its subdirectory in a directory of runs; no run has such a name.
BASELINES = ".baselines"
_MOST_BYTES = 16 * 1024 * 1024

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Baseline:
    """The result of a case without the submission."""

    subject: str  # What was graded instead: `the reference` or `the untouched workspace`.
    # The names of checks and their members that are not errors, and the empty name if the setup works.
    works: frozenset[str] = frozenset()
    lasting: bool = False  # Whether there was no error.
    # Why a step cannot work, by the name under which evidence is kept, the step's name, and its complaint.
    broken: Mapping[tuple[str, str, Complaint], str] = field(default_factory=dict)


class ContentCache(Generic[T]):
    """Caches findings by a hash of all that they depend on. `write` returns None to keep one off the disk."""

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
        """Return the finding for a key; wait if another thread is already determining it.

        `find` determines an unknown finding, and returns None if it cannot.
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
        """Add a finding from elsewhere."""
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
    """The known baselines, and also the crossings and outputs of references."""

    def __init__(self, directory: Path | None = None) -> None:
        super().__init__(directory, ".json", _baseline_of, _baseline_as)
        # The output of the reference by test name; too much to be kept on disk.
        self.answers = ContentCache[dict[str, Content]](None, "", dict, lambda _: None)
        self.crossings = ContentCache(directory, ".crossing.json", crossing.of_document, crossing.as_document)


def _baseline_of(value: Any) -> Baseline:
    subject, works = value
    return Baseline(str(subject), frozenset(map(str, works)), lasting=True)


def _baseline_as(found: Baseline) -> Any | None:
    return [found.subject, sorted(found.works)] if found.lasting else None
