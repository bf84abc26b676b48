"""Sandboxes of gradings and targets: open_sandbox with retries, listed while they are open, and always removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from gradebox.graders.grading.cancellation import INTERRUPTED
from gradebox.graders.grading.many.descriptors import ran_out
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.events import EngineRetried
from gradebox.graders.model.tree import read
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import EngineUnavailable, SandboxLost
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import SandboxSpec

T = TypeVar("T")

OPEN_ATTEMPTS = 3
# An engine that is being restarted is back by then. Without this, every case meanwhile would be an error in a moment;
# with an engine that has been away for longer, it is.
AWAY_SECONDS = (1.0, 2.0, 4.0, 8.0)


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
