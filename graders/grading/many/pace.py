"""How many gradings run at a time: as many as asked for, or as many as throughput says. Pure.

Without a number, a run begins with one for each processor. It tries more while that grades at least a tenth more in a
second, and goes back where it does not. From time to time it tries again, since cases differ.
"""

from __future__ import annotations

from threading import Lock

# What a larger number has to bring.
_GAIN = 1.1
# A settled pace that became so much slower no longer says anything about the cases of now.
_LOSS = 0.7
# How many gradings are measured, at least, and how many measurements pass before a settled pace tries again.
_LEAST_MEASURED = 8
_CALM = 8


class Pace:
    """May be used from several threads.

    Args:
        jobs: How many at first.
        most: How many at most; by default, the number never changes.

    Attributes:
        jobs: How many now.
        most: How many at most.
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
        """Let no more run at a time than this, from now on."""
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
            # Those that were running when the number changed are measured by neither.
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
