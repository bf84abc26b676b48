"""What programs in a sandbox try, to see which limits hold: data, and the reading of what came of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graders.doctor.findings import Finding, Health
from sandbox.types import (
    MIB,
    SCRATCH,
    Command,
    Ending,
    Limits,
    Outcome,
)

# Small enough to be passed within moments.
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
_DELEGATED = "One that runs without root has it when systemd starts it as its user's service, with Delegate=yes."


@dataclass(frozen=True, slots=True)
class Trial:
    """An attempt to pass one limit.

    Attributes:
        name: The limit.
        line: For a shell; succeeds only when nothing hindered it.
        held: What is said when the limit held.
        passed: What is said when it did not.
        grave: Whether nothing can be graded safely without this limit.
        remedy: What to do when it did not hold.
        wall_seconds: The deadline.
        shown_by: The ending that shows that the limit held, beside a refusal. Any other ending shows nothing: what
            runs out of time on a slow machine was not stopped by its memory.
    """

    name: str
    line: str
    held: str
    passed: str
    grave: bool = False
    remedy: str = "Another engine or runtime may enforce it."
    wall_seconds: float = _SECONDS
    shown_by: Ending | None = None

    def command(self, env: dict[str, str], uid: int) -> Command:
        """Return what is run."""
        # In a shell of its own: some errors end a shell before it could say anything.
        script = f"({self.line}) > /dev/null 2>&1 && exit 0; exit {_REFUSED}"
        return Command(("sh", "-c", script), env=env, uid=uid, wall_seconds=self.wall_seconds)

    def finding(self, outcome: Outcome) -> Finding:
        """Return what the outcome of the command means."""
        refused = outcome.ending is Ending.EXITED and outcome.exit_code == _REFUSED
        if refused or outcome.ending is self.shown_by:
            return Finding(self.name, Health.OK, self.held)
        if outcome.ending is Ending.EXITED and outcome.exit_code == 0:
            return Finding(self.name, Health.BROKEN if self.grave else Health.WARNING, self.passed, self.remedy)
        told = outcome.detail or f"It ended with exit status {outcome.exit_code}."
        return Finding(self.name, Health.WARNING, f"This could not be tried. {told}")


def hidden(paths: Iterable[str]) -> Trial:
    """Return the attempt to find something where the machine is to be hidden."""
    return Trial(
        "hidden",
        f"for path in {' '.join(paths)}; do "
        'if [ -d "$path" ]; then found=$(ls -A "$path"); else found=$(head -c 64 "$path"); fi; '
        '[ -z "$found" ] || exit 0; done; exit 1',
        "What the profile hides of the machine cannot be read.",
        "What the profile hides of the machine can be read.",
    )


def _filling(directory: str) -> str:
    """Return a line that writes 32 MiB into a directory, in files that are smaller than any may be."""
    return f"for part in 1 2 3 4 5 6 7 8; do head -c 4M /dev/zero > {directory}/$part || exit 1; done"


# The last one may take the sandbox with it.
TRIALS = (
    Trial(
        "deadline",
        "sleep 30",
        "A command that sleeps is ended at its deadline.",
        "A command outlived its deadline.",
        grave=True,
        wall_seconds=0.3,
        shown_by=Ending.TIMED_OUT,
    ),
    Trial(
        "processes",
        "count=0; while [ $count -lt 40 ]; do sleep 30 & count=$((count + 1)); done",
        "No more than the 16 processes allowed could be started.",
        "40 processes could be started where 16 are allowed.",
        grave=True,
        remedy=f"Use an engine with the cgroup controller pids. {_DELEGATED}",
    ),
    Trial(
        "workspace",
        _filling("/workspace"),
        "The workspace takes no more than its size.",
        "The workspace takes more than its size; the memory limit is all that stops it.",
    ),
    Trial("tmp", _filling(_TMP), f"{_TMP} takes no more than its size.", f"{_TMP} takes more than its size."),
    Trial("shm", _filling(_SHM), f"{_SHM} takes no more than its size.", f"{_SHM} takes more than its size."),
    Trial(
        "files",
        "count=0; while [ $count -lt 1000 ]; do : > /workspace/$count || exit 1; count=$((count + 1)); done",
        "The workspace takes no more files than allowed.",
        "The number of files is not limited; the memory limit is all that stops it.",
    ),
    Trial(
        "file size",
        "head -c 8M /dev/zero > /workspace/large",
        "No file grows beyond its limit.",
        "Files grow beyond their limit.",
    ),
    Trial(
        "open files",
        "exec bash -c 'for number in {10..200}; do eval \"exec $number< /dev/null\" || exit 1; done'",
        "A process opens no more files than allowed.",
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
        "No command can make namespaces of its own.",
        "A command can make namespaces, and be root in them.",
        grave=True,
    ),
    Trial(
        "memory",
        "head -c 320M /dev/zero | tail",
        "A command that wants more memory than allowed is ended.",
        "A command got 320 MiB of memory where 128 are allowed.",
        grave=True,
        remedy=f"Use an engine with the cgroup controller memory, without swap or with swap accounting. {_DELEGATED}",
        wall_seconds=3 * _SECONDS,
        shown_by=Ending.OUT_OF_MEMORY,
    ),
)
