"""A command that runs in the background of its sandbox until it is ended, such as a server."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread

from gradebox.sandbox.deadline import Deadline
from gradebox.sandbox.errors import SandboxError, SandboxLost
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Outcome

# How long it may take to end; then its sandbox is killed.
END_SECONDS = 20.0
_AGAIN_SECONDS = 1.0


class Background:
    """One command in an open sandbox, in which nothing else may be done meanwhile.

    Args:
        sandbox: Where it runs.
        command: Started at once.
    """

    def __init__(self, sandbox: Sandbox, command: Command) -> None:
        self._sandbox = sandbox
        self._outcome: Outcome | None = None
        # A daemon: the end of the process must not wait for it, and ends it.
        self._thread = Thread(target=self._run, args=(command,), name="background", daemon=True)
        self._thread.start()

    def _run(self, command: Command) -> None:
        self._outcome = self._sandbox.run(command)

    @property
    def outcome(self) -> Outcome | None:
        """What happened to it, None while it runs."""
        return self._outcome

    def end(self) -> Outcome | None:
        """End it if it still runs, and return what happened; None if that cannot be found out. Never raises."""
        deadline = Deadline.after(END_SECONDS)
        # Before it has been started, the first request is for nothing.
        while self._outcome is None and not deadline.passed:
            with suppress(SandboxLost):
                self._sandbox.end_command()
            self._thread.join(_AGAIN_SECONDS)
        if self._outcome is None:
            with suppress(SandboxError):
                self._sandbox.kill()
            self._thread.join(END_SECONDS)
        return self._outcome
