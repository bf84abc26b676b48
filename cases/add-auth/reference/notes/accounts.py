"""Who is asking: registration, login, and the user behind a request's token."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from notes.messages import HttpError, Request
from notes.sessions import Sessions
from notes.users import UserStore

_USERNAME = re.compile(r"[a-z0-9_-]{3,32}")
_BEARER = re.compile(r"Bearer +(\S+)", re.IGNORECASE)
_MIN_PASSWORD_CHARACTERS = 8


class User(NamedTuple):
    username: str
    admin: bool


class Accounts:
    """Users and their sessions; `admin` names the one user who may see everything."""

    def __init__(self, users: UserStore, sessions: Sessions, admin: str | None = None) -> None:
        self._users = users
        self._sessions = sessions
        self._admin = admin

    def register(self, request: Request) -> User:
        username, password = _credentials(request)
        if not _USERNAME.fullmatch(username):
            raise HttpError(400, "username must have 3 to 32 of a-z, 0-9, _ and -")
        if len(password) < _MIN_PASSWORD_CHARACTERS:
            raise HttpError(400, f"password must have at least {_MIN_PASSWORD_CHARACTERS} characters")
        if not self._users.add(username, password):
            raise HttpError(409, "this username is taken")
        return self._user(username)

    def log_in(self, request: Request) -> dict[str, Any]:
        username, password = _credentials(request)
        if not self._users.fits(username, password):
            raise HttpError(401, "wrong username or password", {"WWW-Authenticate": "Bearer"})
        return {"token": self._sessions.open(username), "expires_in": self._sessions.ttl_seconds}

    def log_out(self, request: Request) -> None:
        self.user_of(request)
        self._sessions.close(_token(request))

    def user_of(self, request: Request) -> User:
        username = self._sessions.username_of(_token(request))
        if username is None:
            raise _login_needed()
        return self._user(username)

    def admin_of(self, request: Request) -> User:
        user = self.user_of(request)
        if not user.admin:
            raise HttpError(403, "only the admin may do this")
        return user

    def all(self) -> list[User]:
        return [self._user(name) for name in self._users.names()]

    def _user(self, username: str) -> User:
        return User(username, username == self._admin)


def _credentials(request: Request) -> tuple[str, str]:
    payload = request.json()
    username, password = payload.get("username"), payload.get("password")
    if not isinstance(username, str) or not isinstance(password, str):
        raise HttpError(400, "username and password must be texts")
    return username, password


def _token(request: Request) -> str:
    match = _BEARER.fullmatch(request.headers.get("authorization", ""))
    if match is None:
        raise _login_needed()
    return match.group(1)


def _login_needed() -> HttpError:
    return HttpError(401, "log in first", {"WWW-Authenticate": "Bearer"})
