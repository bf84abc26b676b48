"""Accounts, from the outside: registration, login, own notes, the end of a session."""

import contextlib
import http.client
import json

CREDENTIALS = {"username": "ada", "password": "a long password"}


def send(service, method, path, payload=None, token=None):
    """Send a request with a token; `Service.send` knows none."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=5)
    with contextlib.closing(connection):
        connection.request(method, path, json.dumps(payload or {}).encode(), headers)
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content else None


def log_in(service, username="ada"):
    credentials = {**CREDENTIALS, "username": username}
    send(service, "POST", "/register", credentials)
    status, answer = send(service, "POST", "/login", credentials)
    assert status == 200
    return answer["token"]


def test_notes_need_a_login(start, tmp_path):
    with start(tmp_path, "--auth") as service:
        assert send(service, "GET", "/notes")[0] == 401
        assert send(service, "GET", "/notes", token=log_in(service)) == (200, {"notes": []})


def test_somebody_elses_note_is_forbidden(start, tmp_path):
    with start(tmp_path, "--auth", "--admin", "root") as service:
        ada, bob, root = log_in(service), log_in(service, "bob"), log_in(service, "root")
        _, note = send(service, "POST", "/notes", {"title": "mine"}, ada)
        page = f"/notes/{note['id']}"
        assert [send(service, "GET", page, token=token)[0] for token in (ada, bob, root)] == [200, 403, 200]
        assert send(service, "PUT", page, {"title": "changed"}, root)[0] == 403


def test_passwords_are_kept_hashed(start, tmp_path):
    with start(tmp_path, "--auth") as service:
        log_in(service)
    users = json.loads((tmp_path / "users.json").read_text())
    assert list(users) == ["ada"]
    assert users["ada"].startswith("scrypt$")


def test_a_login_ends(start, tmp_path):
    clock = tmp_path / "clock"
    clock.write_text("1000")
    with start(tmp_path / "data", "--auth", "--session-ttl", "60", "--clock-file", str(clock)) as service:
        token = log_in(service)
        clock.write_text("1059")
        assert send(service, "GET", "/me", token=token) == (200, {"username": "ada", "admin": False})
        clock.write_text("1060")
        assert send(service, "GET", "/me", token=token)[0] == 401
