"""An engine behind ssh: the program `ssh` forwards a local socket to the engine's.

The user's own configuration, keys and agent apply, and the other machine needs only its engine. ssh never prompts,
since nobody may be there to answer. ssh ends with this process, even if that is killed: it runs `cat` on the other
machine, which waits for the end of a pipe that only this process holds.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

from gradebox.sandbox.errors import EngineUnavailable

SOCKET = "/var/run/docker.sock"
PATIENCE_SECONDS = 15.0
_OPTIONS = ("BatchMode=yes", "ExitOnForwardFailure=yes", "ServerAliveInterval=30", "ForwardAgent=no", "ForwardX11=no")


def is_behind_ssh(address: str) -> bool:
    """Return whether an engine's address is an ssh URL."""
    return address.startswith("ssh://")


def command(address: str, local: Path) -> list[str]:
    """Return the command that forwards a local socket to an engine.

    Args:
        address: ``ssh://[user@]host[:port][/path/of/the/engine's.sock]``.
        local: The local socket, which must not exist.

    Raises:
        EngineUnavailable: If the address is invalid.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit("ssh://"), None
    # ssh would treat a name that starts with a dash as an option.
    if not parts.hostname or parts.hostname.startswith("-") or parts.password or parts.query or parts.fragment:
        raise EngineUnavailable(
            f"{address} is not a valid ssh address of an engine.", remedy="Write ssh://USER@HOST, as for docker."
        )
    remote = parts.path if parts.path not in {"", "/"} else SOCKET
    words = ["ssh", "-T", *(f"-o{option}" for option in _OPTIONS), f"-L{local}:{remote}"]
    words += [f"-l{parts.username}"] if parts.username else []
    words += [f"-p{port}"] if port else []
    return [*words, "--", parts.hostname, "cat"]


def _trial(words: list[str]) -> str:
    """Return a command that connects to the host of `words` as the same user and to the same port, and does nothing."""
    whom = [word for word in words[:-1] if word.startswith(("-l", "-p"))]
    return shlex.join(["ssh", "-oBatchMode=yes", *whom, words[-2], "true"])


class Tunnel:
    """The connection to an engine behind ssh, opened when first needed. Thread-safe.

    Args:
        address: The engine's address.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._directory: Path | None = None

    def url(self) -> str:
        """Return the address of the local socket.

        Raises:
            EngineUnavailable: If ssh cannot connect.
        """
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._close()
                self._open()
            return f"unix://{self._directory}/engine.sock"

    def close(self) -> None:
        """Close the tunnel."""
        with self._lock:
            self._close()

    def _open(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="gradebox-"))
        local, log = self._directory / "engine.sock", self._directory / "log"
        words = command(self._address, local)
        try:
            with log.open("wb") as stderr:
                # In its own session, so that Ctrl-C does not end the tunnel, which the cleanup needs.
                self._process = subprocess.Popen(
                    words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True
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
                    remedy=f"Try `{_trial(words)}`: it must work without any prompt.",
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
