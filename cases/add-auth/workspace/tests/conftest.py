"""Starts the service as a process of its own; the tests know nothing of it but HTTP."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _patience_seconds() -> float:
    """Return how long a start or an answer may take: more where a bare start of Python is slow, too."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], stdin=subprocess.DEVNULL, check=True)
    return max(5.0, 200 * (time.monotonic() - began))


PATIENCE_SECONDS = _patience_seconds()


class Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    json: Any


class Service:
    """A running service and the port that it listens on."""

    def __init__(self, port: int) -> None:
        self.port = port

    def send(self, method: str, path: str, payload: object = None, body: bytes | None = None) -> Reply:
        if payload is not None:
            body = json.dumps(payload).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, body)
            answer = connection.getresponse()
            content = answer.read()
            return Reply(answer.status, answer.headers, json.loads(content) if content else None)


@contextlib.contextmanager
def running(data: Path, *options: str) -> Iterator[Service]:
    command = [sys.executable, "-m", "notes", "--data", str(data), "--port", "0", *options]
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield Service(_port(process))
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _port(process: subprocess.Popen[bytes]) -> int:
    """Wait for `listening on URL`, but not for ever."""
    assert process.stdout is not None
    deadline = time.monotonic() + PATIENCE_SECONDS
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"the service did not start within {PATIENCE_SECONDS:.0f} seconds"
        byte = os.read(process.stdout.fileno(), 1)
        assert byte, "the service ended before it listened"
        line += byte
    return int(line.rpartition(b":")[2])


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("data")) as started:
        yield started


@pytest.fixture
def start() -> Callable[..., contextlib.AbstractContextManager[Service]]:
    """For tests that choose the data directory or the options themselves."""
    return running
