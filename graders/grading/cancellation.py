"""Which gradings are still wanted: a caller that goes away ends its own, and stopping a grader ends all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Event as Flag
from typing import TYPE_CHECKING

from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Place
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.session import Sandbox

if TYPE_CHECKING:
    from gradebox.graders.grading.many.spares import Spares

INTERRUPTED = "The run was interrupted."


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """The gradings of one call: when `stop` is set, nothing new starts; `live` are their open sandboxes.

    `spares` are sandboxes made ahead for them. An error that every submission of a case has is found once in a call,
    and looked for again in the next.
    """

    stop: Flag = field(default_factory=Flag)
    live: dict[int, Sandbox] = field(default_factory=dict)
    case_errors: dict[tuple[Place, str], str] = field(default_factory=dict)
    spares: Spares | None = None

    def applied_to(self, settings: Settings) -> Settings:
        """Return settings with which a grading belongs to this call."""
        return replace(settings, stop=self.stop, live=self.live, case_errors=self.case_errors, spares=self.spares)

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
