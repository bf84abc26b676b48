"""What a limit of time grants, and what uses it up."""

from __future__ import annotations

import pytest

from gradebox.graders.model.time_limit import (
    cpu_seconds,
    longest_seconds,
    patience_seconds,
    spent_seconds,
    wall_seconds,
)
from gradebox.sandbox.types import ResourceUsage


@pytest.mark.parametrize(("cpus", "seconds"), [(0.1, 10.0), (1.0, 10.0), (2.5, 25.0)])
def test_a_limit_is_processor_time_of_every_whole_processor(cpus: float, seconds: float) -> None:
    assert cpu_seconds(10.0, cpus) == seconds
    assert wall_seconds(10.0) == 20.0


@pytest.mark.parametrize(("limit", "seconds"), [(0.1, 60.0), (10.0, 280.0), (60.0, 1680.0), (3600.0, 3600.0)])
def test_patience_grows_with_the_limit_up_to_an_hour(limit: float, seconds: float) -> None:
    assert patience_seconds(limit) == seconds
    assert longest_seconds(limit) == 2 * limit + seconds


@pytest.mark.parametrize(
    ("usage", "cpus", "seconds"),
    [
        (ResourceUsage(wall_seconds=4.0, cpu_seconds=4.0), 1.0, 4.0),
        # Work of two processors at a time takes no more of a limit than it takes wall time.
        (ResourceUsage(wall_seconds=4.0, cpu_seconds=8.0), 2.0, 4.0),
        # Waiting takes half of it.
        (ResourceUsage(wall_seconds=4.0, cpu_seconds=0.1), 1.0, 2.0),
        # What others caused takes nothing.
        (ResourceUsage(wall_seconds=40.0, cpu_seconds=0.5, held_up_seconds=39.0), 1.0, 0.5),
    ],
)
def test_what_is_spent_is_work_or_half_of_the_waiting(usage: ResourceUsage, cpus: float, seconds: float) -> None:
    assert spent_seconds(usage, cpus) == pytest.approx(seconds)
