"""Which gradings somebody waits for: who does not wait any more ends these, and whoever stops a grader ends all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Event as Flag

from graders.grading.execute import Settings
from sandbox.errors import SandboxError
from sandbox.session import Sandbox


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """The gradings of one call.

    Attributes:
        stop: When set, nothing new begins.
        live: Their sandboxes that are open.
    """

    stop: Flag = field(default_factory=Flag)
    live: dict[int, Sandbox] = field(default_factory=dict)

    def among(self, settings: Settings) -> Settings:
        """Return settings with which a grading belongs to this call."""
        return replace(settings, stop=self.stop, live=self.live)

    def end(self) -> None:
        """Kill what runs and begin nothing new. What was running is graded as interrupted, an `error`."""
        self.stop.set()
        for sandbox in list(self.live.values()):
            # An engine that does not answer about one of them may about the next; each ends by its own deadline, too.
            with suppress(SandboxError):
                sandbox.kill()


class Calls:
    """All calls of a grader that somebody waits for. May be used from several threads."""

    def __init__(self) -> None:
        self._open: set[Call] = set()
        self._stopped = Flag()

    @contextmanager
    def open(self, call: Call) -> Iterator[None]:
        """Have a call end with all others for as long as this is open."""
        self._open.add(call)
        try:
            if self._stopped.is_set():
                call.end()
            yield
        finally:
            self._open.discard(call)

    def end(self) -> None:
        """End all, and every one that begins from now on."""
        self._stopped.set()
        for call in list(self._open):
            call.end()
