"""The index of the runs below one directory, and the thread that keeps it up to date.

The index reads the runs only on request. `refresh` reads new data. If that takes long, it goes on in the background,
and queries see the data read so far. Several threads may use one index.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Condition, RLock, Thread
from typing import Any

from gradebox.graders.errors import RunRefused
from gradebox.graders.model.tree import RUN_RECORD
from gradebox.graders.runs.index.index_database import IndexDatabase, discard, is_broken, open_database
from gradebox.graders.runs.index.index_update import READERS, forget_results, remove_missing

# A refresh within this time after the last one reads nothing.
_REST_SECONDS = 0.5


class RunIndex:
    """The index of the runs below one directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.generation = 0  # Grows whenever something has changed.
        self.complete = False  # Whether all runs have been read at least once.
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
        """Close the database. A thread that still reads stops after the current step."""
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
        """Read new data of all runs. Return when that is done, or after `wait_seconds` while reading goes on.

        If `rested`, read nothing within _REST_SECONDS after the last refresh.
        """
        with self._reading:
            if self._thread is None:
                if self._closed or (rested and time.monotonic() - self._ended < _REST_SECONDS):
                    return
                self._thread = Thread(target=self._read_all, name="index", daemon=True)
                self._thread.start()
            self._reading.wait_for(lambda: self._thread is None, wait_seconds)

    def update(self) -> None:
        """Read new data of all runs, however long it takes."""
        directories = sorted(self._directories(), reverse=True)
        if self._step(lambda connection: remove_missing(connection, (one.name for one in directories))):
            self.generation += 1
        for directory in directories:
            for read in READERS:
                while not self._closed and self._step(lambda connection: read(connection, directory)):  # noqa: B023 - called at once
                    self.generation += 1
        self.complete = True

    def read_anew(self, name: str) -> None:
        """Forget a run whose index is wrong, so that the next refresh reads the run from its beginning."""
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
            # The run is being removed, or this user may not read it.
            return False
        except sqlite3.Error as error:
            self._mend(error)
            return False

    def _mend(self, error: sqlite3.Error) -> None:
        """Replace a broken database. If a database cannot be written, go on with one in memory."""
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
    """Return whether this is a run directory, not a link to one, with a name that is valid text."""
    if any("\ud800" <= character <= "\udfff" for character in directory.name):
        return False
    return not directory.is_symlink() and (directory / RUN_RECORD).is_file()
