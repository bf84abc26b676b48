"""Which request gets which answer. Knows the notes and HTTP's words, but no sockets and no files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict

from notes.clock import Clock
from notes.messages import HttpError, Request, Response
from notes.store import Note, NoteStore

MAX_TITLE_CHARACTERS = 200

Handler = Callable[..., Response]


class NotesApp:
    """The service without its server: `handle` turns a request into a response."""

    def __init__(self, store: NoteStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._routes: list[tuple[re.Pattern[str], dict[str, Handler]]] = [
            (re.compile(r"/health"), {"GET": self._health}),
            (re.compile(r"/notes"), {"GET": self._list_notes, "POST": self._create_note}),
            (
                re.compile(r"/notes/(\d{1,9})"),
                {"GET": self._read_note, "PUT": self._change_note, "DELETE": self._delete_note},
            ),
        ]

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

    def _health(self, _request: Request) -> Response:
        return Response(200, {"status": "ok"})

    def _list_notes(self, request: Request) -> Response:
        found = self._store.find(request.query.get("q", ""))
        return Response(200, {"notes": [asdict(note) for note in found]})

    def _create_note(self, request: Request) -> Response:
        title, body = _title_and_body(request)
        note = self._store.add(title, body, created_at=self._clock())
        return Response(201, asdict(note), {"Location": f"/notes/{note.id}"})

    def _read_note(self, _request: Request, note_id: int) -> Response:
        return Response(200, asdict(_found(self._store.get(note_id))))

    def _change_note(self, request: Request, note_id: int) -> Response:
        title, body = _title_and_body(request)
        return Response(200, asdict(_found(self._store.change(note_id, title, body))))

    def _delete_note(self, _request: Request, note_id: int) -> Response:
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
