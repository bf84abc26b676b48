"""Sandboxes of gradings and targets: opened with retries, listed while open, ended with their call, and removed.

A caller that goes away ends its own gradings, and stopping a grader ends all of them.
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
# An engine that is being restarted is back by then. Without this, every case meanwhile would be an error in a moment;
# with an engine that has been away for longer, it is.
AWAY_SECONDS = (1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """The gradings of one call: when `stop` is set, nothing new starts; `live` are their open sandboxes.

    `spares` are sandboxes made ahead for them, and `leases` what one leaves to the next. An error that every submission
    of a case has is found once in a call, and looked for again in the next.
    """

    stop: Flag = field(default_factory=Flag)
    live: dict[int, Sandbox] = field(default_factory=dict)
    case_errors: dict[tuple[Place, str], str] = field(default_factory=dict)
    spares: Spares | None = None
    leases: Leases | None = None

    def applied_to(self, settings: Settings) -> Settings:
        """Return settings with which a grading belongs to this call."""
        settings = replace(settings, stop=self.stop, live=self.live, case_errors=self.case_errors)
        return replace(settings, spares=self.spares, leases=self.leases)

    def cancel(self) -> None:
        """Kill what runs and start nothing new. What was running is graded as interrupted, an `error`."""
        self.stop.set()
        for sandbox in list(self.live.values()):
            # An engine that does not answer for one of them may answer for the next; each ends by its own deadline.
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
        """Cancel a call together with all others for as long as this context is open."""
        self._open.add(call)
        try:
            if self._stopped.is_set():
                call.cancel()
            yield
        finally:
            self._open.discard(call)

    def cancel(self) -> None:
        """Cancel all calls, and every one that is opened from now on."""
        self._stopped.set()
        for call in list(self._open):
            call.cancel()


@contextmanager
def open_sandbox(engine: Engine, spec: SandboxSpec, settings: Settings) -> Iterator[Sandbox]:
    """Open a sandbox, again if it is lost before any command ran in it, or if the engine is away for a while.

    If the call has made one ahead, it is used. Raises SandboxError if it cannot be opened, or the run is stopped.
    """
    spares = settings.spares
    sandbox = (spares and spares.take(spec)) or retry_while_away(lambda: _open(engine, spec, settings), settings)
    settings.live[id(sandbox)] = sandbox
    try:
        if settings.stop.is_set():
            # The sandboxes that were open may have been killed before this one was listed.
            raise SandboxLost(INTERRUPTED)
        yield sandbox
    finally:
        settings.live.pop(id(sandbox), None)
        if spares is None:
            sandbox.close()
        else:
            spares.remove(sandbox)


def retry_while_away(request: Callable[[], T], settings: Settings) -> T:
    """Send an engine a request that may be repeated, until it answers or has been away for too long.

    Raises EngineUnavailable if the engine has been away for longer than AWAY_SECONDS together.
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
