"""The walls between a sandbox and the machine, by the names with which users accept that they are missing. Pure.

An engine builds all of them. Only sandboxes without an engine (`engines.here`) may lack some.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Wall(StrEnum):
    """A separation of the sandbox from the machine; the members have the order of the supervisor's bits."""

    FILES = "files"
    PROCESSES = "processes"
    IPC = "ipc"
    NETWORK = "network"
    LIMITS = "limits"
    HIDDEN = "hidden"

    @classmethod
    def of(cls, bits: int) -> tuple[Wall, ...]:
        """Return the walls in the supervisor's bits."""
        return tuple(wall for place, wall in enumerate(cls) if bits >> place & 1)


_WALLS = {
    Wall.FILES: "Sandboxes share this file system: it is not read-only, everybody's files can be read, and no size of "
    "the workspace or scratch directories is enforced.",
    Wall.PROCESSES: "Submissions see the processes of this machine; theirs are found and killed by user.",
    Wall.IPC: "Submissions share the machine's System V objects and message queues.",
    Wall.NETWORK: "Submissions can use the network of this machine.",
    Wall.LIMITS: "No control group limits the sandbox: memory is limited for each process, processes for each user, "
    "and processors not at all.",
    Wall.HIDDEN: "Submissions can read the files of the case, because everybody can enter its directory.",
}


def sentences(walls: Iterable[Wall]) -> tuple[str, ...]:
    """Return the consequences of lacking these walls, one sentence each."""
    return tuple(_WALLS[wall] for wall in walls)
