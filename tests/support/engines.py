"""Engines other than the one on this machine's socket: Podman, and that one again from afar over TCP and ssh.

Each is started for the tests with everything that it writes in a directory of its own, and ended after them. Needs
root, and programs that `make engines` installs; none of it touches the Docker Engine that runs here.
"""

from __future__ import annotations

import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference

DOCKER_SOCKET = Path(os.environ.get("GRADEBOX_DOCKER_SOCKET", "/var/run/docker.sock"))
IMAGES = (reference("base"), reference("python"))
_PATIENCE_SECONDS = 30.0
_SYS_RESOURCE = 24
# Podman asks for more processes than a process without CAP_SYS_RESOURCE may allow: it gets what there is.
_WITHIN_LIMITS = """#!{python}
import json, os, resource, sys

words = sys.argv[1:]
for name in ("--bundle", "-b"):
    if "create" in words and name in words:
        path = os.path.join(words[words.index(name) + 1], "config.json")
        with open(path) as file:
            bundle = json.load(file)
        for limit in bundle["process"].get("rlimits", []):
            hard = resource.getrlimit(getattr(resource, limit["type"]))[1]
            if hard != resource.RLIM_INFINITY:
                limit["hard"], limit["soft"] = min(limit["hard"], hard), min(limit["soft"], hard)
        with open(path, "w") as file:
            json.dump(bundle, file)
os.execv("{runtime}", ["{runtime}", *words])
"""


def needs(*programs: str) -> None:
    """Skip what cannot be tried here."""
    missing = [program for program in programs if shutil.which(program) is None]
    if missing or os.geteuid() != 0:
        pytest.skip(f"needs root and {', '.join(missing) or 'nothing else'}: run `make engines` as root on Debian")


@contextmanager
def running(words: list[str], log: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server until the end of the block."""
    with log.open("ab") as said:
        # Some write files where they are: Podman one for each container that ran out of memory.
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=os.environ | environment, cwd=log.parent
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(_PATIENCE_SECONDS)


@contextmanager
def scratch() -> Iterator[Path]:
    """Make a directory for one engine; its name is short, since it is in the names of sockets."""
    directory = Path(tempfile.mkdtemp(prefix="gbe-", dir="/tmp"))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(host: str, log: Path) -> None:
    """Wait until an engine answers."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        engine = DockerEngine(host)
        try:
            engine.info()
        except Exception:
            if time.monotonic() > deadline:
                print(log.read_text(errors="replace"))
                raise
            time.sleep(0.1)
        else:
            return
        finally:
            engine.close()


def bring_images(host: str) -> None:
    """Give an engine the images that this machine's has."""
    ours, theirs = DockerEngine(), DockerEngine(host)
    try:
        for image in IMAGES:
            theirs.images.client.load_image(b"".join(ours.images.client.get_image(image)))
    finally:
        ours.close()
        theirs.close()


@contextmanager
def podman() -> Iterator[str]:
    """Start Podman's service, with the images that the Docker Engine has."""
    needs("podman")
    with scratch() as place:
        (place / "storage.conf").write_text(
            f'[storage]\ndriver = "vfs"\ngraphroot = "{place}/graph"\nrunroot = "{place}/run"\n'
        )
        (place / "containers.conf").write_text(_runtime(place))
        environment = {
            "CONTAINERS_STORAGE_CONF": str(place / "storage.conf"),
            "CONTAINERS_CONF": str(place / "containers.conf"),
        }
        host = f"unix://{place}/podman.sock"
        with running(["podman", "system", "service", "--time=0", host], place / "log", **environment):
            wait_for(host, place / "log")
            bring_images(host)
            yield host


def _runtime(place: Path) -> str:
    """Return settings with a runtime that works here: crun knows no mixture of both versions of cgroups."""
    unified = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    runtime = shutil.which("crun" if unified else "runc") or shutil.which("runc") or shutil.which("crun")
    assert runtime is not None
    program = Path(runtime)
    effective = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("CapEff"))
    limited = resource.getrlimit(resource.RLIMIT_NPROC)[1] != resource.RLIM_INFINITY
    if limited and not int(effective.split()[1], 16) >> _SYS_RESOURCE & 1:
        program = place / Path(runtime).name
        program.write_text(_WITHIN_LIMITS.format(python=sys.executable, runtime=runtime))
        program.chmod(0o755)
    return f'[engine]\nruntime = "{program.name}"\n[engine.runtimes]\n{program.name} = ["{program}"]\n'


@contextmanager
def tcp() -> Iterator[str]:
    """Let the Docker Engine of this machine be reached over TCP."""
    needs("socat")
    port = free_port()
    words = ["socat", "-t", "600", f"TCP-LISTEN:{port},bind=127.0.0.1,fork,reuseaddr", f"UNIX-CONNECT:{DOCKER_SOCKET}"]
    with scratch() as place, running(words, place / "log"):
        host = f"tcp://127.0.0.1:{port}"
        wait_for(host, place / "log")
        yield host


@contextmanager
def ssh(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let the Docker Engine of this machine be reached over ssh, with keys of its own."""
    needs("sshd", "ssh", "ssh-keygen")
    port = free_port()
    with scratch() as place:
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place / name], check=True)
        (place / "authorized").write_text((place / "user.pub").read_text())
        (place / "sshd.conf").write_text(
            f"Port {port}\nListenAddress 127.0.0.1\nHostKey {place}/host\nAuthorizedKeysFile {place}/authorized\n"
            "PasswordAuthentication no\nPermitRootLogin prohibit-password\nStrictModes no\nUsePAM no\nPidFile none\n"
        )
        (place / "known").write_text(f"[127.0.0.1]:{port} {(place / 'host.pub').read_text()}")
        # What a user has in ~/.ssh/config.
        (place / "ssh").write_text(
            f'#!/bin/sh\nexec {shutil.which("ssh")} -F none -i {place}/user -o UserKnownHostsFile={place}/known "$@"\n'
        )
        (place / "ssh").chmod(0o755)
        monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
        sshd = shutil.which("sshd")
        assert sshd is not None
        Path("/run/sshd").mkdir(exist_ok=True)
        with running([sshd, "-D", "-e", "-f", str(place / "sshd.conf")], place / "log"):
            host = f"ssh://root@127.0.0.1:{port}{DOCKER_SOCKET}"
            wait_for(host, place / "log")
            yield host
