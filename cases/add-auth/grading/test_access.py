"""401 for whoever is not logged in, 403 for what belongs to somebody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import PASSWORD, Service, running

NOTE = {"title": "title", "body": "body"}
GUARDED = [
    ("GET", "/notes", None),
    ("POST", "/notes", NOTE),
    ("GET", "/notes/1", None),
    ("PUT", "/notes/1", NOTE),
    ("DELETE", "/notes/1", None),
    ("GET", "/notes/999", None),
    ("GET", "/me", None),
    ("GET", "/users", None),
    ("POST", "/logout", None),
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("data"), "--auth") as started:
        started.write_note(started.newcomer("owner"), "the first note")
        yield started


@pytest.fixture(scope="module")
def ada(service: Service) -> str:
    return service.newcomer("ada")


@pytest.fixture(scope="module")
def bob(service: Service) -> str:
    return service.newcomer("bob")


@pytest.mark.parametrize(("method", "path", "payload"), GUARDED)
def test_without_a_token(service: Service, method: str, path: str, payload: object) -> None:
    reply = service.send(method, path, payload)
    assert reply.status == 401
    assert reply.headers["WWW-Authenticate"].startswith("Bearer")
    assert "error" in reply.json


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer ", "Bearer None", "Bearer x", "Basic b3duZXI6eA=="])
def test_with_something_that_is_no_token(service: Service, authorization: str) -> None:
    assert service.send("GET", "/notes", authorization=authorization).status == 401


def test_names_and_passwords_are_no_tokens(service: Service, ada: str) -> None:
    for guess in ("ada", PASSWORD, ada[:-1], ada + "x", ada.swapcase()):
        assert service.send("GET", "/notes", token=guess).status == 401


def test_health_stays_open(service: Service) -> None:
    assert service.send("GET", "/health").status == 200


def test_own_notes_work_as_ever(service: Service, ada: str) -> None:
    note = f"/notes/{service.write_note(ada, 'mine')}"
    assert service.send("GET", note, token=ada).json["title"] == "mine"
    assert service.send("PUT", note, {"title": "still mine"}, token=ada).status == 200
    assert service.send("GET", note, token=ada).json["title"] == "still mine"
    assert service.send("DELETE", note, token=ada).status == 204
    assert service.send("GET", note, token=ada).status == 404


def test_a_note_of_somebody_else_is_forbidden_and_stays_as_it_was(service: Service, ada: str, bob: str) -> None:
    note = f"/notes/{service.write_note(ada, 'private')}"
    before = service.send("GET", note, token=ada).json
    assert service.send("GET", note, token=bob).status == 403
    assert service.send("PUT", note, NOTE, token=bob).status == 403
    assert service.send("DELETE", note, token=bob).status == 403
    assert service.send("GET", note, token=ada).json == before


def test_a_note_that_does_not_exist_is_not_forbidden(service: Service, ada: str) -> None:
    assert service.send("GET", "/notes/999", token=ada).status == 404
    assert service.send("DELETE", "/notes/999", token=ada).status == 404


def test_the_list_holds_own_notes_only(service: Service, ada: str, bob: str) -> None:
    service.write_note(ada, "zebra of ada")
    service.write_note(bob, "zebra of bob")
    for path in ("/notes", "/notes?q=zebra"):
        listed = service.send("GET", path, token=bob).json["notes"]
        assert [note["title"] for note in listed] == ["zebra of bob"]


def test_the_owner_is_who_is_logged_in_whatever_the_body_says(service: Service, ada: str, bob: str) -> None:
    reply = service.send("POST", "/notes", {**NOTE, "owner": "ada", "username": "ada"}, token=bob)
    assert reply.status == 201
    assert service.send("GET", f"/notes/{reply.json['id']}", token=ada).status == 403
    assert service.send("DELETE", f"/notes/{reply.json['id']}", token=bob).status == 204


def test_nobody_is_an_admin_without_the_option(service: Service, ada: str) -> None:
    assert service.register("admin").json == {"username": "admin", "admin": False}
    assert service.send("GET", "/users", token=service.token("admin")).status == 403
    assert service.send("GET", "/users", token=ada).status == 403


def test_without_accounts_a_note_is_as_before(tmp_path: Path) -> None:
    with running(tmp_path) as started:
        written = started.send("POST", "/notes", NOTE).json
        assert set(written) == {"id", "title", "body", "created_at"}
        assert started.send("GET", f"/notes/{written['id']}").json == written
