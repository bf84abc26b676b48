"""Errors of the engine's client are ours, nothing waits without end, and only a harmless request is repeated."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from silent_engine import ENDED_SECONDS, Server, silent_engine

from gradebox.sandbox.engines.docker.connection import CONFLICT, NOT_FOUND, Connection
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.errors import EngineRefused, EngineUnavailable, NameTaken


@pytest.fixture
def silent() -> Iterator[tuple[Server, DockerEngine]]:
    with silent_engine() as both:
        yield both


@pytest.mark.parametrize("request_", ["attach", "start"])
def test_a_request_without_an_answer_ends(silent: tuple[Server, DockerEngine], request_: str) -> None:
    server, engine = silent
    server.silent = request_
    with pytest.raises(EngineUnavailable, match="timed out"):
        getattr(engine, request_)("container")


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([{"status": "oom", "id": "1", "Action": "oom"}], True),
        ([{"status": "die", "id": "1", "Action": "die"}], False),
        ([], False),
        (None, False),
    ],
)
def test_what_the_engine_learnt_after_the_end_counts(
    silent: tuple[Server, DockerEngine], events: list[dict[str, str]] | None, told: bool
) -> None:
    server, engine = silent
    server.events = events
    assert engine.ran_out_of_memory("1") is told
    assert json.loads(server.asked["filters"][0]) == {"container": ["1"], "event": ["oom"]}
    assert float(server.asked["since"][0]) < ENDED_SECONDS < float(server.asked["until"][0])


def failing(*errors: Exception) -> tuple[list[Exception], Callable[[], str]]:
    """Return a request that fails with these errors first, and the errors that are left."""
    left = list(errors)

    def request() -> str:
        if left:
            raise left.pop(0)
        return "answer"

    return left, request


def test_a_request_that_may_be_repeated_is_repeated_while_the_engine_is_away() -> None:
    left, request = failing(EngineUnavailable("gone"), EngineUnavailable("gone"))
    assert Connection(None, 1).retry(request) == "answer"
    assert left == []
    _, request = failing(*[EngineUnavailable("gone")] * 3)
    with pytest.raises(EngineUnavailable):
        Connection(None, 1).retry(request)


def test_a_refused_request_is_not_repeated() -> None:
    left, request = failing(EngineRefused("no", status=500), EngineRefused("no", status=500))
    with pytest.raises(EngineRefused) as caught:
        Connection(None, 1).retry(request)
    assert (len(left), caught.value.status) == (1, 500)


@pytest.mark.parametrize(("status", "fine"), [(NOT_FOUND, True), (CONFLICT, True), (500, False)])
def test_what_no_longer_exists_is_no_error_where_that_is_fine(status: int, fine: bool) -> None:
    _, request = failing(EngineRefused("no", status=status))
    if fine:
        Connection(None, 1).ignore_missing(request)
    else:
        with pytest.raises(EngineRefused):
            Connection(None, 1).ignore_missing(request)


@pytest.mark.parametrize("status", [CONFLICT, 500])
def test_a_container_that_ends_while_it_is_removed_is_removed_again(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, request = failing(EngineRefused("it ends", status=status), EngineRefused("it ends", status=status))
    connection = Connection(None, 1)
    monkeypatch.setattr(connection, "json", lambda *_: request())
    connection.remove_container("1")
    assert left == []


def test_a_container_that_is_gone_is_not_removed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    left, request = failing(EngineRefused("no such container", status=NOT_FOUND), EngineRefused("no", status=500))
    connection = Connection(None, 1)
    monkeypatch.setattr(connection, "json", lambda *_: request())
    connection.remove_container("1")
    assert len(left) == 1


def test_an_engine_that_refuses_for_ever_is_not_asked_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    _, request = failing(*[EngineRefused("busy", status=500)] * 1_000)
    connection = Connection(None, 1)
    monkeypatch.setattr(connection, "json", lambda *_: request())
    monkeypatch.setattr("gradebox.sandbox.engines.docker.connection._REMOVAL_SECONDS", 0.2)
    with pytest.raises(EngineRefused, match="busy"):
        connection.remove_container("1")


def test_an_engine_without_a_socket_is_unavailable() -> None:
    with pytest.raises(EngineUnavailable, match=r"No Docker Engine answers at unix:///nowhere: No such file"):
        Connection("unix:///nowhere", 1).json("GET", "/info")


def test_a_name_that_is_taken_has_an_error_of_its_own(silent: tuple[Server, DockerEngine]) -> None:
    connection = silent[1]._connection
    with pytest.raises(NameTaken):
        connection.create({}, "name")
    with pytest.raises(EngineRefused) as caught:
        connection.create({}, None)
    assert not isinstance(caught.value, NameTaken)
