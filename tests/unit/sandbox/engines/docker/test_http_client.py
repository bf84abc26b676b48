"""Requests over real sockets: addresses, answers, errors, and connections that are kept and lost."""

from __future__ import annotations

import errno
import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from gradebox.sandbox.engines.docker.http_client import HttpClient, translated
from gradebox.sandbox.errors import EngineRefused, EngineUnavailable, ImageUnavailable, SandboxError

Serve = Callable[..., tuple[str, list[bytes]]]


def answer(text: str, status: str = "200 OK", more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\n{more}Content-Length: {len(text)}\r\n\r\n{text}".encode()


def one_request(connection: socket.socket) -> bytes:
    found = connection.recv(65536)
    length = re.search(rb"Content-Length: (\d+)", found)
    while length and len(found.partition(b"\r\n\r\n")[2]) < int(length[1]):
        found += connection.recv(65536)
    return found


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serve answers on a socket, a list of them for each connection; return the address, and what was requested."""
    listening: list[socket.socket] = []

    def start(*connections: list[bytes]) -> tuple[str, list[bytes]]:
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(tmp_path / "engine.sock"))
        server.listen()
        listening.append(server)
        requested: list[bytes] = []

        def run(answers: list[bytes]) -> None:
            # The test may be over by then.
            with suppress(OSError):
                connection, _ = server.accept()
                with connection:
                    for one in answers:
                        requested.append(one_request(connection))
                        connection.sendall(one)

        def run_all() -> None:
            for answers in connections:
                run(answers)

        if len(connections) > 2:
            for answers in connections:
                threading.Thread(target=run, args=(answers,), daemon=True).start()
        else:
            threading.Thread(target=run_all, daemon=True).start()
        return f"unix://{tmp_path}/engine.sock", requested

    yield start
    for server in listening:
        server.close()


def test_a_connection_is_kept_and_names_and_queries_are_quoted(serve: Serve) -> None:
    address, requested = serve([answer('{"a": 1}'), answer(""), answer("tar")])
    client = HttpClient(address, 5)
    assert client.json("GET", "/images/a b?c/json", {"filters": {"label": ["x"]}, "all": 1}) == {"a": 1}
    assert client.json("POST", "/start", body={"b": 2}) is None
    assert client.content("PUT", "/archive", body=b"packed") == b"tar"
    client.close()
    heads = [one.split(b" HTTP/1.1\r\n")[0] for one in requested]
    assert heads == [
        b"GET /images/a%20b%3Fc/json?filters=%7B%22label%22%3A+%5B%22x%22%5D%7D&all=1", b"POST /start", b"PUT /archive",
    ]  # fmt: skip
    assert requested[1].endswith(b'{"b": 2}')
    assert b"application/json" in requested[1]
    assert b"application/x-tar" in requested[2]


def test_threads_share_the_connections_that_are_kept(serve: Serve) -> None:
    address, _ = serve(*[[answer("1")] * 400] * 8)
    client = HttpClient(address, 5)
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            for _ in range(50):
                client.json("GET", "/")
        except (SandboxError, IndexError) as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (errors, len(client._idle) <= 4) == ([], True)
    client.close()
    assert client._idle == []


def test_a_connection_that_the_engine_has_closed_is_not_used_again(serve: Serve) -> None:
    address, _ = serve([answer("1")], [answer("2")])
    client = HttpClient(address, 5)
    assert client.json("GET", "/") == 1
    # Its end has arrived when another connection is accepted.
    while client._kept() is not None:
        pass
    assert client.json("GET", "/") == 2


@pytest.mark.parametrize(
    ("status", "text", "error", "message"),
    [
        ("404 Not Found", '{"message": "No such image: a"}', ImageUnavailable, "No such image: a."),
        ("404 Not Found", '{"message": "No such container: a"}', EngineRefused, "refused: No such container: a."),
        ("500 Internal Server Error", '{"message": "It broke."}', EngineRefused, "The engine refused: It broke."),
        ("502 Bad Gateway", "", EngineRefused, "The engine refused: Bad Gateway."),
        ("200 OK", "<html>", EngineUnavailable, "not answer: / was answered with something else than JSON."),
    ],
)
def test_answers_that_are_errors_are_ours(
    serve: Serve, status: str, text: str, error: type[SandboxError], message: str
) -> None:
    address, _ = serve([answer(text, status)])
    with pytest.raises(error) as caught:
        HttpClient(address, 5).json("GET", "/")
    assert caught.value.message.endswith(message)
    if isinstance(caught.value, EngineRefused):
        assert caught.value.status == int(status.split(maxsplit=1)[0])


@pytest.mark.parametrize(
    "begun",
    [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1", b"SSH-2.0\r\n", b"HTTP/1.1 201 Created\r\nApi-Version: 1"],
)
def test_an_engine_that_hangs_up_or_speaks_otherwise_does_not_answer(serve: Serve, begun: bytes) -> None:
    address, _ = serve([begun])
    with pytest.raises(EngineUnavailable, match="The Docker Engine does not answer: "):
        HttpClient(address, 5).json("GET", "/")


def test_lines_come_one_by_one(serve: Serve) -> None:
    address, _ = serve([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n2\r\nb\n\r\n0\r\n\r\n"])
    assert list(HttpClient(address, 5).lines("/events", {}, 5)) == [b"a\n", b"b\n"]


@pytest.mark.parametrize("head", [b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_connection_that_is_handed_over_carries_both_ways(serve: Serve, head: bytes) -> None:
    address, requested = serve([head, b"said"])
    given, handed_over = HttpClient(address, 5).hijack("/attach", {"stdin": 1})
    given.sendall(b"asked")
    assert given.recv(10) == b"said"
    handed_over.close()
    given.close()
    assert requested[0].startswith(b"POST /attach?stdin=1 HTTP/1.1\r\n")
    assert b"Upgrade: tcp" in requested[0]
    assert requested[1] == b"asked"


@pytest.mark.parametrize(
    "address", ["tcp://", "tcp://host", "fd://", "tcp://host:99999", "tcp://u:p@host:1", "https://host:1?a", "host"]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(EngineUnavailable, match="is not a valid address of an engine"):
        HttpClient(address, 1)


@pytest.mark.parametrize(
    ("address", "prefix"),
    [("tcp://127.0.0.1:{}", ""), ("127.0.0.1:{}", ""), ("http://127.0.0.1:{}/behind/", "/behind")],
)
def test_an_engine_is_reached_by_tcp(address: str, prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"):
        monkeypatch.delenv(name, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = HttpClient(address.format(server.getsockname()[1]), 5)
        threading.Thread(target=lambda: _once(server, answer(json.dumps(prefix)), prefix), daemon=True).start()
        assert client.json("GET", "/version") == prefix


def _once(server: socket.socket, text: bytes, prefix: str) -> None:
    connection, _ = server.accept()
    with connection:
        assert connection.recv(1000).startswith(f"GET {prefix}/version ".encode())
        connection.sendall(text)


def test_certificates_lie_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CERT_PATH", str(tmp_path))
    for verify in ("", "1"):
        monkeypatch.setenv("DOCKER_TLS_VERIFY", verify)
        with pytest.raises(EngineUnavailable, match=rf"certificates in {tmp_path} cannot be used: No such file"):
            HttpClient("tcp://127.0.0.1:1", 1).json("GET", "/")


def test_errors_of_a_connection_are_ours() -> None:
    with pytest.raises(EngineUnavailable, match=r"^The Docker Engine does not answer: timed out\."), translated():
        raise TimeoutError("timed out")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory as DOCKER_CERT_PATH names it: the engine and its client have the same certificate."""
    place = tmp_path_factory.mktemp("certificates")
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost -days 2"
    )
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl")
    made = [*command.split(), "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(made, cwd=place, check=True, capture_output=True)
    shutil.copy(place / "cert.pem", place / "ca.pem")
    return place


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_too_many_open_files_are_no_fault_of_the_engine(number: int) -> None:
    with pytest.raises(EngineUnavailable, match="too many open files") as caught, translated():
        raise OSError(number, "Too many open files")
    assert "ulimit -n" in caught.value.remedy


@pytest.mark.parametrize("verify", ["", "1"])
def test_an_engine_is_reached_by_tls_with_certificates_for_both_sides(
    certificates: Path, monkeypatch: pytest.MonkeyPatch, verify: str
) -> None:
    monkeypatch.setenv("DOCKER_CERT_PATH", str(certificates))
    monkeypatch.setenv("DOCKER_TLS_VERIFY", verify)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "cert.pem", certificates / "key.pem")
    context.load_verify_locations(certificates / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    plain = socket.create_server(("127.0.0.1", 0))
    address = f"tcp://localhost:{plain.getsockname()[1]}"
    with context.wrap_socket(plain, server_side=True) as server:
        threading.Thread(target=lambda: _once(server, answer("1"), ""), daemon=True).start()
        assert HttpClient(address, 5).json("GET", "/version") == 1
