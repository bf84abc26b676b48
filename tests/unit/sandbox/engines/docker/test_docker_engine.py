"""What is different when Podman answers: a server that answers as Podman 4.3 does, as far as it answers otherwise."""

from __future__ import annotations

import json
import socketserver
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from gradebox.sandbox import supervisor_build
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.errors import EngineRefused
from gradebox.sandbox.types import SandboxSpec

VERSION = {
    "Platform": {"Name": "linux/amd64/debian-12"},
    "Components": [{"Name": "Podman Engine", "Version": "4.3.1"}],
    "Version": "4.3.1",
    "ApiVersion": "1.41",
}
INFO = {"Architecture": "amd64", "DefaultRuntime": "crun", "Runtimes": {"crun": {}, "runsc": {}}}
IMAGE = ImageInfo("sha256:1", "image")


class Podman(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """The server, and what it was asked to create."""

    daemon_threads = True
    refuses = "nr_inodes"

    def __init__(self, path: str) -> None:
        super().__init__(path, Answers)
        self.created: list[dict[str, Any]] = []


class Answers(BaseHTTPRequestHandler):
    """Its answers."""

    server: Podman

    def address_string(self) -> str:
        return "here"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        known = {"version": VERSION, "info": INFO, "volumes": {"Volumes": []}, "json": []}
        self._say(200, known.get(self.path.partition("?")[0].rpartition("/")[2], {"Name": "volume"}))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        if any(self.server.refuses in options for options in asked["HostConfig"].get("Tmpfs", {}).values()):
            self._say(500, {"message": f'unknown mount option "{self.server.refuses}=1": invalid mount option'})
        else:
            self.server.created.append(asked)
            self._say(201, {"Id": f"container {len(self.server.created)}"})

    def _say(self, status: int, answer: object) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def podman(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Podman, DockerEngine]]:
    monkeypatch.setattr(supervisor_build, "binary", lambda _: b"supervisor")
    with tempfile.TemporaryDirectory() as place:
        server = Podman(f"{place}/podman.sock")
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        engine = DockerEngine(f"unix://{Path(place, 'podman.sock')}")
        yield server, engine
        engine.close()
        server.shutdown()
        server.server_close()


def test_it_is_known_by_its_name_and_has_the_runtime_that_it_takes(podman: tuple[Podman, DockerEngine]) -> None:
    info = podman[1].info()
    assert (info.name, info.version) == ("Podman Engine", "4.3.1")
    assert info.runtimes == ("crun",)


def test_it_is_asked_once_for_a_limit_that_it_does_not_know(podman: tuple[Podman, DockerEngine]) -> None:
    server, engine = podman
    assert [engine.create(SandboxSpec("image"), IMAGE) for _ in range(2)] == ["container 1", "container 2"]
    for asked in server.created:
        assert set(asked["HostConfig"]["Tmpfs"]) == {"/.gradebox", "/workspace", "/tmp"}
        assert all("size=" in options for options in asked["HostConfig"]["Tmpfs"].values())


def test_what_is_to_be_hidden_is_asked_for_as_podman_wants_it(podman: tuple[Podman, DockerEngine]) -> None:
    server, engine = podman
    engine.create(SandboxSpec("image", masked=("/proc/modules", "/sys/module")), IMAGE)
    engine.create(SandboxSpec("image"), IMAGE)
    hidden, usual = (asked["HostConfig"]["SecurityOpt"] for asked in server.created)
    assert hidden == [*usual, "mask=/proc/modules:/sys/module"]


def test_no_other_limit_is_given_up(podman: tuple[Podman, DockerEngine]) -> None:
    podman[0].refuses = "nosuid"
    with pytest.raises(EngineRefused, match="unknown mount option"):
        podman[1].create(SandboxSpec("image"), IMAGE)
