"""Registration and login. The pages of the notes themselves do not ask who is there yet."""

from __future__ import annotations

import json
import re
from pathlib import Path

from notes.app import NotesApp
from notes.messages import HttpError, Request, Response
from notes.passwords import hash_password, verify_password
from notes.sessions import Sessions


class Login:
    def __init__(self, app: NotesApp, directory: Path, sessions: Sessions) -> None:
        self._app = app
        self._file = directory / "users.json"
        self._users: dict[str, str] = json.loads(self._file.read_text()) if self._file.exists() else {}
        self._sessions = sessions
        self._pages = {"/register": self._register, "/login": self._log_in, "/logout": self._log_out, "/me": self._me}

    def handle(self, request: Request) -> Response:
        if request.path not in self._pages:
            return self._app.handle(request)
        try:
            return self._pages[request.path](request)
        except HttpError as error:
            return error.response()

    def _register(self, request: Request) -> Response:
        name, password = self._credentials(request)
        if not re.fullmatch("[a-z0-9_-]{3,32}", name) or len(password) < 8:
            raise HttpError(400, "bad username or password")
        if name in self._users:
            raise HttpError(409, "username taken")
        self._users[name] = hash_password(password)
        self._file.write_text(json.dumps(self._users))
        return Response(201, {"username": name, "admin": False})

    def _log_in(self, request: Request) -> Response:
        name, password = self._credentials(request)
        if not verify_password(password, self._users.get(name, "")):
            raise HttpError(401, "wrong username or password")
        return Response(200, {"token": self._sessions.open(name), "expires_in": self._sessions.ttl_seconds})

    def _log_out(self, request: Request) -> Response:
        self._me(request)
        self._sessions.close(self._token(request))
        return Response(204)

    def _me(self, request: Request) -> Response:
        name = self._sessions.username_of(self._token(request))
        if name is None:
            raise HttpError(401, "log in first", {"WWW-Authenticate": "Bearer"})
        return Response(200, {"username": name, "admin": False})

    @staticmethod
    def _token(request: Request) -> str:
        return request.headers.get("authorization", "").removeprefix("Bearer ")

    @staticmethod
    def _credentials(request: Request) -> tuple[str, str]:
        payload = request.json()
        name, password = payload.get("username"), payload.get("password")
        if not isinstance(name, str) or not isinstance(password, str):
            raise HttpError(400, "username and password must be texts")
        return name, password
