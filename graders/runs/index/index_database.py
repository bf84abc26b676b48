"""The database of the index: its place, its tables, and the recovery of a broken database.

    runs/.index.sqlite      beside the runs
        runs                a row for each run, with how far its files have been read
        verdicts            a row for each verdict that counts: the fields that lists show, and the place of its line
        choices             the different values of verdicts by which a list can be filtered
        pieces              where the evidence of a verdict lies in the log of its run

All its data comes from the runs, so it may be removed at any time. It is hostile input like the runs beside it: it must
not be a link, its schema may call harmless functions only (``trusted_schema``), and code that reads a verdict at an
indexed place checks that it is the right one.

The database uses SQLite's rollback journal, which is deleted at each commit. Unlike the write-ahead log, it also works
for processes of several machines that share a file system with locks.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from gradebox.sandbox import caches

INDEX = ".index.sqlite"
# A database with another version is rebuilt.
_VERSION = 1
_BUSY_SECONDS = 30
_BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SCHEMA = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, started REAL NOT NULL DEFAULT 0, what TEXT NOT NULL DEFAULT '',
    gradings INTEGER, record_problem TEXT NOT NULL DEFAULT '', record_stamp TEXT NOT NULL DEFAULT '',
    results_problem TEXT NOT NULL DEFAULT '', results_stamp TEXT NOT NULL DEFAULT '',
    results_offset INTEGER NOT NULL DEFAULT 0, lines INTEGER NOT NULL DEFAULT 0, guard BLOB NOT NULL DEFAULT x'',
    log_stamp TEXT NOT NULL DEFAULT '', log_offset INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE verdicts (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL, key BLOB NOT NULL, number INTEGER NOT NULL, verdict TEXT NOT NULL,
    name TEXT NOT NULL, submission TEXT NOT NULL, target TEXT NOT NULL, repeat INTEGER NOT NULL, model TEXT NOT NULL,
    category TEXT NOT NULL, tags TEXT NOT NULL, reason TEXT NOT NULL, searched TEXT NOT NULL, score REAL,
    seconds REAL NOT NULL, started REAL NOT NULL, tampered INTEGER NOT NULL, reused INTEGER NOT NULL,
    line_offset INTEGER NOT NULL, line_length INTEGER NOT NULL,
    UNIQUE (key, run)
);
CREATE INDEX verdicts_in_order ON verdicts (run, number, id);
CREATE INDEX verdicts_of_case ON verdicts (name, run);
CREATE INDEX verdicts_by_time ON verdicts (started, id);
CREATE INDEX verdicts_of_kind ON verdicts (run, verdict, score);
CREATE TABLE choices (
    run INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, kind, value)
) WITHOUT ROWID;
CREATE TABLE pieces (
    run INTEGER NOT NULL, key BLOB NOT NULL, piece_offset INTEGER NOT NULL, piece_length INTEGER NOT NULL,
    PRIMARY KEY (run, key)
) WITHOUT ROWID;
"""


class IndexDatabase(NamedTuple):
    """An open database of the index. Only one thread at a time may use its connection."""

    connection: sqlite3.Connection
    place: Path | None  # None if it is in memory.
    why_elsewhere: str = ""  # A clause: why it is not beside the runs. Empty if it is.


def open_database(root: Path, *, in_memory: str = "") -> IndexDatabase:
    """Open the database of a directory of runs: beside the runs, else in the user's cache, else in memory.

    If `in_memory` is not empty, it is a clause that says why the database must be in memory.
    """
    if in_memory:
        return IndexDatabase(_opened(None), None, in_memory)
    beside = root / INDEX
    why = _why_not(beside)
    if not why:
        try:
            return IndexDatabase(_opened(beside), beside)
        except (sqlite3.Error, OSError) as error:
            why = str(error)
    cached = caches.directory() / f"index-{sha256(os.fsencode(root.resolve())).hexdigest()[:16]}.sqlite"
    with suppress(sqlite3.Error, OSError):
        cached.parent.mkdir(parents=True, exist_ok=True)
        if not _why_not(cached):
            return IndexDatabase(_opened(cached), cached, why)
    return IndexDatabase(_opened(None), None, why)


def is_broken(error: sqlite3.Error) -> bool:
    """Return whether an error means that a database must be rebuilt."""
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _BROKEN


def discard(place: Path) -> None:
    """Remove a broken database. Processes that have it open keep using the removed file."""
    for name in (place, place.with_name(f"{place.name}-journal")):
        name.unlink(missing_ok=True)


def _why_not(place: Path) -> str:
    """Return a clause that says why a database cannot lie at this place; empty if it can."""
    try:
        found = place.lstat()
    except OSError:
        return "" if os.access(place.parent, os.W_OK) else f"{place.parent} cannot be written"
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        # Writing through a link would change another file.
        return f"{place} is a link or not a regular file"
    return "" if os.access(place, os.W_OK) and os.access(place.parent, os.W_OK) else f"{place} cannot be written"


def _opened(place: Path | None) -> sqlite3.Connection:
    try:
        return _with_schema(place)
    except sqlite3.DatabaseError as error:
        if place is None or not is_broken(error):
            raise
        discard(place)
        return _with_schema(place)


def _with_schema(place: Path | None) -> sqlite3.Connection:
    connection = sqlite3.connect(
        place or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")
        # A power cut may break the database, which is then rebuilt.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN IMMEDIATE")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:
            _clear(connection)
            for statement in filter(str.strip, _SCHEMA.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _clear(connection: sqlite3.Connection) -> None:
    """Remove the tables, views and triggers of another version."""
    kinds = ("table", "view", "trigger")
    for kind in kinds:
        query = "SELECT name FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%'"
        for (name,) in connection.execute(query, (kind,)).fetchall():
            quoted = name.replace('"', '""')
            connection.execute(f'DROP {kind} IF EXISTS "{quoted}"')
