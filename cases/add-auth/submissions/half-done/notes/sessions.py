"""Open sessions by token."""

from __future__ import annotations

import secrets

from notes.clock import Clock


class Sessions:
    def __init__(self, ttl_seconds: int, clock: Clock) -> None:
        self.ttl_seconds = ttl_seconds
        self.clock = clock
        self._open: dict[str, tuple[str, int]] = {}

    def open(self, username: str) -> str:
        token = secrets.token_urlsafe(24)
        self._open[token] = (username, self.clock() + self.ttl_seconds)
        return token

    def username_of(self, token: str) -> str | None:
        username, ends_at = self._open.get(token, ("", 0))
        return username if self.clock() < ends_at else None

    def close(self, token: str) -> None:
        self._open.pop(token, None)
