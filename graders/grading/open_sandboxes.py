"""Sandboxes of gradings and targets: opened with retries, listed while open, ended with their call, and removed.

If a caller cancels its call, only the gradings of that call end. Stopping a grader ends all gradings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Event as Flag
from typing import TYPE_CHECKING, TypeVar

from gradebox.graders.grading.many.descriptors import ran_out
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Place
from gradebox.graders.model.events import EngineRetried
from gradebox.graders.model.tree import read
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import EngineUnavailable, SandboxError, SandboxLost
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import SandboxSpec

if TYPE_CHECKING:
    from gradebox.graders.grading.many.leases import Leases
    from gradebox.graders.grading.many.spares import Spares

T = TypeVar("T")

INTERRUPTED = "The run was interrupted."
OPEN_ATTEMPTS = 3
# Waiting times between attempts, long enough for an engine to restart. Without them, every case during a restart would
# immediately be an error.
AWAY_SECONDS = (1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """The gradings of one call. After `stop` is set, nothing new starts; `live` are their open sandboxes.

    `spares` are sandboxes made ahead for these gradings, and `leases` the services that one grading leaves to the next.
    `case_errors` are errors that every submission of a case has; each call looks for them once.
    """

    stop: Flag = field(default_factory=Flag)
    live: dict[int, Sandbox] = field(default_factory=dict)
    case_errors: dict[tuple[Place, str], str] = field(default_factory=dict)
    spares: Spares | None = None
    leases: Leases | None = None

    def applied_to(self, settings: Settings) -> Settings:
        """Return settings that make a grading part of this call."""
        settings = replace(settings, stop=self.stop, live=self.live, case_errors=self.case_errors)
        return replace(settings, spares=self.spares, leases=self.leases)

    def cancel(self) -> None:
        """Kill running gradings and start nothing new. The verdict of a killed grading is an `error`: interrupted."""
        self.stop.set()
        for sandbox in list(self.live.values()):
            # If the engine does not answer for one sandbox, it may for the next. Each also ends at its own deadline.
            with suppress(SandboxError):
                sandbox.kill()


class Calls:
    """All open calls of a grader. May be used from several threads."""

    def __init__(self) -> None:
        self._open: set[Call] = set()
        self._stopped = Flag()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    @contextmanager
    def open(self, call: Call) -> Iterator[None]:
        """Return a context in which `cancel` also cancels this call."""
        self._open.add(call)
        try:
            if self._stopped.is_set():
                call.cancel()
            yield
        finally:
            self._open.discard(call)

    def cancel(self) -> None:
        """Cancel all open calls, and every call that is opened from now on."""
        self._stopped.set()
        for call in list(self._open):
            call.cancel()


@contextmanager
def open_sandbox(engine: Engine, spec: SandboxSpec, settings: Settings) -> Iterator[Sandbox]:
    """Open a sandbox; try again if it is lost before a command ran in it, or if the engine is away for a while.

    Uses a spare of the call if one fits. Raises SandboxError if no sandbox can be opened, or if the run is stopped.
    """
    spares = settings.spares
    sandbox = (spares and spares.take(spec)) or retry_while_away(lambda: _open(engine, spec, settings), settings)
    settings.live[id(sandbox)] = sandbox
    try:
        if settings.stop.is_set():
            # `cancel` may have killed the listed sandboxes before this one was listed.
            raise SandboxLost(INTERRUPTED)
        yield sandbox
    finally:
        settings.live.pop(id(sandbox), None)
        if spares is None:
            sandbox.close()
        else:
            spares.remove(sandbox)


def retry_while_away(request: Callable[[], T], settings: Settings) -> T:
    """Repeat a request to an engine until the engine answers or has been away for too long.

    Raises EngineUnavailable if the engine is still away after all AWAY_SECONDS.
    """
    for seconds in (*AWAY_SECONDS, 0.0):
        try:
            answer = request()
        except EngineUnavailable as error:
            if settings.spares is not None and ran_out(error):
                settings.spares.shrink()
            if settings.outage.note_failure() >= sum(AWAY_SECONDS) or not seconds:
                raise
            settings.emit(EngineRetried(error.message, seconds))
        else:
            settings.outage.note_answer()
            return answer
        if settings.stop.wait(seconds):
            break
    return request()


def _open(engine: Engine, spec: SandboxSpec, settings: Settings) -> Sandbox:
    attempt = 1
    while True:
        sandbox = Sandbox(engine, spec, read=read)
        try:
            return sandbox.__enter__()
        except SandboxLost as error:
            if attempt == OPEN_ATTEMPTS:
                raise
            settings.emit(EngineRetried(error.message, 0.5 * attempt))
            if settings.stop.wait(0.5 * attempt):
                raise
            attempt += 1
