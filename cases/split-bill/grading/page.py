"""Serves the submission's page as its own user, and looks at it in the browser, which runs in another container.

Nothing here parses or runs what the submission wrote. The browser does, and it belongs to neither of both.
"""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

PORT = 8000
BROWSER = "http://browser:9000/5b0d6cf2a9e14c7b"
PATIENCE_SECONDS = 60.0

OPEN = ["open", f"http://127.0.0.1:{PORT}/index.html"]
SHARE = ["text", "#share"]


def visit(*steps: list[str]) -> list[Any]:
    """Open the page, do steps on it, and return what they read; a step that cannot be done fails the test."""
    request = urllib.request.Request(BROWSER, json.dumps([OPEN, *steps]).encode())
    with urllib.request.urlopen(request, timeout=2 * PATIENCE_SECONDS) as reply:
        found = json.load(reply)
    assert "error" not in found, found["error"]
    return [text for text in found["results"] if text is not None]


def split(bill: str, people: str) -> list[list[str]]:
    """Return the steps that split a bill."""
    return [["fill", "#bill", bill], ["fill", "#people", people], ["click", "#split"]]


@pytest.fixture(scope="session", autouse=True)
def server() -> Iterator[None]:
    command = ["candidate", "python3", "-m", "http.server", str(PORT), "--bind", "127.0.0.1", "--directory", "."]
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **silent) as process:
        try:
            until = time.monotonic() + PATIENCE_SECONDS
            while True:
                with closing(socket.socket()) as probe:
                    if probe.connect_ex(("127.0.0.1", PORT)) == 0:
                        break
                assert process.poll() is None, "the page's server has ended"
                assert time.monotonic() < until, "the page's server does not answer"
                time.sleep(0.05)
            yield
        finally:
            process.kill()
