"""An engine that takes requests and does not answer, or answers late: nothing waits for it without end."""

from __future__ import annotations

import json
import socketserver
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from sandbox import supervisor_build
from sandbox.engines.docker import volume
from sandbox.engines.docker.docker_engine import DockerEngine
from sandbox.engines.engine import ImageInfo
from sandbox.errors import EngineRefused, EngineUnavailable

ENDED = "2026-05-01T12:00:00.5Z"
ENDED_SECONDS = 1777636800.5


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """The engine, and what it is to do.

    Attributes:
        events: What it says when it is asked for events; None for an error.
        silent: The end of the path to which it gives no answer.
        asked: For which events it was asked.
        over: When set, it hangs up on those that wait.
    """

    daemon_threads = True

    def __init__(self, path: str) -> None:
        super().__init__(path, Answers)
        self.events: list[dict[str, str]] | None = []
        self.silent = ""
        self.asked: dict[str, list[str]] = {}
        self.over = threading.Event()


class Answers(BaseHTTPRequestHandler):
    """Its answers."""

    server: Server

    def address_string(self) -> str:
        return "here"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.server.silent and url.path.endswith(self.server.silent):
            self.server.over.wait()
            return
        if url.path.endswith("/version"):
            self._say(200, json.dumps({"ApiVersion": "1.41"}))
        elif url.path.endswith("/create"):
            self._say(409, json.dumps({"message": "Conflict. The name is already in use."}))
        elif url.path.endswith("/events"):
            self.server.asked = parse_qs(url.query)
            known = self.server.events
            self._say(200 if known is not None else 500, "".join(f"{json.dumps(event)}\n" for event in known or ()))
        else:
            self._say(200, json.dumps({"State": {"FinishedAt": ENDED, "ExitCode": 137}}))

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self._say(409, json.dumps({"message": "removal of container 1 is already in progress"}))

    def _say(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture
def silent() -> Iterator[tuple[Server, DockerEngine]]:
    with tempfile.TemporaryDirectory() as place:
        server = Server(f"{place}/engine.sock")
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        engine = DockerEngine(f"unix://{Path(place, 'engine.sock')}", timeout_seconds=1)
        yield server, engine
        engine.close()
        server.over.set()
        server.shutdown()
        server.server_close()


def test_a_container_that_is_for_ever_about_to_be_removed_is_named(
    silent: tuple[Server, DockerEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(volume, "_FILL_SECONDS", 0.0)
    monkeypatch.setattr(supervisor_build, "binary", lambda _: b"supervisor")
    with pytest.raises(EngineRefused, match="-fill is in the way"):
        silent[1].repair("container", ImageInfo("sha256:1", "image"))


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
