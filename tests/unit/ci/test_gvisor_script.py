"""`.ci/gvisor.sh`: what it changes in an engine's settings, and what it says where it can do nothing.

A small server stands in for the engine: it lists the runtimes of its settings file as they were at its last SIGHUP.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / ".ci" / "gvisor.sh"
ENGINE = """\
    import http.server, json, os, pathlib, signal, socketserver, sys

    path, settings, deaf = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3] == "deaf"
    runtimes = {"runc": {}}

    def read(*_):
        runtimes.update({} if deaf else json.loads(settings.read_text()).get("runtimes", {}))

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"Runtimes": runtimes}).encode())
        def address_string(self):
            return "local"
        def log_message(self, *_):
            pass

    signal.signal(signal.SIGHUP, read)
    if settings.exists():
        read()
    with socketserver.UnixStreamServer(str(path), Answer) as server:
        path.with_suffix(".pid").write_text(str(os.getpid()))
        server.serve_forever()
"""


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Path]:
    """A directory with a runsc, programs of a root user, and perhaps an engine."""
    (tmp_path / "bin").mkdir()
    for name, text in {"runsc": "#!/bin/sh\n", "id": "#!/bin/sh\necho 0\n"}.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    yield tmp_path
    pid = tmp_path / "docker.pid"
    if pid.exists():
        os.kill(int(pid.read_text()), 9)


def start(machine: Path, *, deaf: bool = False) -> None:
    program = [sys.executable, "-c", textwrap.dedent(ENGINE)]
    arguments = [str(machine / "docker.sock"), str(machine / "daemon.json"), "deaf" if deaf else "hears"]
    subprocess.Popen([*program, *arguments], stdin=subprocess.DEVNULL)
    while not (machine / "docker.pid").exists():
        time.sleep(0.01)


def run(machine: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(SCRIPT)],
        env={
            "PATH": f"{machine / 'bin'}:/usr/bin:/bin",
            "PYTHON": sys.executable,
            "GRADEBOX_DOCKER_SOCKET": str(machine / "docker.sock"),
            "GRADEBOX_DOCKER_PID": str(machine / "docker.pid"),
            "GRADEBOX_DOCKER_SETTINGS": str(machine / "daemon.json"),
            **environment,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_runtime_is_added_to_the_settings_and_nothing_else_is_lost(machine: Path) -> None:
    settings = machine / "daemon.json"
    settings.write_text('{"debug": true, "runtimes": {"other": {"path": "/x"}}}')
    settings.chmod(0o640)
    start(machine)
    assert "registering" in run(machine)
    found = json.loads(settings.read_text())
    assert found["debug"] is True
    assert found["runtimes"].pop("other") == {"path": "/x"}
    assert found["runtimes"]["runsc"]["path"] == str(machine / "bin" / "runsc")
    # The engine's limits have to hold for gVisor as well.
    assert "--ignore-cgroups" not in found["runtimes"]["runsc"]["runtimeArgs"]
    assert settings.stat().st_mode & 0o777 == 0o640


def test_the_second_time_nothing_is_done_or_said(machine: Path) -> None:
    start(machine)
    run(machine)
    before = (machine / "daemon.json").stat().st_mtime_ns
    (machine / "bin" / "runsc").unlink()
    assert run(machine) == ""
    assert (machine / "daemon.json").stat().st_mtime_ns == before


def test_an_engine_that_does_not_take_it_up_is_told(machine: Path) -> None:
    start(machine, deaf=True)
    assert "could not be set up: the engine has not taken up" in run(machine)


def test_settings_that_nobody_can_read_are_left_alone(machine: Path) -> None:
    start(machine)
    (machine / "daemon.json").write_text("{broken")
    assert "could not be changed" in run(machine)
    assert (machine / "daemon.json").read_text() == "{broken"


@pytest.mark.parametrize(
    ("environment", "engine", "said"),
    [({"DOCKER_HOST": "tcp://build:2376"}, True, "not this script's to change"), ({}, False, "no engine answers")],
)
def test_where_nothing_can_be_done_that_is_said(
    machine: Path, environment: dict[str, str], engine: bool, said: str
) -> None:
    if engine:
        start(machine)
    assert said in run(machine, **environment)
    assert not (machine / "daemon.json").exists()


def test_nobody_but_root_changes_the_machine(machine: Path) -> None:
    start(machine)
    (machine / "bin" / "id").write_text("#!/bin/sh\necho 1000\n")
    assert "that needs root" in run(machine)
    assert not (machine / "daemon.json").exists()


def test_without_runsc_and_without_debian_it_says_what_is_missing(machine: Path) -> None:
    start(machine)
    (machine / "bin" / "runsc").unlink()
    for name in ("sh", "dirname", "cat", "flock", "grep", "awk", "env", "sleep"):
        (machine / "bin" / name).symlink_to(shutil.which(name) or f"/usr/bin/{name}")
    assert "neither Debian nor Ubuntu" in run(machine, PATH=str(machine / "bin"))
