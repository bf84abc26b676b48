"""A guard in front of the notes app: who is asking, and may they?

The app behind it does not know about users. The guard remembers who wrote which note.
"""

from __future__ import annotations

import re

from notes.accounts import Accounts
from notes.app import NotesApp
from notes.messages import HttpError, Request, Response
from notes.sessions import Sessions

PAGES = {"/register": "POST", "/login": "POST", "/logout": "POST", "/me": "GET", "/users": "GET"}
BEARER = {"WWW-Authenticate": "Bearer"}


class Guard:
    def __init__(self, app: NotesApp, accounts: Accounts, sessions: Sessions, admin: str | None) -> None:
        self._app = app
        self._accounts = accounts
        self._sessions = sessions
        self._admin = admin

    def handle(self, request: Request) -> Response:
        try:
            return self._handle(request)
        except HttpError as error:
            return error.response()

    def _handle(self, request: Request) -> Response:
        if request.path == "/health":
            return self._app.handle(request)
        if request.path in PAGES and request.method != PAGES[request.path]:
            raise HttpError(405, "method not allowed", {"Allow": PAGES[request.path]})
        if request.path == "/register":
            return self._register(request)
        if request.path == "/login":
            return self._log_in(request)
        token, name = self._who(request)
        if request.path == "/logout":
            self._sessions.close(token)
            return Response(204)
        if request.path == "/me":
            return Response(200, self._described(name))
        if request.path == "/users":
            return self._users(name)
        return self._notes(request, name)

    def _register(self, request: Request) -> Response:
        name, password = self._credentials(request)
        if re.fullmatch("[a-z0-9_-]{3,32}", name) is None or len(password) < 8:
            raise HttpError(400, "bad username or password too short")
        if not self._accounts.add(name, password):
            raise HttpError(409, "username taken")
        return Response(201, self._described(name))

    def _log_in(self, request: Request) -> Response:
        name, password = self._credentials(request)
        if not self._accounts.fits(name, password):
            raise HttpError(401, "wrong credentials", BEARER)
        return Response(200, {"token": self._sessions.open(name), "expires_in": self._sessions.ttl_seconds})

    def _users(self, name: str) -> Response:
        if name != self._admin:
            raise HttpError(403, "admin only")
        notes = self._app.handle(Request("GET", "/notes")).payload["notes"]
        owners = [self._accounts.owner_of(note["id"]) for note in notes]
        described = [{**self._described(user), "notes": owners.count(user)} for user in self._accounts.names()]
        return Response(200, {"users": described})

    def _notes(self, request: Request, name: str) -> Response:
        match = re.fullmatch(r"/notes/(\d{1,9})", request.path)
        if match and self._app.handle(Request("GET", request.path)).status == 200:
            self._check_owner(int(match[1]), name, request.method)
        response = self._app.handle(request)
        if (request.method, response.status) == ("POST", 201):
            self._accounts.set_owner(response.payload["id"], name)
        elif match and response.status == 204:
            self._accounts.set_owner(int(match[1]), None)
        elif request.path == "/notes" and request.method == "GET":
            mine = [note for note in response.payload["notes"] if self._accounts.owner_of(note["id"]) == name]
            return Response(200, {"notes": mine})
        return response

    def _check_owner(self, note_id: int, name: str, method: str) -> None:
        if self._accounts.owner_of(note_id) == name:
            return
        if name != self._admin or method == "PUT":
            raise HttpError(403, "not your note")

    def _who(self, request: Request) -> tuple[str, str]:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        name = self._sessions.username_of(token.strip())
        if scheme.lower() != "bearer" or name is None:
            raise HttpError(401, "log in first", BEARER)
        return token.strip(), name

    def _described(self, name: str) -> dict[str, object]:
        return {"username": name, "admin": name == self._admin}

    @staticmethod
    def _credentials(request: Request) -> tuple[str, str]:
        payload = request.json()
        name, password = payload.get("username"), payload.get("password")
        if not isinstance(name, str) or not isinstance(password, str):
            raise HttpError(400, "username and password must be texts")
        return name, password
