"""The limits of a case: the fields `limits` and `execution` of a case and its suite, and how they are merged.

The defaults are in `sandbox.limits` and `model.case`.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from gradebox.graders.cases.execution_documents import ExecutionEntry
from gradebox.graders.documents.entries import Entry, optional
from gradebox.graders.documents.fields import Bytes, Pids, Processors, Seconds
from gradebox.graders.model.case import DEFAULT_THRESHOLD, DEFAULT_TIMEOUT_SECONDS, Trials
from gradebox.sandbox.limits import Limits, Network
from gradebox.sandbox.records import dataclass


class LimitsEntry(Entry):
    """Resource limits of the sandbox of a case."""

    memory: Annotated[Bytes, Field(ge=6 * 1024 * 1024)] | None = optional("Memory of the whole container.")
    cpus: Processors | None = optional("Number of processors.")
    pids: Pids | None = optional("Number of processes and threads.")
    disk: Bytes | None = optional("Size of the workspace.")
    output: Bytes | None = optional("How much a command may print to one stream before it is killed.")
    command_timeout_seconds: Seconds | None = optional(
        "Limit of processor time for one command or item; its wall time may be twice as long. Default: 60, for "
        "items 10.",
        "cpu_seconds",
    )
    network: Literal["none", "setup", "bridge"] | None = optional(
        "When the network can be reached: never, while `setup` runs, or always. Loopback can always be reached."
    )


@dataclass(frozen=True, slots=True)
class Limiting:
    """The merged fields of `limits` and `execution`."""

    limits: Limits = field(default_factory=Limits)
    output_bytes: int = 64 * 1024 * 1024  # The limit for one stream of a command.
    # For a command without its own timeout; None if no file sets it.
    command_seconds: float | None = None
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    threshold: float = DEFAULT_THRESHOLD
    trials: Trials | None = None

    def narrowed(self, limits: LimitsEntry | None, execution: ExecutionEntry | None) -> Limiting:
        """Return the limits with the fields of a file in place of earlier ones."""
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
                trials=Trials(**execution.trials.model_dump()) if execution.trials else limiting.trials,
            )
        return limiting


def _limits(below: Limits, entry: LimitsEntry) -> Limits:
    written = {
        "memory_bytes": entry.memory,
        "cpus": entry.cpus,
        "pids": entry.pids,
        "disk_bytes": entry.disk,
        "network": entry.network and Network(entry.network),
    }
    stated: dict[str, Any] = {name: value for name, value in written.items() if value}
    # A workspace that may be larger than the default may also contain a file of that size.
    file_bytes = max(below.file_bytes, entry.disk or below.disk_bytes)
    return replace(below, stated=below.stated.union(stated), file_bytes=file_bytes, **stated)
