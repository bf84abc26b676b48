"""Spare sandboxes: started before the gradings of a call need them, and removed in the background after use.

While one case is graded, the engine starts a sandbox for the next, with the same image, limits and profile as the last
one needed. Each is used once or never. A spare that does not fit, has ended or waited too long is removed, and the
grading opens a sandbox in the ordinary way. Failures here are never errors of a grading.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

from gradebox.graders.grading.capacity import sandboxes_at_a_time
from gradebox.graders.grading.many.exclusive import Exclusive
from gradebox.graders.grading.many.pace import Pace
from gradebox.graders.model.tree import read
from gradebox.sandbox.engines.engine import Engine, EngineInfo
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import SandboxSpec

# Extra lifetime of a spare, so that it can wait until it is needed.
IDLE_SECONDS = 300.0
_THREADS = 64


class _Spare(NamedTuple):
    spec: SandboxSpec
    until: float
    sandbox: Future[Sandbox]

    def fits(self, spec: SandboxSpec) -> bool:
        """Return whether it is what a grading needs, and will live long enough."""
        return _alike(self.spec, spec) and time.monotonic() + spec.lifetime_seconds <= self.until


class Spares:
    """The spare sandboxes of one call. May be used from several threads.

    Args:
        engine: The engine that makes them.
        machine: The engine's machine. All sandboxes must fit into its memory; if that is unknown, no spare is made.
            There is at most one spare per processor.
        pace: How many gradings run at a time, each with its own sandbox. It is notified when one ends.
        waiting: Returns how many gradings have not started.
        exclusive: No spare is made or removed while a grading runs alone.
    """

    def __init__(
        self, engine: Engine, machine: EngineInfo, pace: Pace, waiting: Callable[[], int], exclusive: Exclusive
    ) -> None:
        self._engine = engine
        self._machine = machine
        self._pace = pace
        self._waiting = waiting
        self._exclusive = exclusive
        self._lock = Lock()
        self._spares: list[_Spare] = []
        self._last: SandboxSpec | None = None
        self._largest_bytes, self._longest_seconds = 1, 0.0
        # The number of sandboxes being removed, and the number of recent failures to start one.
        self._leaving = self._failures = 0
        self._closed = False
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="sandboxes")

    def take(self, spec: SandboxSpec) -> Sandbox | None:
        """Return an unused sandbox for a spec, None if there is none; and start the next ones."""
        with self._lock:
            if self._closed:
                return None
            self._largest_bytes = max(self._largest_bytes, spec.limits.memory_bytes)
            self._longest_seconds = max(self._longest_seconds, spec.lifetime_seconds)
            fitting = [spare for spare in self._spares if spare.fits(spec)]
            found = next((spare for spare in fitting if spare.sandbox.done()), fitting[0] if fitting else None)
            if found is not None:
                self._spares.remove(found)
            elif not self._exclusive.is_held_alone:
                for spare in self._spares:
                    self._leave(spare)
                self._spares.clear()
            # If every case needs a different sandbox, spares like the last one would only be removed.
            if found is not None or self._last is None or _alike(spec, self._last):
                self._make(spec)
            self._last = spec
        sandbox = self._opened(found) if found is not None else None
        if sandbox is None:
            return None
        try:
            sandbox.stat()
            if sandbox.image.id == self._engine.image(spec.image).id:
                return sandbox
        except SandboxError:
            # The sandbox has ended, for example because the engine was restarted.
            pass
        self._remove_behind(sandbox)
        return None

    def remove(self, sandbox: Sandbox) -> None:
        """Remove the sandbox of an ended grading, in the background if possible."""
        self._pace.note(time.monotonic())
        self._remove_behind(sandbox)

    def shrink(self) -> None:
        """Halve the number of parallel gradings and make fewer spares for now: this process cannot hold so many."""
        self._failures += 1
        self._pace.limit(max(1, self._pace.jobs // 2))

    def _remove_behind(self, sandbox: Sandbox) -> None:
        with self._lock:
            free = not self._closed and not self._exclusive.is_held_alone
            if behind := free and self._room() > 0 and self._leaving < self._pace.jobs:
                self._leaving += 1
                self._exclusive.join()
                self._pool.submit(self._remove, sandbox.close)
        if not behind:
            sandbox.close()

    def close(self) -> None:
        """Stop making spares, remove all of them, and wait until they are removed."""
        with self._lock:
            self._closed = True
            for spare in self._spares:
                self._leave(spare)
            self._spares.clear()
        self._pool.shutdown(wait=True)

    def _room(self) -> int:
        """Return how many more spares fit besides the sandboxes of gradings."""
        most = sandboxes_at_a_time(self._machine, self._largest_bytes) - self._pace.jobs
        return most - len(self._spares) - self._leaving

    def _make(self, spec: SandboxSpec) -> None:
        spec = replace(spec, lifetime_seconds=self._longest_seconds + IDLE_SECONDS)
        # After a failure to start one, try only one at a time.
        most = 1 if self._failures else min(self._pace.jobs, max(1, self._machine.processors))
        wanted = 0 if self._exclusive.is_held_alone else min(most, self._waiting()) - len(self._spares)
        for _ in range(min(wanted, self._room())):
            until = time.monotonic() + spec.lifetime_seconds
            self._exclusive.join()
            self._spares.append(_Spare(spec, until, self._pool.submit(self._open, spec)))

    def _open(self, spec: SandboxSpec) -> Sandbox:
        try:
            return Sandbox(self._engine, spec, read=read).__enter__()
        finally:
            self._exclusive.leave()

    def _opened(self, spare: _Spare) -> Sandbox | None:
        try:
            sandbox = spare.sandbox.result()
        except (SandboxError, OSError):
            self._failures += 1
            return None
        self._failures = 0
        return sandbox

    def _leave(self, spare: _Spare) -> None:
        def close() -> None:
            if sandbox := self._opened(spare):
                sandbox.close()

        if spare.sandbox.cancel():
            # Nothing has started to make it.
            self._exclusive.leave()
        else:
            self._leaving += 1
            self._exclusive.join()
            self._pool.submit(self._remove, close)

    def _remove(self, close: Callable[[], None]) -> None:
        try:
            close()
        finally:
            with self._lock:
                self._leaving -= 1
            self._exclusive.leave()


def _alike(one: SandboxSpec, other: SandboxSpec) -> bool:
    return replace(one, lifetime_seconds=other.lifetime_seconds) == other
