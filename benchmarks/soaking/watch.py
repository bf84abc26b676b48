"""Samples what a process of ours holds while it works, and judges whether it grows."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

# Fewer samples than this show nothing.
ENOUGH = 40
# The first part of a process's life is its growing up.
_WARM_UP = 0.1


@dataclass(frozen=True, slots=True)
class Sample:
    """What a process held at a moment."""

    seconds: float
    rss_bytes: int
    descriptors: int
    threads: int


@dataclass(frozen=True, slots=True)
class Trend:
    """How what a process holds went: medians of the first and the last quarter of its life, and the memory's slope."""

    samples: int
    peak_bytes: int
    rss_bytes: tuple[float, float]
    descriptors: tuple[float, float]
    threads: tuple[float, float]
    bytes_per_hour: float


def sample(pid: int) -> Sample | None:
    """Return what a process holds now, None if it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
        descriptors = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
        threads = sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())
    except (OSError, IndexError):
        return None
    return Sample(time.monotonic(), pages * os.sysconf("SC_PAGE_SIZE"), descriptors, threads)


def trend(samples: Sequence[Sample]) -> Trend | None:
    """Return how the samples of one process went, None if there are too few."""
    grown = samples[round(len(samples) * _WARM_UP) :]
    if len(samples) < ENOUGH:
        return None
    quarter = len(grown) // 4
    first, last = grown[:quarter], grown[-quarter:]

    def medians(name: str) -> tuple[float, float]:
        one, other = (statistics.median(getattr(found, name) for found in part) for part in (first, last))
        return one, other

    slope, _ = statistics.linear_regression([found.seconds for found in grown], [found.rss_bytes for found in grown])
    return Trend(
        samples=len(samples),
        peak_bytes=max(found.rss_bytes for found in samples),
        rss_bytes=medians("rss_bytes"),
        descriptors=medians("descriptors"),
        threads=medians("threads"),
        bytes_per_hour=slope * 3600,
    )


@dataclass(slots=True)
class Watch:
    """Samples one process after the other, from a thread of its own."""

    samples: dict[int, list[Sample]] = field(default_factory=dict)
    _pid: int | None = None
    _over: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        threading.Thread(target=self._watch, daemon=True).start()

    def follow(self, pid: int) -> None:
        self._pid = pid

    def stop(self) -> None:
        self._over.set()

    def longest(self) -> list[Sample]:
        """Return the samples of the process that lived longest."""
        return max(self.samples.values(), key=len, default=[])

    def _watch(self) -> None:
        while not self._over.wait(0.5):
            pid = self._pid
            found = sample(pid) if pid is not None else None
            if pid is not None and found is not None:
                self.samples.setdefault(pid, []).append(found)
