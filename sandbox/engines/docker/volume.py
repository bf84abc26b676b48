"""The volume from which the sandboxes of a Docker Engine get the supervisor.

It is named after the hash of the binary, filled once per engine, and mounted read-only. To fill it, the file is copied
into a container that is never started, so the engine may be on another machine.
"""

from __future__ import annotations

import io
import tarfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from threading import Lock
from typing import Any

from gradebox.sandbox import owner, supervisor_build
from gradebox.sandbox.engines.docker import container_request
from gradebox.sandbox.engines.docker.connection import NOT_FOUND, Connection
from gradebox.sandbox.engines.engine import ImageInfo
from gradebox.sandbox.errors import EngineRefused, NameTaken

_FILL_SECONDS = 30.0
_FILL_ATTEMPTS = 3


class SupervisorVolume:
    """The supervisor on one engine.

    Args:
        connection: The connection to the engine.
        architecture: Returns the architecture of its containers; called when first needed.
        session: The session label of the containers that fill the volume.
    """

    def __init__(self, connection: Connection, architecture: Callable[[], str], session: str) -> None:
        self._connection = connection
        self._architecture = architecture
        self._session = session
        self._filling = Lock()

    @cached_property
    def binary(self) -> bytes:
        return supervisor_build.binary(self._architecture())

    @cached_property
    def name(self) -> str:
        return f"gradebox-supervisor-{sha256(self.binary).hexdigest()[:16]}"

    @cached_property
    def _exists(self) -> bool:
        # Cached, because every sandbox needs it; `fill` sets it to True.
        try:
            self._connection.retry(lambda: self._connection.json("GET", f"/volumes/{self.name}"))
        except EngineRefused as error:
            if error.status != NOT_FOUND:
                raise
            return False
        return True

    def mount(self, image: ImageInfo) -> dict[str, Any]:
        """Return the mount for a sandbox, after filling the volume if necessary."""
        # Without the lock, a second thread would write the file while a sandbox of the first thread executes it.
        with self._filling:
            if not self._exists:
                self.fill(image)
        return self._mount(read_only=True)

    def _mount(self, *, read_only: bool) -> dict[str, Any]:
        return container_request.volume_mount(self.name, {owner.LABEL: "supervisor"}, read_only=read_only)

    def is_whole(self, container: str) -> bool:
        """Return whether the supervisor in a container is undamaged."""
        try:
            place = {"path": container_request.SUPERVISOR}
            archive = self._connection.content("GET", f"/containers/{container}/archive", place)
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                member = tar.extractfile(tar.getmembers()[0])
                found = member.read() if member else b""
        except (EngineRefused, tarfile.TarError, IndexError):
            found = b""
        return found == self.binary

    def fill(self, image: ImageInfo) -> None:
        """Put the supervisor into its volume.

        The container's name is the lock between processes that find the volume empty at the same time.

        Raises:
            EngineRefused: If the container's name does not become free.
        """
        name = f"{self.name}-fill"
        labels = {owner.LABEL: "fill", owner.LABEL_OWNER: owner.me(), owner.LABEL_SESSION: self._session}
        body = {
            "Image": image.id,
            "Cmd": ["/never-started"],
            "NetworkDisabled": True,
            "Labels": labels,
            "HostConfig": {"NetworkMode": "none", "Mounts": [self._mount(read_only=False)]},
        }
        container = self._carrier(body, name)
        try:
            place = {"path": container_request.SUPERVISOR_DIRECTORY}
            packed = one_file("supervisor", self.binary)
            self._connection.content("PUT", f"/containers/{container}/archive", place, body=packed)
        finally:
            self._remove(container)
        self.__dict__["_exists"] = True

    def _carrier(self, body: dict[str, Any], name: str) -> str:
        for _ in range(_FILL_ATTEMPTS):
            deadline = time.monotonic() + _FILL_SECONDS
            while True:
                with suppress(NameTaken):
                    return self._connection.create(body, name)
                if time.monotonic() > deadline:
                    break
                time.sleep(0.05)
            # A process that seems to hold the lock for so long must have ended.
            self._remove(name)
        raise EngineRefused(
            f"The engine does not remove the container {name}, which is in the way.",
            remedy=f"Run `docker rm --force {name}`, or restart the engine.",
        )

    def _remove(self, container: str) -> None:
        query = {"v": 1, "force": 1}
        self._connection.ignore_missing(lambda: self._connection.json("DELETE", f"/containers/{container}", query))


def one_file(name: str, content: bytes) -> bytes:
    """Return a tar archive with one program."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        member.mode = 0o555
        tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()
