"""Starts the candidate's service as a process of another user and speaks HTTP with it.

The hidden tests never import the candidate. Code that runs inside pytest's process can end it with `os._exit(0)`,
patch its asserts or rewrite its report, and pytest's exit status would then say whatever the candidate likes. A service
on the other side of a socket can only answer well or badly.

Every wait has a deadline, which is wall time: so it grows with the time that a bare start of Python takes here and now.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

WORKSPACE = Path(__file__).resolve().parent.parent
PASSWORD = "correct-horse-battery-staple"


def _patience_seconds() -> float:
    began = time.monotonic()
    subprocess.run(["candidate", "python3", "-c", "pass"], stdin=subprocess.DEVNULL, check=True)
    return max(5.0, 200 * (time.monotonic() - began))


PATIENCE_SECONDS = _patience_seconds()


class Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)


class Clock:
    """The service's time, turned by hand: a file that `--clock-file` names."""

    def __init__(self, path: Path, now: int = 1_767_225_600) -> None:
        self.path = path
        self._now = now
        lend(path.parent, 0o755)
        self.advance(0)

    def advance(self, seconds: int) -> None:
        self._now += seconds
        fresh = self.path.with_suffix(".new")
        fresh.write_text(str(self._now), encoding="ascii")
        os.replace(fresh, self.path)


class Service:
    """A running service, and what a client does with it."""

    def __init__(self, port: int) -> None:
        self._port = port

    def send(
        self,
        method: str,
        path: str,
        payload: object = None,
        *,
        token: str | None = None,
        authorization: str | None = None,
    ) -> Reply:
        headers = {}
        if token is not None:
            authorization = f"Bearer {token}"
        if authorization is not None:
            headers["Authorization"] = authorization
        body = None if payload is None else json.dumps(payload).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Reply(answer.status, answer.headers, answer.read())

    def register(self, username: str, password: str = PASSWORD) -> Reply:
        return self.send("POST", "/register", {"username": username, "password": password})

    def log_in(self, username: str, password: str = PASSWORD) -> Reply:
        return self.send("POST", "/login", {"username": username, "password": password})

    def newcomer(self, username: str) -> str:
        """Register and log in; return the token."""
        assert self.register(username).status == 201
        return self.token(username)

    def token(self, username: str) -> str:
        reply = self.log_in(username)
        assert reply.status == 200
        token = reply.json["token"]
        assert isinstance(token, str)
        return token

    def write_note(self, token: str | None, title: str) -> int:
        reply = self.send("POST", "/notes", {"title": title, "body": f"about {title}"}, token=token)
        assert reply.status == 201
        note_id = reply.json["id"]
        assert isinstance(note_id, int)
        return note_id


# `candidate` ends when the shell has ended and all of its user's processes are dead.
_UNTIL_STDIN_ENDS = '{ "$@"; kill $$; } & read -r end'


@contextlib.contextmanager
def running(data: Path, *options: str) -> Iterator[Service]:
    """Run `python3 -m notes` until the block ends; all of its processes end with it."""
    lend(data, 0o777)
    command = ["candidate", "sh", "-c", _UNTIL_STDIN_ENDS, "sh"]
    command += ["python3", "-m", "notes", "--data", str(data), "--port", "0", *options]
    with subprocess.Popen(
        command, cwd=WORKSPACE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        yield Service(_port(process))


def lend(directory: Path, mode: int) -> None:
    """Let the service use a directory of ours."""
    directory.chmod(mode)
    for parent in directory.parents:
        if parent.stat().st_uid == os.geteuid():
            parent.chmod(0o711)


def content_of(directory: Path) -> bytes:
    """Return what the files of the service hold, which it may have closed to others."""
    command = ["candidate", "find", str(directory), "-type", "f", "-exec", "cat", "{}", "+"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout


def copy_of(directory: Path) -> Path:
    """Return a copy of a directory, which is the service's, too."""
    copy = directory.with_name("copy")
    copy.mkdir()
    lend(copy, 0o777)
    subprocess.run(["candidate", "cp", "-r", f"{directory}/.", str(copy)], stdin=subprocess.DEVNULL, check=True)
    return copy


def _port(process: subprocess.Popen[bytes]) -> int:
    """Read the port from the line `listening on URL`."""
    assert process.stdout is not None
    deadline = time.monotonic() + PATIENCE_SECONDS
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"the service did not listen within {PATIENCE_SECONDS:.0f} seconds"
        byte = os.read(process.stdout.fileno(), 1)
        assert byte, "the service ended before it listened"
        line += byte
        assert len(line) < 1000, "the service's first line is not `listening on URL`"
    return int(line.rpartition(b":")[2])
