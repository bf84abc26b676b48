"""Defines time limits. Pure.

A limit of N seconds is N seconds of processor time for each whole processor of the sandbox. A longer wall limit ends
commands that only wait. Time in which a busy machine did not run a command does not count, up to a limit of patience.
"""

from __future__ import annotations

from gradebox.sandbox.types import ResourceUsage

# The wall limit, as a multiple of the limit.
_WALL = 2.0
_LEAST_PATIENCE_SECONDS, _MOST_PATIENCE_SECONDS = 60.0, 3600.0
# A machine that gives a command less than a thirtieth of its time is too busy to judge it.
_PATIENCE = 28.0


def cpu_seconds(limit_seconds: float, cpus: float) -> float:
    """Return the processor time, in seconds, that a limit grants in a sandbox with `cpus` processors."""
    return limit_seconds * max(1.0, cpus)


def wall_seconds(limit_seconds: float) -> float:
    """Return the wall time, in seconds, that a limit grants, not counting delays caused by other processes."""
    return _WALL * limit_seconds


def patience_seconds(limit_seconds: float) -> float:
    """Return how long, in seconds, others may delay a command with this limit."""
    return min(max(_LEAST_PATIENCE_SECONDS, _PATIENCE * limit_seconds), _MOST_PATIENCE_SECONDS)


def longest_seconds(limit_seconds: float) -> float:
    """Return a command's longest wall time in seconds."""
    return wall_seconds(limit_seconds) + patience_seconds(limit_seconds)


def spent_seconds(usage: ResourceUsage, cpus: float) -> float:
    """Return how much of a limit, in seconds, a command has used: the larger of processor time and wall time."""
    return max(usage.cpu_seconds / max(1.0, cpus), (usage.wall_seconds - usage.held_up_seconds) / _WALL)
