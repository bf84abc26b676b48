"""Since when an engine has not answered, for all who ask it in one run."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class Outage:
    """An engine's absence, if there is one. Whoever asks the engine says how that went.

    Without this everybody would wait for an engine anew, and a run of thousands whose engine is gone for good would
    take days to say so.
    """

    _begun: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def goes_on(self) -> float:
        """Note that the engine did not answer, and return for how many seconds it has not."""
        with self._lock:
            now = time.monotonic()
            if self._begun is None:
                self._begun = now
            return now - self._begun

    def is_over(self) -> None:
        """Note that the engine answered."""
        with self._lock:
            self._begun = None
