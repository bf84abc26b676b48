"""What a suite shares with its cases, and the merging of the two: the case wins, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from graders.model.case import (
    DEFAULT_COMMAND_SECONDS,
    DEFAULT_THRESHOLD,
    DEFAULT_TIMEOUT_SECONDS,
    Hook,
    Message,
)
from graders.checks.base import Check
from graders.cases.documents import ExecutionEntry, LimitsEntry
from sandbox.types import Limits, Network


@dataclass(frozen=True, slots=True)
class Limiting:
    """What `limits` and `execution` say, from the suite down to the case.

    Attributes:
        limits: What the sandbox may use.
        output_bytes: What a command may print to one stream.
        command_seconds: Default deadline of a command.
        timeout_seconds: Deadline of the whole case.
        threshold: The score at which the case passes.
    """

    limits: Limits = field(default_factory=Limits)
    output_bytes: int = 64 * 1024 * 1024
    command_seconds: float = DEFAULT_COMMAND_SECONDS
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    threshold: float = DEFAULT_THRESHOLD

    def narrowed(self, limits: LimitsEntry | None, execution: ExecutionEntry | None) -> Limiting:
        """Return this with what a file says laid over it."""
        limiting = self
        if limits is not None:
            limiting = replace(
                limiting,
                limits=_limits(limiting.limits, limits),
                output_bytes=limits.output or limiting.output_bytes,
                command_seconds=limits.command_timeout_seconds or limiting.command_seconds,
            )
        if execution is not None:
            limiting = replace(
                limiting,
                timeout_seconds=execution.timeout_seconds or limiting.timeout_seconds,
                threshold=limiting.threshold if execution.threshold is None else execution.threshold,
            )
        return limiting


@dataclass(frozen=True, slots=True)
class Target:
    """Something that a case is given to.

    Attributes:
        use_target: The name of its definition, None for its own name.
    """

    name: str
    use_target: str | None = None
    hooks: tuple[Hook, ...] = ()


@dataclass(frozen=True, slots=True)
class Shared:
    """What a case gets from its suite; the default is a case without one.

    Attributes:
        roots: Directories in which the suite's relative file names are looked up.
        input: Messages before the case's own.
        targets: Those that each case is run with, unless it names its own.
        checks: Checks after the case's own.
    """

    roots: tuple[Path, ...] = ()
    workspace: Path | None = None
    image: str | None = None
    language: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    limiting: Limiting = Limiting()
    input: tuple[Message, ...] = ()
    hooks: tuple[Hook, ...] = ()
    targets: tuple[Target, ...] = ()
    checks: tuple[Check, ...] = ()
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two mappings deeply; where both have a value that is not a mapping, `above` wins."""
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        result[key] = merged(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return result


def _limits(below: Limits, entry: LimitsEntry) -> Limits:
    disk = entry.disk or below.disk_bytes
    stated = {
        name
        for name, value in (
            ("memory_bytes", entry.memory),
            ("cpus", entry.cpus),
            ("pids", entry.pids),
            ("disk_bytes", entry.disk),
            ("network", entry.network),
        )
        if value
    }
    return replace(
        below,
        stated=below.stated | stated,
        memory_bytes=entry.memory or below.memory_bytes,
        cpus=entry.cpus or below.cpus,
        pids=entry.pids or below.pids,
        disk_bytes=disk,
        # A workspace that is larger than the default may hold a file that is.
        file_bytes=max(below.file_bytes, disk),
        network=Network(entry.network) if entry.network else below.network,
    )
