"""The sockets: what comes in without a right to is refused, and each answer has its headers."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from fabricated import many
from index_bench import named_run
from viewer_bench import Client, viewing

from gradebox.graders.errors import UsageRefused
from gradebox.graders.reports.viewer.viewer_server import HEADERS, ViewerServer, serving


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    root = tmp_path_factory.mktemp("runs")
    named_run(root, "one", many(3))
    with viewing(root) as client:
        yield client


def test_the_token_gives_a_cookie_and_the_cookie_gives_pages(client: Client) -> None:
    welcome = client.ask(f"/?token={client.server.access.token}", headers={"Cookie": ""})
    assert welcome.status == 200
    assert welcome.headers["set-cookie"] == client.server.access.cookie
    assert client.server.access.token not in welcome.text
    assert client.server.access.session not in welcome.text
    page = client.ask("/")
    assert page.status == 200
    assert "one" in page.text
    assert "set-cookie" not in page.headers
    assert client.ask("/static/view.js").headers["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize("path", ["/", "/run/one", "/static/view.js", "/nowhere", "/?token=wrong", "/?token="])
def test_nothing_is_told_without_them(client: Client, path: str) -> None:
    got = client.ask(path, headers={"Cookie": ""})
    assert got.status == 403
    assert "one" not in got.text.replace("printed, with its token", "")
    assert client.ask(path, headers={"Cookie": f"gradebox-{client.server.access.port}=x"}).status == 403


@pytest.mark.parametrize("host", ["attacker.example", "attacker.example:80", "127.0.0.1", "[::1]:80", "localhost"])
def test_a_name_that_points_here_is_refused(client: Client, host: str) -> None:
    got = client.ask(f"/?token={client.server.access.token}", headers={"Host": host})
    assert got.status == 421
    assert "set-cookie" not in got.headers


def test_pages_of_other_sites_are_refused(client: Client) -> None:
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)):
        assert client.ask("/", headers={"Sec-Fetch-Site": site}).status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "FOO"])
def test_it_only_shows(client: Client, method: str) -> None:
    got = client.ask("/", method, body=b"x=1" if method == "POST" else None)
    assert got.status == 405
    assert got.headers["allow"] == "GET, HEAD"
    assert got.headers["connection"] == "close"


def test_a_head_is_a_page_without_its_body(client: Client) -> None:
    got, page = client.ask("/run/one", "HEAD"), client.ask("/run/one")
    assert (got.status, got.body) == (200, b"")
    assert got.headers["content-length"] == str(len(page.body))


@pytest.mark.parametrize("path", ["/", "/run/one", "/static/view.css", "/nowhere", "/run/none", "/?token=x"])
def test_each_answer_has_the_headers(client: Client, path: str) -> None:
    for method in ("GET", "POST"):
        got = client.ask(path, method)
        assert {name: got.headers[name.lower()] for name in HEADERS} == dict(HEADERS)
        assert got.headers["server"] == "gradebox"


def test_the_policy_allows_what_comes_from_here_alone() -> None:
    policy = dict(part.strip().split(" ", 1) for part in HEADERS["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "connect-src", "form-action")} == {"'self'"}
    assert policy["img-src"] == "'self' data:"


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/static/../viewer_server.py",
        "/static/%2e%2e/pages.py",
        "/static/..%2fpages.py",
        "/run/..%2f..%2fetc",
        "/run/one%2f..%2f..",
        "/run/%2e%2e/results.jsonl",
        "/run/one/results.jsonl",
        "/one/run.json",
        "/.index.sqlite",
        "/run/%00",
        "/run/%ff",
    ],
)
def test_no_path_is_one_of_a_file(client: Client, path: str) -> None:
    got = client.ask(path)
    assert got.status == 404
    assert "root:" not in got.text
    assert "import" not in got.text
    assert '"asked"' not in got.text


def test_what_is_no_request_is_no_error_of_ours(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    host = client.host.encode()
    for data, status in (
        (b"\x16\x03\x01\x02\x00", b""),
        (b"GET /\r\n\r\n", b"421"),
        (b"GET / HTTP/1.1\r\n\r\n", b"421"),
        (b"GET / HTTP/9.9\r\n\r\n", b"505"),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", b"414"),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", b"431"),
        (b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nHost: evil\r\n\r\n", b"421"),
        (b"POST / HTTP/1.1\r\nHost: " + host + b"\r\nContent-Length: 99\r\n\r\nGET /?token=x", b"405"),
        (b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"421"),
    ):
        assert status in client.say(data)
    assert client.ask("/").status == 200
    assert capfd.readouterr().err == ""


def test_what_follows_a_body_is_no_second_request(client: Client) -> None:
    head = f"GET / HTTP/1.1\r\nHost: {client.host}\r\nCookie: {client.cookie}\r\n"
    inner = f"GET /run/one HTTP/1.1\r\nHost: {client.host}\r\nCookie: {client.cookie}\r\n\r\n"
    for words in (f"Content-Length: {len(inner)}\r\n", "Transfer-Encoding: chunked\r\n"):
        assert client.say(f"{head}{words}\r\n{inner}".encode()).count(b"HTTP/1.1 200") == 1
    assert client.say(f"{head}\r\n{inner}".encode()).count(b"HTTP/1.1 200") == 2


def test_it_listens_to_this_machine_alone(client: Client) -> None:
    assert client.server.server_address[0] == "127.0.0.1"


def test_nothing_new_is_not_sent_again(client: Client) -> None:
    tag = client.ask("/").headers["etag"]
    got = client.ask("/", headers={"If-None-Match": tag})
    assert (got.status, got.body) == (304, b"")


def test_an_error_of_one_page_is_said_and_ends_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("<script>")

    monkeypatch.setattr(client.server.site, "answer", broken)
    got = client.ask("/")
    assert got.status == 500
    assert "ZeroDivisionError: &lt;script&gt;" in got.text
    monkeypatch.undo()
    assert client.ask("/").status == 200


def test_a_port_that_another_program_has_is_refused(client: Client) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(UsageRefused, match="cannot be used"):
            ViewerServer(client.server.site, other.getsockname()[1])


def test_it_is_closed_whatever_ends_it(client: Client) -> None:
    server = ViewerServer(client.server.site)
    with pytest.raises(KeyError), serving(server):
        raise KeyError
    assert server.socket.fileno() == -1
