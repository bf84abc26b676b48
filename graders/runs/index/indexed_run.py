"""Opens a verdict through the index: reads its line and its evidence directly at the indexed places.

The verdict found there is checked against the requested one. If the index is wrong, its run is indexed again.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from pydantic import ValidationError

from gradebox.graders.documents.paths import open_regular
from gradebox.graders.errors import RunRefused
from gradebox.graders.grading.fingerprint import key_of
from gradebox.graders.model.verdict_document import VerdictDocument
from gradebox.graders.runs.evidence_log import Piece, SavedEvidence
from gradebox.graders.runs.index.index_queries import VerdictRow, find_verdict, piece_place
from gradebox.graders.runs.index.index_update import key_digest
from gradebox.graders.runs.index.run_index import RunIndex
from gradebox.graders.runs.saved_run import SavedRun, owner_of, requested_of
from gradebox.graders.runs.store import MAX_BYTES, RECORD, RESULTS

# How many records of runs stay in memory. A record names every submission, so it may be large.
_RECORDS = 8


class IndexedVerdict(NamedTuple):
    """A verdict, and its run with only this verdict."""

    row: VerdictRow
    run: SavedRun
    verdict: VerdictDocument


class IndexedRuns:
    """Opens single verdicts of the runs of an index. Several threads may use it."""

    def __init__(self, index: RunIndex) -> None:
        self.index = index
        self._records: OrderedDict[tuple[str, int, int], tuple[dict[str, Any], str]] = OrderedDict()
        self._lock = Lock()

    def directory(self, name: str) -> Path:
        """Return the directory of a run. Raises RunRefused if there is no such run below the directory of the index."""
        if not name or name.startswith(".") or name != os.path.basename(name):  # noqa: PTH119 - a name, and no path
            raise RunRefused(f"There is no run {name}.")
        directory = self.index.root / name
        if directory.is_symlink() or not (directory / RECORD).is_file():
            raise RunRefused(f"There is no run {name} any more.")
        return directory

    def requested(self, name: str) -> tuple[dict[str, Any], str]:
        """Return the request of a run, and the version that began it, empty if it is this one."""
        directory = self.directory(name)
        try:
            found = (directory / RECORD).stat()
        except OSError as error:
            raise RunRefused(f"There is no run {name} any more.") from error
        key = name, found.st_size, found.st_mtime_ns
        with self._lock:
            if key not in self._records:
                self._records[key] = requested_of(directory)
            self._records.move_to_end(key)
            while len(self._records) > _RECORDS:
                self._records.popitem(last=False)
            return self._records[key]

    def opened(self, name: str, key: str) -> IndexedVerdict | None:
        """Return a verdict by run and key, None if there is none, or it has just been replaced.

        Raises RunRefused if it cannot be read.
        """
        found = find_verdict(self.index, name, key)
        if found is None:
            return None
        row, offset, length = found
        directory = self.directory(name)
        verdict = _read(directory / RESULTS, offset, length)
        if verdict is None or key_digest(*key_of(verdict)).hex() != row.key:
            self.index.read_anew(name)
            return None
        owner = owner_of(verdict)
        place = piece_place(self.index, name, sha256(owner.key).digest()[:16])
        evidence = SavedEvidence(directory, [Piece(owner.key, *place)] if place else ())
        requested, other = self.requested(name)
        return IndexedVerdict(row, SavedRun(directory, requested, {key_of(verdict): verdict}, other, evidence), verdict)


def _read(results: Path, offset: int, length: int) -> VerdictDocument | None:
    """Return the verdict at a place of the results, None if there is none."""
    if not (offset >= 0 and 0 < length <= MAX_BYTES):
        return None
    try:
        with open_regular(results) as stream:
            return VerdictDocument.model_validate_json(os.pread(stream.fileno(), length, offset))
    except (ValidationError, OSError):
        return None
