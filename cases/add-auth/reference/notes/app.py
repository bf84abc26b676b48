"""Which request gets which answer. Knows the notes and HTTP's words, but no sockets and no files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from notes.accounts import Accounts, User
from notes.clock import Clock
from notes.messages import HttpError, Request, Response
from notes.store import Note, NoteStore

MAX_TITLE_CHARACTERS = 200

Handler = Callable[..., Response]


class NotesApp:
    """The service without its server: `handle` turns a request into a response.

    Without accounts there is one user, who needs no login and to whom all notes belong.
    """

    def __init__(self, store: NoteStore, clock: Clock, accounts: Accounts | None = None) -> None:
        self._store = store
        self._clock = clock
        self._accounts = accounts
        self._routes: list[tuple[re.Pattern[str], dict[str, Handler]]] = [
            (re.compile(r"/health"), {"GET": self._health}),
            (re.compile(r"/notes"), {"GET": self._list_notes, "POST": self._create_note}),
            (
                re.compile(r"/notes/(\d{1,9})"),
                {"GET": self._read_note, "PUT": self._change_note, "DELETE": self._delete_note},
            ),
        ]
        if accounts is not None:
            self._routes += self._account_routes(accounts)

    def handle(self, request: Request) -> Response:
        try:
            handler, arguments = self._route(request)
            return handler(request, *arguments)
        except HttpError as error:
            return error.response()

    def _route(self, request: Request) -> tuple[Handler, list[int]]:
        for pattern, methods in self._routes:
            match = pattern.fullmatch(request.path)
            if match is None:
                continue
            if request.method not in methods:
                raise HttpError(405, "method not allowed", {"Allow": ", ".join(sorted(methods))})
            return methods[request.method], [int(group) for group in match.groups()]
        raise HttpError(404, "no such page")

    def _account_routes(self, accounts: Accounts) -> list[tuple[re.Pattern[str], dict[str, Handler]]]:
        def register(request: Request) -> Response:
            return Response(201, accounts.register(request)._asdict())

        def log_in(request: Request) -> Response:
            return Response(200, accounts.log_in(request))

        def log_out(request: Request) -> Response:
            accounts.log_out(request)
            return Response(204)

        def me(request: Request) -> Response:
            return Response(200, accounts.user_of(request)._asdict())

        def users(request: Request) -> Response:
            accounts.admin_of(request)
            written = Counter(note.owner for note in self._store.find())
            listed = [{**user._asdict(), "notes": written[user.username]} for user in accounts.all()]
            return Response(200, {"users": listed})

        return [
            (re.compile(r"/register"), {"POST": register}),
            (re.compile(r"/login"), {"POST": log_in}),
            (re.compile(r"/logout"), {"POST": log_out}),
            (re.compile(r"/me"), {"GET": me}),
            (re.compile(r"/users"), {"GET": users}),
        ]

    def _user_of(self, request: Request) -> User | None:
        return self._accounts.user_of(request) if self._accounts else None

    def _note_for(self, user: User | None, note_id: int, *, admin_may: bool = True) -> Note:
        note = _found(self._store.get(note_id))
        if user is None or note.owner == user.username or (admin_may and user.admin):
            return note
        raise HttpError(403, "this note belongs to somebody else")

    def _health(self, _request: Request) -> Response:
        return Response(200, {"status": "ok"})

    def _list_notes(self, request: Request) -> Response:
        user = self._user_of(request)
        found = self._store.find(request.query.get("q", ""))
        mine = [note for note in found if user is None or note.owner == user.username]
        return Response(200, {"notes": [note.public() for note in mine]})

    def _create_note(self, request: Request) -> Response:
        user = self._user_of(request)
        title, body = _title_and_body(request)
        owner = user.username if user else None
        note = self._store.add(title, body, created_at=self._clock(), owner=owner)
        return Response(201, note.public(), {"Location": f"/notes/{note.id}"})

    def _read_note(self, request: Request, note_id: int) -> Response:
        return Response(200, self._note_for(self._user_of(request), note_id).public())

    def _change_note(self, request: Request, note_id: int) -> Response:
        self._note_for(self._user_of(request), note_id, admin_may=False)
        title, body = _title_and_body(request)
        return Response(200, _found(self._store.change(note_id, title, body)).public())

    def _delete_note(self, request: Request, note_id: int) -> Response:
        self._note_for(self._user_of(request), note_id)
        if not self._store.remove(note_id):
            raise HttpError(404, "no such note")
        return Response(204)


def _found(note: Note | None) -> Note:
    if note is None:
        raise HttpError(404, "no such note")
    return note


def _title_and_body(request: Request) -> tuple[str, str]:
    payload = request.json()
    title, body = payload.get("title"), payload.get("body", "")
    if not isinstance(title, str) or not title.strip():
        raise HttpError(400, "title must be a text that is not empty")
    if len(title) > MAX_TITLE_CHARACTERS:
        raise HttpError(400, f"title must have at most {MAX_TITLE_CHARACTERS} characters")
    if not isinstance(body, str):
        raise HttpError(400, "body must be a text")
    return title, body
