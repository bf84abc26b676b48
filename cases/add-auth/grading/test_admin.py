"""The one user whom `--admin` names: sees and removes every note, changes none but their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harness import Service, running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    data = tmp_path_factory.mktemp("data")
    with running(data) as before:
        before.write_note(None, "from the days without users")
    with running(data, "--auth", "--admin", "root") as started:
        yield started


@pytest.fixture(scope="module")
def root(service: Service) -> str:
    assert service.register("root").json == {"username": "root", "admin": True}
    return service.token("root")


@pytest.fixture(scope="module")
def ada(service: Service) -> str:
    return service.newcomer("ada")


def test_the_admin_knows_to_be_one(service: Service, root: str, ada: str) -> None:
    assert service.send("GET", "/me", token=root).json == {"username": "root", "admin": True}
    assert service.send("GET", "/me", token=ada).json == {"username": "ada", "admin": False}


def test_only_the_admin_sees_the_users(service: Service, root: str, ada: str) -> None:
    service.write_note(ada, "counted")
    assert service.send("GET", "/users", token=ada).status == 403
    reply = service.send("GET", "/users", token=root)
    assert reply.status == 200
    assert reply.json["users"] == [
        {"username": "ada", "admin": False, "notes": 1},
        {"username": "root", "admin": True, "notes": 0},
    ]


def test_the_admin_reads_and_removes_every_note_but_changes_none(service: Service, root: str, ada: str) -> None:
    note = f"/notes/{service.write_note(ada, 'seen by the admin')}"
    assert service.send("GET", note, token=root).json["title"] == "seen by the admin"
    assert service.send("PUT", note, {"title": "changed"}, token=root).status == 403
    assert service.send("GET", note, token=ada).json["title"] == "seen by the admin"
    assert service.send("DELETE", note, token=root).status == 204
    assert service.send("GET", note, token=ada).status == 404


def test_the_list_of_the_admin_holds_own_notes_only(service: Service, root: str, ada: str) -> None:
    service.write_note(ada, "not of the admin")
    assert service.send("GET", "/notes", token=root).json == {"notes": []}


def test_a_note_without_an_owner_is_for_the_admin_to_see(service: Service, root: str, ada: str) -> None:
    assert service.send("GET", "/notes/1", token=ada).status == 403
    assert service.send("GET", "/notes/1", token=root).json["title"] == "from the days without users"
    assert service.send("DELETE", "/notes/1", token=root).status == 204
