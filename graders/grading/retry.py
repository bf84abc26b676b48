"""The sandboxes of gradings and targets: opened with patience, known to whoever stops a run, and always removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from graders.grading.execute import INTERRUPTED, Settings
from graders.model.events import AskedAgain
from graders.model.tree import read
from sandbox.engines.engine import Engine
from sandbox.errors import EngineUnavailable, SandboxLost
from sandbox.session import Sandbox
from sandbox.types import SandboxSpec

T = TypeVar("T")

OPEN_ATTEMPTS = 3
# An engine that is being restarted is back by then. Without this, every case meanwhile would be an error in a moment;
# with an engine that has been away for longer, it is.
AWAY_SECONDS = (1.0, 2.0, 4.0, 8.0)
# How much longer than what is done in it a sandbox may live: for laying out files, for ending the last command, and for
# its removal. As many times longer as the sandbox is slower than one with a whole processor.
LIFETIME_GRACE_SECONDS = 150.0


@contextmanager
def opened(engine: Engine, spec: SandboxSpec, settings: Settings) -> Iterator[Sandbox]:
    """Open a sandbox, again if it is lost before any command ran in it, or if the engine is away for a while.

    Raises:
        SandboxError: If it cannot be opened, or the run is stopped.
    """
    sandbox = when_there(lambda: _open(engine, spec, settings), settings)
    settings.live[id(sandbox)] = sandbox
    try:
        if settings.stop.is_set():
            # Whoever stopped the run may have killed what was open before this was.
            raise SandboxLost(INTERRUPTED)
        yield sandbox
    finally:
        settings.live.pop(id(sandbox), None)
        sandbox.close()


def when_there(ask: Callable[[], T], settings: Settings) -> T:
    """Ask an engine for something that may be asked for again, until it answers or has been away for long."""
    for seconds in (*AWAY_SECONDS, 0.0):
        try:
            answer = ask()
        except EngineUnavailable as error:
            if settings.outage.goes_on() >= sum(AWAY_SECONDS) or not seconds:
                raise
            settings.emit(AskedAgain(error.message, seconds))
        else:
            settings.outage.is_over()
            return answer
        if settings.stop.wait(seconds):
            break
    return ask()


def _open(engine: Engine, spec: SandboxSpec, settings: Settings) -> Sandbox:
    attempt = 1
    while True:
        sandbox = Sandbox(engine, spec, read=read)
        try:
            return sandbox.__enter__()
        except SandboxLost as error:
            if attempt == OPEN_ATTEMPTS:
                raise
            settings.emit(AskedAgain(error.message, 0.5 * attempt))
            if settings.stop.wait(0.5 * attempt):
                raise
            attempt += 1
