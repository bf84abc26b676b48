"""Open sessions by token."""

from __future__ import annotations

import secrets

from notes.clock import Clock


class Sessions:
    def __init__(self, ttl_seconds: int, clock: Clock) -> None:
        self.ttl_seconds = ttl_seconds
        self.clock = clock
        self._names: dict[str, str] = {}

    def open(self, username: str) -> str:
        token = secrets.token_hex(24)
        self._names[token] = username
        return token

    def username_of(self, token: str) -> str | None:
        return self._names.get(token)

    def close(self, token: str) -> None:
        self._names.pop(token, None)
