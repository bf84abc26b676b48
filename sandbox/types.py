"""The vocabulary of the sandbox: what one throwaway container and one command are.

Read this file first. `Limits` and `SandboxSpec` say what a container may do, `Command` what is run in it, `Outcome`
what happened. All are frozen; sizes are bytes, times are seconds. Nothing here knows Docker, cases or weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from sandbox.users import FIRST_UID

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

WORKSPACE = "/workspace"
SCRATCH = ("/tmp", "/dev/shm", "/dev/mqueue")  # noqa: S108 - paths inside the container
HOME = "/tmp/home"  # noqa: S108 - a path inside the container

# Nobody waits longer than this for a sandbox with less than a tenth of a processor.
SLOWEST = 10.0

DEFAULT_ENV: Mapping[str, str] = MappingProxyType(
    {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",  # noqa: S108 - a path inside the container
    }
)


class Ending(StrEnum):
    """How a command ended. Exactly one holds."""

    # The command itself ended.
    EXITED = "exited"
    SIGNALLED = "signalled"
    # A limit ended it.
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_LIMIT = "output_limit"
    # It never ran: the program is missing or not executable.
    NOT_STARTED = "not_started"
    # We do not know: the container or its channel is gone.
    SANDBOX_LOST = "sandbox_lost"


class Network(StrEnum):
    """What a sandbox can reach. Loopback always works."""

    NONE = "none"
    # Only while the case's setup runs, before anything is judged.
    SETUP = "setup"
    BRIDGE = "bridge"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one sandbox may use.

    Files live in memory (tmpfs), so ``disk_bytes`` and ``tmp_bytes`` are spent within ``memory_bytes``.

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
        network: What can be reached.
        stated: Names of those of these that somebody set, however they compare with the default.
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
    stated: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def slowness(self) -> float:
        """How many times longer than with a whole processor our own work in the sandbox may take.

        The supervisor has no other processor time than the candidate: with a tenth of a processor, ending its processes
        and removing its files takes ten times as long, and must not look like a sandbox that no longer answers.
        """
        return 1 / min(max(self.cpus, 1 / SLOWEST), 1.0)


class Filter(StrEnum):
    """Which system calls the supervisor keeps from commands (``supervisor/filter.c``)."""

    # None: the kernel would not take a filter. Never asked for.
    NONE = "none"
    DEFAULT = "default"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """One throwaway container.

    Attributes:
        image: Reference or id of its image.
        limits: What it may use.
        lifetime_seconds: When its supervisor ends it even if nobody asks: the last line of defence against a lost host.
        runtime: OCI runtime, such as ``runsc``; None for the engine's default.
        filter: Which system calls are kept from its commands.
        masked: Paths of ``/proc`` and ``/sys`` that the engine hides beside those that it always hides.
        labels: Put on the container beside our own.
    """

    image: str
    limits: Limits = field(default_factory=Limits)
    lifetime_seconds: float = 3600.0
    runtime: str | None = None
    filter: Filter = Filter.DEFAULT
    masked: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    """One process to run in a sandbox.

    Attributes:
        argv: Program and arguments; the program is looked up in PATH of `env` when it has no slash.
        cwd: Working directory, absolute.
        env: Its whole environment.
        stdin: What it can read; then end of file.
        uid: The unprivileged user and group it runs as.
        wall_seconds: When it is killed.
        output_bytes: How much it may print to one stream before it is killed.
        capture_bytes: How much of one stream is kept: the first and the last half of this.
        report: Open descriptor 3 as a third captured stream, for runners that report apart from what is printed.
    """

    argv: tuple[str, ...]
    cwd: str = WORKSPACE
    env: Mapping[str, str] = field(default_factory=lambda: DEFAULT_ENV)
    stdin: bytes = b""
    uid: int = FIRST_UID
    wall_seconds: float = 60.0
    output_bytes: int = 64 * MIB
    capture_bytes: int = 256 * KIB
    report: bool = False


@dataclass(frozen=True, slots=True)
class Capture:
    """What a command wrote to one stream: its head and tail, and the count and hash of all of it.

    Attributes:
        head: The first bytes.
        tail: The last bytes, as far as they are not in `head`.
        total_bytes: How many bytes were written and read.
        sha256: Hexadecimal digest of these.
    """

    head: bytes = b""
    tail: bytes = b""
    total_bytes: int = 0
    sha256: str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    @property
    def omitted_bytes(self) -> int:
        """How many bytes between head and tail were not kept."""
        return self.total_bytes - len(self.head) - len(self.tail)

    @property
    def complete(self) -> bool:
        return self.omitted_bytes == 0

    def content(self) -> bytes:
        """Return all that was kept, with a line in place of what was not."""
        if self.complete:
            return self.head + self.tail
        return b"%b\n[... %d bytes omitted ...]\n%b" % (self.head, self.omitted_bytes, self.tail)

    def text(self) -> str:
        """Decode `content` as UTF-8 with replacement characters; never raises."""
        return self.content().decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """What a command used, with all its descendants.

    Attributes:
        wall_seconds: From its start until every process was dead, by the supervisor's monotonic clock.
        user_seconds, system_seconds: Processor time of all reaped processes.
        peak_rss_bytes: Largest resident set of a single process.
        memory_bytes: Memory of the container after the command, None where there is no cgroup to read.
        oom_kills: Processes killed by the kernel for lack of memory.
        pids_refused: Times a new process was refused by the pids limit.
        killed_processes: Processes still alive when the command ended, which were killed.
    """

    wall_seconds: float = 0.0
    user_seconds: float = 0.0
    system_seconds: float = 0.0
    peak_rss_bytes: int = 0
    memory_bytes: int | None = None
    oom_kills: int = 0
    pids_refused: int = 0
    killed_processes: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to one command.

    Attributes:
        ending: How it ended.
        exit_code: Its exit status if it exited by itself, else None.
        signal: The signal that ended it, if one did, else None.
        stdout, stderr, report: What it wrote.
        usage: What it used.
        detail: A sentence for people where the ending needs one.
        errno: Why it was not started, 0 otherwise.
        replaced: Protected files that it removed or replaced, which a sound kernel does not allow.
        refused: What could not be used when it was not started: ``program``, its
            ``interpreter`` or ``cwd``; empty otherwise.
    """

    ending: Ending
    exit_code: int | None = None
    signal: int | None = None
    stdout: Capture = Capture()
    stderr: Capture = Capture()
    report: Capture = Capture()
    usage: ResourceUsage = ResourceUsage()
    detail: str = ""
    errno: int = 0
    refused: str = ""
    replaced: tuple[str, ...] = ()


