"""An engine behind ssh: the program `ssh` forwards a socket of ours to the engine's, and all else stays the same.

So the user's own configuration, keys and agent are in force, and the other machine needs nothing but its engine. ssh
asks nothing, since nobody may be there to answer. It ends with this process, however that ends: what it runs over there
is a `cat` that waits for the end of a pipe that only this process holds.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

from sandbox.errors import EngineUnavailable

SOCKET = "/var/run/docker.sock"
PATIENCE_SECONDS = 15.0
_OPTIONS = ("BatchMode=yes", "ExitOnForwardFailure=yes", "ServerAliveInterval=30", "ForwardAgent=no", "ForwardX11=no")


def is_behind_ssh(address: str) -> bool:
    """Say whether an engine's address is one for ssh."""
    return address.startswith("ssh://")


def command(address: str, local: Path) -> list[str]:
    """Return the command that forwards a local socket to an engine.

    Args:
        address: ``ssh://[user@]host[:port][/path/of/the/engine's.sock]``.
        local: The socket that is made.

    Raises:
        EngineUnavailable: If this is no such address.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit("ssh://"), None
    # A name that begins with a dash would be an option.
    if not parts.hostname or parts.hostname.startswith("-") or parts.password or parts.query or parts.fragment:
        raise EngineUnavailable(
            f"{address} is no address of an engine behind ssh.", remedy="Write ssh://USER@HOST, as for docker."
        )
    remote = parts.path if parts.path not in {"", "/"} else SOCKET
    words = ["ssh", "-T", *(f"-o{option}" for option in _OPTIONS), f"-L{local}:{remote}"]
    words += [f"-l{parts.username}"] if parts.username else []
    words += [f"-p{port}"] if port else []
    return [*words, "--", parts.hostname, "cat"]


class Tunnel:
    """A way to an engine behind ssh, opened when it is first needed. May be asked from several threads.

    Args:
        address: The engine's.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._directory: Path | None = None

    def url(self) -> str:
        """Return the address of this end.

        Raises:
            EngineUnavailable: If ssh cannot get there.
        """
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._close()
                self._open()
            return f"unix://{self._directory}/engine.sock"

    def close(self) -> None:
        """End it."""
        with self._lock:
            self._close()

    def _open(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="gradebox-"))
        local, log = self._directory / "engine.sock", self._directory / "log"
        words = command(self._address, local)
        try:
            with log.open("wb") as said:
                # In a session of its own: Ctrl-C is for us, and there is something to clean up through it.
                self._process = subprocess.Popen(
                    words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
                )
        except OSError as error:
            self._close()
            raise EngineUnavailable(
                f"No engine can be reached at {self._address}: ssh cannot be started: {error.strerror}.",
                remedy="Install ssh (Debian: apt-get install openssh-client).",
            ) from error
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not local.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                lines = log.read_text("utf-8", "replace").strip().splitlines()
                self._close()
                raise EngineUnavailable(
                    f"No engine can be reached at {self._address}: {lines[-1].rstrip('.') if lines else 'no answer'}.",
                    remedy=f"Try `ssh -oBatchMode=yes {words[-2]} true`: it must work without a question.",
                )
            time.sleep(0.02)

    def _close(self) -> None:
        process, self._process = self._process, None
        directory, self._directory = self._directory, None
        if process is not None:
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()
            process.terminate()
            process.wait()
        if directory is not None:
            shutil.rmtree(directory, ignore_errors=True)
