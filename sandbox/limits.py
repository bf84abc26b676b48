"""What one sandbox may use: memory, processors, processes, files, output and network. Sizes are bytes."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from gradebox.sandbox.records import dataclass

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

# The maximum factor by which deadlines grow for a sandbox with a fraction of a processor.
SLOWEST = 10.0


class Network(StrEnum):
    """What a sandbox can reach. Loopback always works."""

    NONE = "none"
    # Only while the case's setup runs, before anything is judged.
    SETUP = "setup"
    BRIDGE = "bridge"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one sandbox may use.

    Files live in memory (tmpfs), so they count towards ``memory_bytes``.

    Attributes:
        memory_bytes: Memory of the whole container, swap included.
        cpus: Processor time per second of wall time, in processors.
        pids: Processes and threads.
        disk_bytes: Size of the workspace.
        disk_files: Files, directories and links in the workspace.
        tmp_bytes: Size of ``/tmp``.
        shm_bytes: Size of ``/dev/shm``.
        open_files: Open descriptors per process.
        file_bytes: Largest file a process may write.
        network: Which networks can be reached.
        processors: How many processors processes may run on and see; 0 for all.
        stated: Names of the limits that were set explicitly, even to the default.
    """

    memory_bytes: int = 1 * GIB
    cpus: float = 1.0
    pids: int = 256
    disk_bytes: int = 256 * MIB
    disk_files: int = 100_000
    tmp_bytes: int = 128 * MIB
    shm_bytes: int = 64 * MIB
    open_files: int = 1024
    file_bytes: int = 256 * MIB
    network: Network = Network.NONE
    processors: int = 0
    stated: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def slowness(self) -> float:
        """How many times longer than with a whole processor the supervisor's own work may take.

        The supervisor shares the candidate's processor time. With a tenth of a processor, killing processes and
        removing files takes ten times as long, and must not look like a sandbox that no longer answers.
        """
        return 1 / min(max(self.cpus, 1 / SLOWEST), 1.0)
