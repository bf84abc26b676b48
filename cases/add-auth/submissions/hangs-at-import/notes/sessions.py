"""Open sessions by token."""

from __future__ import annotations

import secrets

from notes.clock import Clock


class Sessions:
    def __init__(self, ttl_seconds: int, clock: Clock) -> None:
        self.ttl_seconds = ttl_seconds
        self.clock = clock
        self._by_token: dict[str, tuple[str, int]] = {}

    def open(self, username: str) -> str:
        token = secrets.token_hex(24)
        self._by_token[token] = (username, self.clock())
        return token

    def username_of(self, token: str) -> str | None:
        username, opened_at = self._by_token.get(token, (None, 0))
        if username is not None and self.clock() - opened_at >= self.ttl_seconds:
            self.close(token)
            return None
        return username

    def close(self, token: str) -> None:
        self._by_token.pop(token, None)
