"""Who is logged in: random tokens that end some time after the login, used or not.

Only digests of the tokens are held, so that nobody who can read the memory of the service can use one.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from typing import NamedTuple

from notes.clock import Clock


class _Session(NamedTuple):
    username: str
    ends_at: int


class Sessions:
    """All open sessions; they end with the process."""

    def __init__(self, ttl_seconds: int, clock: Clock) -> None:
        self.ttl_seconds = ttl_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: dict[bytes, _Session] = {}

    def open(self, username: str) -> str:
        token = secrets.token_urlsafe(32)
        now = self._clock()
        with self._lock:
            self._sessions = {key: session for key, session in self._sessions.items() if now < session.ends_at}
            self._sessions[_key(token)] = _Session(username, now + self.ttl_seconds)
        return token

    def username_of(self, token: str) -> str | None:
        with self._lock:
            session = self._sessions.get(_key(token))
        return session.username if session and self._clock() < session.ends_at else None

    def close(self, token: str) -> None:
        with self._lock:
            self._sessions.pop(_key(token), None)


def _key(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
