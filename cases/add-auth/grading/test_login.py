"""Registration, login, logout, and the tokens in between."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harness import PASSWORD, Service, running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("data"), "--auth") as started:
        yield started


def test_a_new_user_can_log_in(service: Service) -> None:
    registered = service.register("grace")
    assert registered.status == 201
    assert registered.json == {"username": "grace", "admin": False}
    reply = service.log_in("grace")
    assert reply.status == 200
    assert reply.json["expires_in"] == 3600
    me = service.send("GET", "/me", token=reply.json["token"])
    assert me.status == 200
    assert me.json == {"username": "grace", "admin": False}


def test_a_name_can_be_taken_once(service: Service) -> None:
    assert service.register("alan").status == 201
    assert service.register("alan", "another password").status == 409
    assert service.log_in("alan", "another password").status == 401
    assert service.log_in("alan").status == 200


@pytest.mark.parametrize("username", ["ab", "x" * 33, "Ada", "a b c", "../ada", "", None, 7])
def test_names_that_are_refused(service: Service, username: object) -> None:
    reply = service.send("POST", "/register", {"username": username, "password": PASSWORD})
    assert reply.status == 400


@pytest.mark.parametrize("password", ["", "seven77", None, 12345678])
def test_passwords_that_are_refused(service: Service, password: object) -> None:
    assert service.send("POST", "/register", {"username": "kurt", "password": password}).status == 400
    assert service.log_in("kurt", "seven77").status == 401


def test_a_wrong_password_and_an_unknown_name_look_the_same(service: Service) -> None:
    assert service.register("edsger").status == 201
    wrong = service.log_in("edsger", PASSWORD + "!")
    unknown = service.log_in("nobody-of-that-name")
    assert (wrong.status, unknown.status) == (401, 401)
    assert wrong.content == unknown.content


def test_credentials_that_are_missing(service: Service) -> None:
    assert service.send("POST", "/login", {}).status == 400
    assert service.send("POST", "/login", {"username": "grace"}).status == 400


def test_tokens_cannot_be_guessed(service: Service) -> None:
    service.register("barbara")
    tokens = {service.token("barbara") for _ in range(5)}
    assert len(tokens) == 5
    assert all(len(token) >= 22 and "barbara" not in token for token in tokens)


def test_logging_out_ends_this_session_and_no_other(service: Service) -> None:
    here = service.newcomer("donald")
    there = service.token("donald")
    assert service.send("POST", "/logout", token=here).status == 204
    assert service.send("GET", "/me", token=here).status == 401
    assert service.send("POST", "/logout", token=here).status == 401
    assert service.send("GET", "/me", token=there).status == 200
