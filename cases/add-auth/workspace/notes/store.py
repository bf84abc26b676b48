"""The notes, kept in memory and in one JSON file.

The file is replaced in one step after every change, so that a crash leaves either the old notes or the new ones.

    DATA/notes.json     {"next_id": 3, "notes": [{"id": 1, "title": ..., "body": ..., "created_at": ...}, ...]}
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import asdict, dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Note:
    id: int
    title: str
    body: str
    created_at: int


class NoteStore:
    """All notes of one data directory; safe to use from several threads."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._path = directory / "notes.json"
        self._lock = threading.Lock()
        self._notes: dict[int, Note] = {}
        self._next_id = 1
        if self._path.exists():
            saved = json.loads(self._path.read_text(encoding="utf-8"))
            self._next_id = saved["next_id"]
            self._notes = {entry["id"]: Note(**entry) for entry in saved["notes"]}

    def add(self, title: str, body: str, created_at: int) -> Note:
        with self._lock:
            note = Note(self._next_id, title, body, created_at)
            self._next_id += 1
            self._notes[note.id] = note
            self._save()
            return note

    def get(self, note_id: int) -> Note | None:
        with self._lock:
            return self._notes.get(note_id)

    def find(self, word: str = "") -> list[Note]:
        """Return the notes whose title or body has the word, oldest first."""
        word = word.lower()
        with self._lock:
            return [note for note in self._notes.values() if word in f"{note.title}\n{note.body}".lower()]

    def change(self, note_id: int, title: str, body: str) -> Note | None:
        with self._lock:
            if note_id not in self._notes:
                return None
            self._notes[note_id] = replace(self._notes[note_id], title=title, body=body)
            self._save()
            return self._notes[note_id]

    def remove(self, note_id: int) -> bool:
        with self._lock:
            if self._notes.pop(note_id, None) is None:
                return False
            self._save()
            return True

    def _save(self) -> None:
        content = {"next_id": self._next_id, "notes": [asdict(note) for note in self._notes.values()]}
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(content), encoding="utf-8")
        os.replace(fresh, self._path)
