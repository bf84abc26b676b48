"""What cases come to without a submission, by content: in memory, and in a directory where it survives the process.

    DIRECTORY/<hash of all that it depends on>.json

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

from graders.documents import strict_json
from graders.languages.complaints import Complaint
from sandbox.records import dataclass

# Where a directory of runs keeps them; no run has such a name.
BASELINES = ".baselines"
_MOST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a case comes to without the submission."""

    subject: str  # What was graded instead, `the reference` or `the untouched workspace`.
    # The names of its checks, and of their members, that are no error; an empty one if its setup works.
    works: frozenset[str] = frozenset()
    lasting: bool = False  # Whether there was no error.
    # Why a step cannot work, by the name under which it is kept, its own name, and its complaint.
    broken: Mapping[tuple[str, str, Complaint], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BaselineCache:
    """The baselines that are known."""

    directory: Path | None = None  # Where they survive the process; None for nowhere.
    _known: dict[str, Baseline] = field(default_factory=dict, repr=False)
    _finding: defaultdict[str, Lock] = field(default_factory=lambda: defaultdict(Lock), repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def get(self, key: str, find: Callable[[], Baseline | None]) -> Baseline | None:
        """Return a baseline, by a hash of all that it depends on; who asks for one that is just being found waits.

        `find` returns it where it is not known, None if it cannot be found out.
        """
        with self._lock:
            lock = self._finding[key]
        with lock:
            found = self._known.get(key) or self._read(f"{key}.json")
            if found is None and (found := find()):
                self._write(f"{key}.json", found)
            if found is not None:
                self._known[key] = found
            return found

    def _read(self, name: str) -> Baseline | None:
        if self.directory is not None:
            with suppress(OSError, ValueError, TypeError), (self.directory / name).open("rb") as stream:
                subject, works = strict_json.loads(stream.read(_MOST_BYTES))
                return Baseline(str(subject), frozenset(map(str, works)), lasting=True)
        return None

    def _write(self, name: str, found: Baseline) -> None:
        if self.directory is None or not found.lasting:
            return
        with suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            unfinished = self.directory / f"{name}.{os.getpid()}-{get_ident()}.new"
            unfinished.write_text(json.dumps([found.subject, sorted(found.works)]), "utf-8")
            unfinished.replace(self.directory / name)
