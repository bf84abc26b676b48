"""A viewer on a port of its own, and a client that says what it wants."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

from gradebox.graders.reports.viewer.pages import Viewer
from gradebox.graders.reports.viewer.viewer_server import ViewerServer
from gradebox.graders.runs.index.run_index import RunIndex


@dataclass
class Got:
    """An answer; the names of its headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Client:
    """Asks a viewer as a browser does, with its cookie unless another header is given."""

    server: ViewerServer

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.access.port}"

    @property
    def cookie(self) -> str:
        return self.server.access.cookie.partition(";")[0]

    def ask(self, path: str, method: str = "GET", headers: Mapping[str, str] = {}, body: bytes | None = None) -> Got:
        connection = HTTPConnection("127.0.0.1", self.server.access.port, timeout=60)
        try:
            given = {"Host": self.host, "Cookie": self.cookie, **headers}
            connection.request(method, path, body, {name: value for name, value in given.items() if value})
            answer = connection.getresponse()
            return Got(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def say(self, data: bytes) -> bytes:
        """Send bytes as they are and return all that comes back."""
        with socket.create_connection(("127.0.0.1", self.server.access.port), 60) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))


@contextmanager
def viewing(root: Path) -> Iterator[Client]:
    """Serve the runs below a directory."""
    index = RunIndex(root)
    index.update()
    server = ViewerServer(Viewer(index))
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield Client(server)
    finally:
        server.shutdown()
        thread.join(60)
        server.server_close()
        index.close()
