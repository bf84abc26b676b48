"""Sessions end by the service's own clock, which these tests turn: nobody sleeps here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harness import Clock, Service, running

TTL = 600


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Clock:
    return Clock(tmp_path_factory.mktemp("clock") / "now")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, clock: Clock) -> Iterator[Service]:
    options = ("--auth", "--session-ttl", str(TTL), "--clock-file", str(clock.path))
    with running(tmp_path_factory.mktemp("data"), *options) as started:
        yield started


def status(service: Service, token: str) -> int:
    return service.send("GET", "/notes", token=token).status


def test_the_answer_to_a_login_says_how_long_it_lasts(service: Service) -> None:
    service.register("iris")
    assert service.log_in("iris").json["expires_in"] == TTL


def test_a_session_lasts_until_its_last_second_and_not_longer(service: Service, clock: Clock) -> None:
    token = service.newcomer("ada")
    clock.advance(TTL - 1)
    assert status(service, token) == 200
    clock.advance(1)
    assert status(service, token) == 401
    clock.advance(100 * TTL)
    assert status(service, token) == 401


def test_using_a_session_does_not_prolong_it(service: Service, clock: Clock) -> None:
    token = service.newcomer("bob")
    for _ in range(3):
        assert status(service, token) == 200
        clock.advance(TTL // 3)
    assert status(service, token) == 401


def test_each_session_has_its_own_end(service: Service, clock: Clock) -> None:
    first = service.newcomer("eve")
    clock.advance(TTL // 2)
    second = service.token("eve")
    clock.advance(TTL // 2)
    assert (status(service, first), status(service, second)) == (401, 200)


def test_an_expired_token_opens_no_page_at_all(service: Service, clock: Clock) -> None:
    token = service.newcomer("mallory")
    note = service.write_note(token, "kept")
    clock.advance(TTL)
    for method, path in [("GET", f"/notes/{note}"), ("DELETE", f"/notes/{note}"), ("GET", "/me"), ("POST", "/logout")]:
        assert service.send(method, path, token=token).status == 401
    assert service.send("GET", f"/notes/{note}", token=service.token("mallory")).status == 200
