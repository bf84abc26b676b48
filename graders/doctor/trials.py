"""Attempts of programs in a sandbox to exceed its limits, and what their outcomes mean. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from graders.doctor.findings import Finding, Health, ok
from sandbox.dataclass import dataclass
from sandbox.types import MIB, SCRATCH, Command, Ending, Limits, Outcome

# Small enough to be reached within moments.
LIMITS = Limits(
    memory_bytes=128 * MIB,
    cpus=0.5,
    pids=16,
    disk_bytes=16 * MIB,
    disk_files=500,
    tmp_bytes=8 * MIB,
    shm_bytes=4 * MIB,
    open_files=64,
    file_bytes=6 * MIB,
)
_REFUSED = 7
_TMP, _SHM, *_ = SCRATCH
_SECONDS = 20.0
_DELEGATED = "An engine without root needs systemd to start it as a user service with Delegate=yes."


@dataclass(frozen=True, slots=True)
class Trial:
    """An attempt to exceed one limit.

    Attributes:
        line: A shell command; succeeds only when nothing stopped it.
        held, exceeded: The messages if the limit held, and if it did not.
        grave: Whether grading is unsafe without this limit.
        shown_by: The ending that shows that the limit held, besides a refusal. Any other ending shows nothing: on a
            slow machine, a timeout does not show that the memory limit held.
    """

    name: str
    line: str
    held: str
    exceeded: str
    grave: bool = False
    remedy: str = "Another engine or runtime may enforce it."
    wall_seconds: float = _SECONDS
    shown_by: Ending | None = None

    def command(self, env: dict[str, str], uid: int) -> Command:
        # In a subshell: some errors end a shell before it can exit with our status.
        script = f"({self.line}) > /dev/null 2>&1 && exit 0; exit {_REFUSED}"
        return Command(("sh", "-c", script), env=env, uid=uid, wall_seconds=self.wall_seconds)

    def finding(self, outcome: Outcome) -> Finding:
        """Return the finding for an outcome of the command."""
        refused = outcome.ending is Ending.EXITED and outcome.exit_code == _REFUSED
        if refused or outcome.ending is self.shown_by:
            return ok(self.name, self.held)
        if outcome.ending is Ending.EXITED and outcome.exit_code == 0:
            return Finding(self.name, Health.BROKEN if self.grave else Health.WARNING, self.exceeded, self.remedy)
        reason = outcome.detail or f"It ended with exit status {outcome.exit_code}."
        return Finding(self.name, Health.WARNING, f"This could not be tried. {reason}")


def hidden(paths: Iterable[str]) -> Trial:
    """Return the attempt to read paths that a profile hides."""
    return Trial(
        "hidden",
        f"for path in {' '.join(paths)}; do "
        'if [ -d "$path" ]; then found=$(ls -A "$path"); else found=$(head -c 64 "$path"); fi; '
        '[ -z "$found" ] || exit 0; done; exit 1',
        "The paths that the profile hides cannot be read.",
        "Paths that the profile hides can be read.",
    )


def _filling(directory: str) -> str:
    """Return a shell line that writes 32 MiB into a directory, in files below the limit of a file's size."""
    return f"for part in 1 2 3 4 5 6 7 8; do head -c 4M /dev/zero > {directory}/$part || exit 1; done"


# The last one may end the whole sandbox.
TRIALS = (
    Trial(
        "deadline",
        "sleep 30",
        "A sleeping command is killed at its deadline.",
        "A command outlived its deadline.",
        grave=True,
        wall_seconds=0.3,
        shown_by=Ending.TIMED_OUT,
    ),
    Trial(
        "processes",
        "count=0; while [ $count -lt 40 ]; do sleep 30 & count=$((count + 1)); done",
        "Only the 16 allowed processes could be started.",
        "40 processes could be started where 16 are allowed.",
        grave=True,
        remedy=f"Use an engine with the cgroup controller pids. {_DELEGATED}",
    ),
    Trial(
        "workspace",
        _filling("/workspace"),
        "The workspace does not exceed its size.",
        "The workspace exceeds its size; only the memory limit stops it.",
    ),
    Trial("tmp", _filling(_TMP), f"{_TMP} does not exceed its size.", f"{_TMP} exceeds its size."),
    Trial("shm", _filling(_SHM), f"{_SHM} does not exceed its size.", f"{_SHM} exceeds its size."),
    Trial(
        "files",
        "count=0; while [ $count -lt 1000 ]; do : > /workspace/$count || exit 1; count=$((count + 1)); done",
        "The workspace does not exceed its number of files.",
        "The number of files is not limited; only the memory limit stops it.",
    ),
    Trial(
        "file size",
        "head -c 8M /dev/zero > /workspace/large",
        "No file exceeds its size limit.",
        "A file can exceed its size limit.",
    ),
    Trial(
        "open files",
        "exec bash -c 'for number in {10..200}; do eval \"exec $number< /dev/null\" || exit 1; done'",
        "A process cannot open more files than allowed.",
        "A process can open more files than allowed.",
    ),
    Trial(
        "read-only",
        "touch /etc/gradebox || touch /usr/gradebox || touch /var/gradebox || touch /.gradebox/gradebox",
        "Nothing outside the workspace and the scratch directories can be written.",
        "A file outside the workspace could be written.",
        grave=True,
    ),
    Trial(
        "namespaces",
        "unshare --user true || unshare --mount true",
        "No command can create namespaces.",
        "A command can create namespaces and be root in them.",
        grave=True,
    ),
    Trial(
        "memory",
        "head -c 320M /dev/zero | tail",
        "A command that exceeds the memory limit is killed.",
        "A command got 320 MiB of memory where 128 MiB are allowed.",
        grave=True,
        remedy=f"Use an engine with the cgroup controller memory, without swap or with swap accounting. {_DELEGATED}",
        wall_seconds=3 * _SECONDS,
        shown_by=Ending.OUT_OF_MEMORY,
    ),
)
