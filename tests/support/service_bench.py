"""What tests of services share: an engine in memory whose containers serve until they are ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from fake_engine import FakeEnd, FakeRun

from gradebox.graders.model.service import Ready, Service
from gradebox.sandbox.protocol.frames import Cause

STORE = Service("store", "image", ("store",), Ready(port=7000, timeout_seconds=5))


@dataclass
class Serving:
    """A script: what is named in `servers` listens at its port until it is ended, `acts` says what other programs do.

    Attributes:
        servers: The port of each server, by its program.
        acts: What other programs do, by their first word; they pass by default.
        began, runs: What was run, in order, and how.
        asked: What probes sent to the servers that listened.
    """

    servers: dict[str, int]
    acts: dict[str, Callable[[FakeRun], FakeEnd]] = field(default_factory=dict)
    began: list[str] = field(default_factory=list)
    runs: list[FakeRun] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    _open: dict[int, int] = field(default_factory=dict)
    _dying: dict[str, tuple[threading.Event, FakeEnd]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, run: FakeRun) -> FakeEnd:
        program = run.argv[0]
        if program == "probe":
            self.asked += [run.argv[2]] if self._open.get(int(run.argv[1])) else []
            return FakeEnd(exit_code=0 if self._open.get(int(run.argv[1])) else 1, stdout=b"HTTP/1.0 200 OK\r\n")
        self.began.append(program)
        self.runs.append(run)
        if program in self.acts:
            return self.acts[program](run)
        if program not in self.servers:
            return FakeEnd()
        return self._serve(program, run)

    def _serve(self, program: str, run: FakeRun) -> FakeEnd:
        port = self.servers[program]
        dead, _ = self._dying.setdefault(program, (threading.Event(), FakeEnd()))
        with self._lock:
            self._open[port] = self._open.get(port, 0) + 1
        try:
            for _ in range(3000):
                if run.ended.wait(0.01):
                    return FakeEnd(cause=Cause.KILLED, stderr=b"going down\n")
                if dead.is_set():
                    return self._dying[program][1]
        finally:
            with self._lock:
                self._open[port] -= 1
        raise AssertionError(f"nobody ended {program}")

    def die(self, program: str, end: FakeEnd) -> None:
        """Let a server end by itself now, and wait until it no longer listens."""
        event, _ = self._dying[program]
        self._dying[program] = (event, end)
        event.set()
        while self._open[self.servers[program]]:
            threading.Event().wait(0.005)

    @property
    def open_ports(self) -> set[int]:
        return {port for port, count in self._open.items() if count}
