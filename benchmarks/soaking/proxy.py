"""Stands between a run and its engine, so that connections can be cut and the engine can be away.

What it forwards it does not change. Connections that were handed over to a container's streams are told from others by
the request that asked for them.
"""

from __future__ import annotations

import contextlib
import random
import socket
import threading
from pathlib import Path

_PIECE = 1 << 16
_DEFAULT = "unix:///var/run/docker.sock"


class _Pair:
    """One connection of a client, and ours to the engine for it."""

    def __init__(self, client: socket.socket, engine: socket.socket) -> None:
        self.client = client
        self.engine = engine
        self.attached = False

    def cut(self) -> None:
        for side in (self.client, self.engine):
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)


class Proxy:
    """A socket that passes everything on to an engine.

    Args:
        place: Where the socket is made.
        upstream: Address of the engine, ``unix://`` or ``tcp://`` without TLS.
    """

    def __init__(self, place: Path, upstream: str | None) -> None:
        self._upstream = upstream or _DEFAULT
        self._pairs: set[_Pair] = set()
        self._lock = threading.Lock()
        self._away = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(place))
        self._listener.listen(64)
        self.address = f"unix://{place}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_one(self, chance: random.Random) -> bool:
        """Cut the streams of one sandbox, and say whether there was one."""
        with self._lock:
            attached = [pair for pair in self._pairs if pair.attached]
        if attached:
            chance.choice(attached).cut()
        return bool(attached)

    def go_away(self) -> None:
        """Cut everything and take nothing new."""
        self._away.set()
        with self._lock:
            pairs = list(self._pairs)
        for pair in pairs:
            pair.cut()

    def come_back(self) -> None:
        self._away.clear()

    def close(self) -> None:
        self.go_away()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                engine = None if self._away.is_set() else self._connect()
            except OSError:
                engine = None
            if engine is None:
                client.close()
                continue
            pair = _Pair(client, engine)
            with self._lock:
                self._pairs.add(pair)
            threading.Thread(target=self._pass_on, args=(pair, client, engine), daemon=True).start()
            threading.Thread(target=self._pass_on, args=(pair, engine, client), daemon=True).start()

    def _connect(self) -> socket.socket:
        scheme, _, rest = self._upstream.partition("://")
        if scheme == "unix":
            engine = socket.socket(socket.AF_UNIX)
            engine.connect(rest)
            return engine
        host, _, port = rest.rpartition(":")
        return socket.create_connection((host, int(port)))

    def _pass_on(self, pair: _Pair, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(_PIECE):
                if source is pair.client and not pair.attached and data.startswith(b"POST ") and b"/attach?" in data:
                    pair.attached = True
                target.sendall(data)
            # The other way may still have something to say.
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pair.cut()
        with self._lock:
            if pair not in self._pairs:
                pair.client.close()
                pair.engine.close()
            self._pairs.discard(pair)
