"""How many sandboxes run at a time when nobody says. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sandbox.engines.engine import EngineInfo

# What of the engine's memory sandboxes may be promised; the rest is for the engine and whatever else runs there.
_MEMORY_SHARE = 0.75


def default_jobs(engine: EngineInfo, memory_bytes: Iterable[int], workers: int | None = None) -> int:
    """Return a number of jobs that the engine's machine can carry: one a processor, as far as its memory goes.

    Args:
        engine: With the processors and memory of its machine; 0 where it does not say.
        memory_bytes: The limits of the sandboxes.
        workers: What a suite asks for in place of one a processor.
    """
    largest = max(memory_bytes, default=0)
    by_memory = int(engine.memory_bytes * _MEMORY_SHARE / largest) if largest and engine.memory_bytes else 1
    return max(1, min(workers or engine.processors or 1, by_memory))
