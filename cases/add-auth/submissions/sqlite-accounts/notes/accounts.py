"""Users and the owners of notes, in an SQLite database beside the notes."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from notes.passwords import hash_password, verify_password

SCHEMA = """
CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY, password TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS owners (note INTEGER PRIMARY KEY, name TEXT NOT NULL);
"""


class Accounts:
    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._database = sqlite3.connect(directory / "accounts.db", check_same_thread=False)
        self._database.executescript(SCHEMA)

    def add(self, name: str, password: str) -> bool:
        hashed = hash_password(password)
        with self._lock, self._database:
            cursor = self._database.execute("INSERT OR IGNORE INTO users VALUES (?, ?)", (name, hashed))
            return cursor.rowcount == 1

    def fits(self, name: str, password: str) -> bool:
        with self._lock:
            row = self._database.execute("SELECT password FROM users WHERE name = ?", (name,)).fetchone()
        return row is not None and verify_password(password, row[0])

    def names(self) -> list[str]:
        with self._lock:
            return [name for (name,) in self._database.execute("SELECT name FROM users ORDER BY name")]

    def owner_of(self, note_id: int) -> str | None:
        with self._lock:
            row = self._database.execute("SELECT name FROM owners WHERE note = ?", (note_id,)).fetchone()
        return row[0] if row else None

    def set_owner(self, note_id: int, name: str | None) -> None:
        with self._lock, self._database:
            self._database.execute("DELETE FROM owners WHERE note = ?", (note_id,))
            if name is not None:
                self._database.execute("INSERT INTO owners VALUES (?, ?)", (note_id, name))
