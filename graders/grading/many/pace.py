"""Decides how many gradings run at a time: the requested number, or the number with the best throughput. Pure.

Without a requested number, a run starts with one grading per processor. It tries more as long as that increases the
throughput by at least a tenth; otherwise it goes back. From time to time it tries again, since cases differ.
"""

from __future__ import annotations

from threading import Lock

# How much a larger number must increase throughput.
_GAIN = 1.1
# If the throughput falls to this share, the settled number no longer fits.
_LOSS = 0.7
# The least number of gradings in a measurement, and the number of measurements before a settled pace tries again.
_LEAST_MEASURED = 8
_CALM = 8


class Pace:
    """The number of parallel gradings of a run. May be used from several threads.

    Args:
        jobs: The initial number.
        most: The largest number; by default, `jobs`.

    Attributes:
        jobs: The current number.
        most: The largest number.
    """

    def __init__(self, jobs: int, most: int | None = None) -> None:
        self.jobs = jobs
        self.most = max(jobs, most or jobs)
        self._least = self._settled = jobs
        self._rate = 0.0
        self._calm = self._rounds = 0
        self._count, self._since = 0, 0.0
        self._lock = Lock()

    def limit(self, most: int) -> None:
        """Limit the number of parallel gradings from now on."""
        with self._lock:
            self.most = min(self.most, most)
            self._least = min(self._least, most)
            self.jobs = self._settled = min(self._settled, most)
            self._count = 0

    def note(self, now: float) -> None:
        """Note that a grading has ended. `now` is in seconds on a monotonic clock."""
        if self.most == self._least:
            return
        with self._lock:
            self._count += 1
            # Gradings that were running when the number changed are not measured.
            if self._count <= self.jobs:
                self._since = now
            elif self._count >= self.jobs + max(_LEAST_MEASURED, 2 * self.jobs):
                self._decide((self._count - self.jobs) / max(now - self._since, 1e-9))

    def _decide(self, rate: float) -> None:
        self._count = 0
        self._rounds += 1
        if self.jobs == self._settled and rate < self._rate * _LOSS:
            self._settled = self.jobs = self._least
            self._rate, self._calm = 0.0, 0
        elif self.jobs == self._settled:
            self._rate = (self._rate + rate) / 2 if self._rate else rate
            if self._rounds > self._calm:
                self.jobs = min(2 * self.jobs, self.most)
        elif rate >= self._rate * _GAIN:
            self._settled, self._rate, self._calm = self.jobs, rate, 0
            self.jobs = min(2 * self.jobs, self.most)
        else:
            self.jobs = self._settled
            self._calm, self._rounds = max(_CALM, 2 * self._calm), 0
