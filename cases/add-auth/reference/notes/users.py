"""The accounts: names and the hashes of their passwords, in memory and in one JSON file.

The file is replaced in one step, as the notes' is.

    DATA/users.json     {"ada": "scrypt$16384$8$1$...", ...}
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from notes.passwords import hash_password, verify_password


class UserStore:
    """All accounts of one data directory; safe to use from several threads."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._path = directory / "users.json"
        self._lock = threading.Lock()
        self._hashes: dict[str, str] = {}
        if self._path.exists():
            self._hashes = json.loads(self._path.read_text(encoding="utf-8"))
        # Unknown names are checked against this, so that they take as long as wrong passwords.
        self._nobody = hash_password("")

    def add(self, username: str, password: str) -> bool:
        """Add an account, or return False if the name is taken."""
        hashed = hash_password(password)
        with self._lock:
            if username in self._hashes:
                return False
            self._hashes[username] = hashed
            self._save()
            return True

    def fits(self, username: str, password: str) -> bool:
        with self._lock:
            stored = self._hashes.get(username)
        return verify_password(password, stored or self._nobody) and stored is not None

    def names(self) -> list[str]:
        with self._lock:
            return sorted(self._hashes)

    def _save(self) -> None:
        fresh = self._path.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(self._hashes), encoding="utf-8")
        os.replace(fresh, self._path)
