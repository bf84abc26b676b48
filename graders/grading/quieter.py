"""Waits until the engine's machine is quieter, after it was too busy to judge a command."""

from __future__ import annotations

from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.events import EngineRetried
from gradebox.sandbox.session import Sandbox

# How long to wait, and the largest number of runnable processes per processor on a quiet machine.
QUIET_SECONDS = 60.0
QUIET_QUEUE = 2.0


def becomes_quieter(sandbox: Sandbox, settings: Settings) -> bool:
    """Wait until the machine of a sandbox is quieter; return whether it is.

    Raises:
        SandboxLost: If the container ended.
    """
    settings.emit(EngineRetried("The machine is too busy to judge a command.", QUIET_SECONDS))
    for _ in range(round(QUIET_SECONDS)):
        queue = sandbox.queue()
        if queue is not None and queue <= QUIET_QUEUE:
            return True
        if settings.stop.wait(1.0):
            break
    return False
