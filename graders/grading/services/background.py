"""A command, such as a server, that runs in the background of its sandbox until it is ended."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread

from gradebox.sandbox.deadline import Deadline
from gradebox.sandbox.errors import SandboxError, SandboxLost
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Outcome

# How long it may take to end. After that, its sandbox is killed.
END_SECONDS = 20.0
_AGAIN_SECONDS = 1.0


class Background:
    """One command in an open sandbox, which must not be used otherwise meanwhile.

    Args:
        sandbox: The sandbox.
        command: Started immediately.
    """

    def __init__(self, sandbox: Sandbox, command: Command) -> None:
        self._sandbox = sandbox
        self._outcome: Outcome | None = None
        # A daemon thread, so that the process does not wait for it at its end.
        self._thread = Thread(target=self._run, args=(command,), name="background", daemon=True)
        self._thread.start()

    def _run(self, command: Command) -> None:
        self._outcome = self._sandbox.run(command)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the command; None while it runs."""
        return self._outcome

    def end(self) -> Outcome | None:
        """End the command if it still runs, and return its outcome; None if unknown. Never raises."""
        deadline = Deadline.after(END_SECONDS)
        # Repeated, since a request before the command has started has no effect.
        while self._outcome is None and not deadline.passed:
            with suppress(SandboxLost):
                self._sandbox.end_command()
            self._thread.join(_AGAIN_SECONDS)
        if self._outcome is None:
            with suppress(SandboxError):
                self._sandbox.kill()
            self._thread.join(END_SECONDS)
        return self._outcome
