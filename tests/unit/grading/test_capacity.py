"""How many sandboxes run at a time when the command line does not say."""

from __future__ import annotations

import pytest

from gradebox.graders.grading.capacity import default_jobs
from gradebox.sandbox.engines.engine import EngineInfo
from gradebox.sandbox.limits import GIB


@pytest.mark.parametrize(
    ("processors", "engine_gib", "limits_gib", "workers", "jobs"),
    [
        (4, 64, [1], None, 4),
        (4, 4, [1], None, 3),
        (4, 4, [1, 2], None, 1),
        (4, 1, [2], None, 1),
        (0, 64, [1], None, 1),
        (4, 0, [1], None, 1),
        # What a suite asks for takes the place of the processors, and not of the memory.
        (4, 64, [1], 2, 2),
        (4, 64, [1], 16, 16),
        (4, 8, [1], 16, 6),
    ],
)
def test_jobs(processors: int, engine_gib: int, limits_gib: list[int], workers: int | None, jobs: int) -> None:
    engine = EngineInfo("Engine", "1", "1.41", "x86_64", processors=processors, memory_bytes=engine_gib * GIB)
    assert default_jobs(engine, [size * GIB for size in limits_gib], workers) == jobs
