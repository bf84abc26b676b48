"""An engine that takes requests over HTTP and does not answer, or answers late."""

from __future__ import annotations

import json
import socketserver
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

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

    def handle_error(self, *_: object) -> None:
        """Print nothing: clients hang up while an answer is written."""


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


@contextmanager
def silent_engine() -> Iterator[tuple[Server, DockerEngine]]:
    """Yield the server and an engine that is connected to it."""
    with tempfile.TemporaryDirectory() as place:
        server = Server(f"{place}/engine.sock")
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        engine = DockerEngine(f"unix://{Path(place, 'engine.sock')}", timeout_seconds=1)
        yield server, engine
        engine.close()
        server.over.set()
        server.shutdown()
        server.server_close()