class TmpfsSize(NamedTuple):
    """How large a place for files is."""

    size_bytes: int
    # 0 when their number has no limit.
    files: int


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What the supervisor saw of its own container when it started: read, not assumed.

    Attributes:
        interfaces: Network interfaces other than loopback.
        seccomp: Whether a seccomp filter is active.
        no_new_privileges: Whether the flag is set.
        capabilities: Bits of the supervisor's effective capabilities.
        root_read_only: Whether the root filesystem refuses writes.
        memory_limit_bytes: The cgroup's limit, None when there is none to read.
        pids_limit: The cgroup's limit, None when there is none to read.
        swap_bytes: Swap that may be used beyond the memory limit, None when nothing tells.
        cpus: The cgroup's quota in processors, None when there is none to read.
        open_files: The supervisor's hard limit of descriptors; it sets that of commands itself.
        filter: The filter of system calls that commands get.
        tmpfs_sizes: Of the workspace and the scratch directories that are always there.
        own_kernel: Whether the sandbox has a kernel of its own, as with gVisor: then it shows no cgroup, and the limit
            of processes is that kernel's.
    """

    interfaces: tuple[str, ...] = ()
    seccomp: bool = False
    no_new_privileges: bool = False
    capabilities: int = 0
    root_read_only: bool = False
    memory_limit_bytes: int | None = None
    pids_limit: int | None = None
    swap_bytes: int | None = None
    cpus: float | None = None
    open_files: int | None = None
    filter: Filter = Filter.NONE
    tmpfs_sizes: Mapping[str, TmpfsSize] = field(default_factory=dict)
    own_kernel: bool = False


@dataclass(frozen=True, slots=True)
class MemoryState:
    """The answer to a STAT request, None where the cgroup cannot be read."""

    memory_bytes: int | None = None
    memory_peak_bytes: int | None = None
    oom_kills: int | None = None
    pids: int | None = None
