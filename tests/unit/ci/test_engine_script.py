"""`.ci/engine.sh`: when it leaves the machine alone, what it says, and how it starts a daemon.

Programs on PATH stand in for everything that would change the machine: dockerd, apt-get, systemctl; and id for the
user.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / ".ci" / "engine.sh"

# Answers `known` with 200. It is not called dockerd by the kernel, as the real one is: the script must not need that of
# a daemon that it started itself.
DOCKERD = """\
    import http.server, os, pathlib, socketserver, sys

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            known = {known}
            self.send_response(200 if self.path in known else 404)
            self.end_headers()
        def address_string(self):
            return "local"

    print("started", *sys.argv[1:], flush=True)
    if {demands!r} not in sys.argv:
        sys.exit("failed to start daemon: Error initializing network controller")
    pathlib.Path({pid!r}).write_text(str(os.getpid()))
    path = {socket!r}
    pathlib.Path(path).unlink(missing_ok=True)
    with socketserver.UnixStreamServer(path, Answer) as server:
        server.serve_forever()
"""


@dataclass
class Machine:
    """A machine with an engine of its own: a directory of programs, a socket, a pid file, a log."""

    root: Path
    uid: int = 0

    @property
    def socket(self) -> Path:
        return self.root / "docker.sock"

    @property
    def pid_file(self) -> Path:
        return self.root / "docker.pid"

    @property
    def log(self) -> Path:
        return self.root / "dockerd.log"

    @property
    def calls(self) -> str:
        path = self.root / "calls"
        return path.read_text() if path.exists() else ""

    def program(self, name: str, text: str) -> None:
        path = self.root / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def dockerd(self, *, demands: str = "dockerd", known: tuple[str, ...] = ("/_ping",)) -> str:
        """Return the text of a daemon that starts only when it is given the word `demands`."""
        body = DOCKERD.format(known=known, demands=demands, pid=str(self.pid_file), socket=str(self.socket))
        (self.root / "dockerd.py").write_text(textwrap.dedent(body))
        return f'#!/bin/sh\nexec {sys.executable} {self.root / "dockerd.py"} dockerd "$@"\n'

    def only(self, *names: str) -> str:
        """Return a PATH with the machine's own programs and these of the system's, and nothing else."""
        for name in names:
            (self.root / "bin" / name).symlink_to(shutil.which(name) or f"/usr/bin/{name}")
        return str(self.root / "bin")

    def run(self, pass_fds: Sequence[int] = (), **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(SCRIPT)],
            env={
                "PATH": f"{self.root / 'bin'}:/usr/sbin:/usr/bin:/sbin:/bin",
                "PYTHON": sys.executable,
                "GRADEBOX_DOCKER_SOCKET": str(self.socket),
                "GRADEBOX_DOCKER_PID": str(self.pid_file),
                "GRADEBOX_DOCKER_LOG": str(self.log),
                "GRADEBOX_DOCKER_DEADLINE": "10",
                "GRADEBOX_APT_LOG": str(self.root / "apt.log"),
                "GRADEBOX_OS_RELEASE": str(self.root / "os-release"),
                **environment,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            pass_fds=pass_fds,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    (tmp_path / "os-release").write_text("ID=debian\n")
    note = f'echo "$(basename "$0") $*" >> {tmp_path / "calls"}\n'
    made.program("id", "#!/bin/sh\ncase $1 in -u) echo ${FAKE_UID:-0};; *) echo someone;; esac\n")
    made.program("systemctl", "#!/bin/sh\nexit 1\n")
    made.program("apt-get", f"#!/bin/sh\n{note}")
    made.program("mmdebstrap", "#!/bin/sh\n")
    yield made
    # The script's daemon is meant to outlive it. What the file names may be something else that a test wrote there.
    with suppress(OSError, ValueError):
        daemon = int(made.pid_file.read_text())
        if str(tmp_path) in Path(f"/proc/{daemon}/cmdline").read_text():
            os.kill(daemon, signal.SIGKILL)


@pytest.fixture
def answering(machine: Machine) -> Iterator[Callable[..., None]]:
    """Start an engine on the machine's socket by other means than the script."""
    started: list[subprocess.Popen[bytes]] = []

    def start(known: tuple[str, ...] = ("/_ping",)) -> None:
        machine.dockerd(known=known)
        process = subprocess.Popen(
            [sys.executable, str(machine.root / "dockerd.py"), "dockerd"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        while process.poll() is None:
            with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
                probe.connect(str(machine.socket))
                return
        pytest.fail("the stand-in for the engine did not start")

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_a_docker_host_is_left_to_whoever_set_it(machine: Machine) -> None:
    done = machine.run(DOCKER_HOST="tcp://192.0.2.1:2376")

    assert (done.returncode, done.stdout, done.stderr, machine.calls) == (0, "", "", "")


def test_an_engine_that_answers_is_left_alone(machine: Machine, answering: Callable[..., None]) -> None:
    answering()
    done = machine.run()

    assert (done.returncode, done.stdout, done.stderr, machine.calls) == (0, "", "", "")


def test_without_root_it_says_what_to_do(machine: Machine) -> None:
    done = machine.run(FAKE_UID="1000")

    assert done.returncode == 4
    assert f"No Docker Engine answers on {machine.socket}" in done.stderr
    assert "set DOCKER_HOST" in done.stderr
    assert machine.calls == ""


def test_elsewhere_than_on_debian_nothing_is_installed(machine: Machine) -> None:
    (machine.root / "os-release").write_text("ID=fedora\n")
    done = machine.run(PATH=machine.only("sh", "dirname", "grep"))

    assert done.returncode == 4
    assert "needs root on Debian or Ubuntu" in done.stderr
    assert machine.calls == ""


def test_an_installation_that_fails_shows_why(machine: Machine) -> None:
    machine.program("apt-get", "#!/bin/sh\necho 'E: Unable to fetch some archives'\nexit 100\n")
    done = machine.run(PATH=machine.only("sh", "dirname", "grep", "flock", "tail"))

    assert done.returncode == 4
    assert "installing on this machine: docker.io iptables mmdebstrap" in done.stdout
    assert "E: Unable to fetch some archives" in done.stderr


def test_a_daemon_is_started_and_outlives_the_script(machine: Machine) -> None:
    machine.program("dockerd", machine.dockerd())
    done = machine.run()

    # `run` read both pipes to their ends: the daemon holds neither.
    assert (done.returncode, done.stderr) == (0, "")
    assert f"==> starting the Docker Engine (dockerd in the background; log in {machine.log})" in done.stdout
    daemon = int(machine.pid_file.read_text())
    assert os.getsid(daemon) == daemon
    assert machine.run().stdout == ""


def test_a_daemon_inherits_no_descriptor(machine: Machine) -> None:
    """If make's jobserver or a pipe of CI stayed open in the daemon, then whoever reads it would wait for ever."""
    machine.program("dockerd", machine.dockerd())
    reading, writing = os.pipe()
    try:
        assert machine.run(pass_fds=[writing]).returncode == 0
    finally:
        os.close(writing)
    os.set_blocking(reading, False)
    try:
        assert os.read(reading, 1) == b""
    finally:
        os.close(reading)


@pytest.mark.parametrize("left", ["999999999", "self", ""])
def test_a_pid_file_of_the_dead_is_removed(machine: Machine, left: str) -> None:
    """The id may be nobody's, or by now another program's."""
    machine.program("dockerd", machine.dockerd())
    machine.pid_file.write_text(str(os.getpid()) if left == "self" else left)
    done = machine.run()

    assert done.returncode == 0
    assert f"==> removing {machine.pid_file}: it names no running dockerd" in done.stdout


def test_a_zombie_is_dead(machine: Machine) -> None:
    """Where nothing reaps orphans, a killed daemon keeps its process id and its name."""
    zombie = subprocess.Popen(["dockerd"], executable="/bin/true")
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    try:
        machine.program("dockerd", machine.dockerd())
        machine.pid_file.write_text(str(zombie.pid))
        done = machine.run()
    finally:
        zombie.wait()

    assert done.returncode == 0
    assert "it names no running dockerd" in done.stdout


def test_a_machine_without_bridges_gets_an_engine_without_one(machine: Machine) -> None:
    machine.program("dockerd", machine.dockerd(demands="--bridge=none"))
    done = machine.run()

    assert done.returncode == 0
    assert "starting it without one" in done.stdout
    assert "started dockerd --bridge=none" in machine.log.read_text()


def test_a_daemon_that_does_not_start_shows_its_last_words(machine: Machine) -> None:
    machine.program("dockerd", "#!/bin/sh\necho 'no space left on device' >&2\nexit 1\n")
    done = machine.run()

    assert done.returncode == 4
    assert "no space left on device" in done.stderr
    assert str(machine.log) in done.stderr


def test_without_a_registry_the_other_source_is_installed(machine: Machine, answering: Callable[..., None]) -> None:
    answering()
    (machine.root / "bin" / "mmdebstrap").unlink()
    done = machine.run(PATH=machine.only("sh", "dirname", "grep", "flock"))

    assert done.returncode == 0
    assert "no registry answers" in done.stdout
    assert "installing on this machine: mmdebstrap" in done.stdout
    assert "install -yq --no-install-recommends mmdebstrap" in machine.calls


def test_with_a_registry_nothing_else_is_installed(machine: Machine, answering: Callable[..., None]) -> None:
    answering(known=("/_ping", "/distribution/debian:bookworm-slim/json"))
    (machine.root / "bin" / "mmdebstrap").unlink()
    done = machine.run(PATH=machine.only("sh", "dirname"))

    assert (done.returncode, done.stdout, machine.calls) == (0, "", "")
