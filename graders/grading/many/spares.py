"""Sandboxes of one call that are started before they are needed, and removed behind the gradings that used them.

While one case is graded, the engine starts the sandbox of the next: of the same image, limits and profile as the last
one that was needed. Each is used once or never. One that does not fit, has ended or waited for too long is removed, and
a sandbox is then opened in the ordinary way, as it is where none was made. What fails here is no error of a grading.
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

# How much longer one may live than it was needed for, so that it may wait meanwhile.
IDLE_SECONDS = 300.0
_THREADS = 64


class _Spare(NamedTuple):
    spec: SandboxSpec
    until: float
    sandbox: Future[Sandbox]

    def fits(self, spec: SandboxSpec) -> bool:
        """Return whether it is what a grading needs, for as long as that needs it."""
        return _alike(self.spec, spec) and time.monotonic() + spec.lifetime_seconds <= self.until


class Spares:
    """May be used from several threads.

    Args:
        engine: Where they are made.
        machine: Of the engine. All sandboxes of the call have to fit into its memory; if that is unknown, none is made.
            One for each processor is made ahead at most.
        pace: How many gradings run at a time; each has a sandbox besides these. It learns when one has ended.
        waiting: Returns how many gradings have not begun.
        exclusive: Nothing is made or removed behind a grading that has it alone.
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
        # Those that are being removed, and how many of those that were made last could not be started.
        self._leaving = self._failures = 0
        self._closed = False
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="sandboxes")

    def take(self, spec: SandboxSpec) -> Sandbox | None:
        """Return a sandbox for a spec that nobody has used, None if there is none; and start the next ones."""
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
            # Where every case needs another one, those of the last would only be removed.
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
            # It has ended: the engine was started anew, for instance.
            pass
        self._remove_behind(sandbox)
        return None

    def remove(self, sandbox: Sandbox) -> None:
        """Remove the sandbox of a grading that has ended: behind, unless too many are there already."""
        self._pace.note(time.monotonic())
        self._remove_behind(sandbox)

    def shrink(self) -> None:
        """Let half as many gradings run at a time, and make none ahead for now: this process cannot hold so many."""
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
        """Remove all of them and wait for that; none is made any more."""
        with self._lock:
            self._closed = True
            for spare in self._spares:
                self._leave(spare)
            self._spares.clear()
        self._pool.shutdown(wait=True)

    def _room(self) -> int:
        """Return how many more sandboxes fit, besides those that gradings have."""
        most = sandboxes_at_a_time(self._machine, self._largest_bytes) - self._pace.jobs
        return most - len(self._spares) - self._leaving

    def _make(self, spec: SandboxSpec) -> None:
        spec = replace(spec, lifetime_seconds=self._longest_seconds + IDLE_SECONDS)
        # An engine that could not start the last one is not pressed.
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
            # Nobody began to make it.
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
