"""What a limit of time means. Pure.

N seconds are N seconds of processor time, for each whole processor of the sandbox. A wall limit is behind them, for
commands that wait. Time in which a busy machine did not let a command run does not count, up to a limit of patience.
"""

from __future__ import annotations

from gradebox.sandbox.types import ResourceUsage

# The wall limit, as a multiple of the limit.
_WALL = 2.0
_LEAST_PATIENCE_SECONDS, _MOST_PATIENCE_SECONDS = 60.0, 3600.0
# A machine that gives a command less than a thirtieth of its time is too busy to judge it.
_PATIENCE = 28.0


def cpu_seconds(limit_seconds: float, cpus: float) -> float:
    """Return the processor time that a limit grants in a sandbox with so many processors."""
    return limit_seconds * max(1.0, cpus)


def wall_seconds(limit_seconds: float) -> float:
    """Return the wall time that a limit grants, without the time in which others hold a command up."""
    return _WALL * limit_seconds


def patience_seconds(limit_seconds: float) -> float:
    """Return how long others may hold up what has this limit."""
    return min(max(_LEAST_PATIENCE_SECONDS, _PATIENCE * limit_seconds), _MOST_PATIENCE_SECONDS)


def longest_seconds(limit_seconds: float) -> float:
    """Return the longest wall time of what has this limit."""
    return wall_seconds(limit_seconds) + patience_seconds(limit_seconds)


def spent_seconds(usage: ResourceUsage, cpus: float) -> float:
    """Return how much of a limit a command has used up: of its processor time or of its wall time, what is more."""
    return max(usage.cpu_seconds / max(1.0, cpus), (usage.wall_seconds - usage.held_up_seconds) / _WALL)
