"""The runs below a directory as their index has them, kept up to date while it is asked.

Nothing looks at the runs unless somebody asks. `refresh` reads what is new; where that takes long, it goes on in a
thread of its own, and whoever asks meanwhile gets what has been read so far. May be used from several threads.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Condition, RLock, Thread
from typing import Any

from gradebox.graders.documents.paths import RUN_RECORD
from gradebox.graders.errors import RunRefused
from gradebox.graders.runs.index.index_database import IndexDatabase, discard, is_broken, open_database
from gradebox.graders.runs.index.index_update import READERS, forget_results, remove_missing

# Whoever asks again within this time gets the same.
_REST_SECONDS = 0.5


class RunIndex:
    """The index of the runs below one directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.generation = 0  # Another number whenever something has changed.
        self.complete = False  # Whether everything has been read once.
        self._lock = RLock()
        self._database = open_database(root)
        self._reading = Condition()
        self._thread: Thread | None = None
        self._ended = float("-inf")
        self._closed = False

    @property
    def database(self) -> IndexDatabase:
        return self._database

    def close(self) -> None:
        """Close the database; a thread that still reads ends at its next piece."""
        self._closed = True
        with self._reading:
            self._reading.wait_for(lambda: self._thread is None, 10)
        with self._lock:
            self._database.connection.close()

    def rows(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """Return the rows of a query. Raises RunRefused if the index cannot be read."""
        try:
            with self._lock:
                return self._database.connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            self._mend(error)
            raise RunRefused(f"The index of {self.root} cannot be read: {error}.", remedy="Try again.") from error

    def refresh(self, wait_seconds: float = _REST_SECONDS, *, rested: bool = True) -> None:
        """Read what is new of all runs, and return when that is done or after a time; then reading goes on.

        A `rested` one reads nothing if that was done just now.
        """
        with self._reading:
            if self._thread is None:
                if self._closed or (rested and time.monotonic() - self._ended < _REST_SECONDS):
                    return
                self._thread = Thread(target=self._read_all, name="index", daemon=True)
                self._thread.start()
            self._reading.wait_for(lambda: self._thread is None, wait_seconds)

    def update(self) -> None:
        """Read what is new of all runs, however long it takes."""
        directories = sorted(self._directories(), reverse=True)
        if self._step(lambda connection: remove_missing(connection, (one.name for one in directories))):
            self.generation += 1
        for directory in directories:
            for read in READERS:
                while not self._closed and self._step(lambda connection: read(connection, directory)):  # noqa: B023 - called at once
                    self.generation += 1
        self.complete = True

    def read_anew(self, name: str) -> None:
        """Have a run read from its begin, because the index is wrong about it."""
        self._step(lambda connection: forget_results(connection, name))
        self._ended = float("-inf")

    def _read_all(self) -> None:
        try:
            self.update()
        finally:
            with self._reading:
                self._thread, self._ended = None, time.monotonic()
                self._reading.notify_all()

    def _step(self, change: Any) -> bool:
        try:
            with self._lock:
                return not self._closed and bool(change(self._database.connection))
        except OSError:
            # The run is being removed, or not ours to read.
            return False
        except sqlite3.Error as error:
            self._mend(error)
            return False

    def _mend(self, error: sqlite3.Error) -> None:
        """Have a broken database made anew; another one that cannot be written goes on in memory."""
        with self._lock:
            place = self._database.place
            if self._closed or place is None or "locked" in str(error):
                return
            self._database.connection.close()
            if is_broken(error):
                discard(place)
                self._database = open_database(self.root)
            else:
                self._database = open_database(self.root, in_memory=str(error))
            self.generation += 1

    def _directories(self) -> Iterable[Path]:
        try:
            entries = [entry for entry in self.root.iterdir() if not entry.name.startswith(".")]
        except OSError:
            return []
        return [entry for entry in entries if _is_run(entry)]


def _is_run(directory: Path) -> bool:
    """Return whether it is a run directory whose name is text; a link to one is none of its own."""
    if any("\ud800" <= character <= "\udfff" for character in directory.name):
        return False
    return not directory.is_symlink() and (directory / RUN_RECORD).is_file()
