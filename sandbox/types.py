"""The data types of the sandbox: a throwaway container, a command, and the command's outcome. Read this file first.

All types are frozen. Sizes are in bytes, times in seconds. Nothing here depends on Docker, cases or weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType

from gradebox.sandbox.limits import KIB, MIB, Limits
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.users import FIRST_UID
from gradebox.sandbox.walls import Wall

WORKSPACE = "/workspace"
SCRATCH = ("/tmp", "/dev/shm", "/dev/mqueue")  # noqa: S108 - paths inside the container
HOME = "/tmp/home"  # noqa: S108 - a path inside the container

CANDIDATE_DIRECTORY = "/.candidate"
"""The directory in which graders find the program `candidate`."""
REPORT_VARIABLE = "GRADEBOX_REPORT"
"""The grader's variable with the path of its check's report, into which nothing of the candidate's is written."""
CANDIDATE_TMPDIR = "/tmp/candidate"  # noqa: S108 - a path inside the container
GRADER_HOME = "/tmp/grader"  # noqa: S108 - a path inside the container
GRADER_TMPDIR = f"{GRADER_HOME}-tmp"

DEFAULT_ENV: Mapping[str, str] = MappingProxyType({
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": HOME, "TMPDIR": "/tmp",  # noqa: S108 - a path inside the container
    # Make output reproducible: Python's sets get one fixed order, and clocks show UTC.
    "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0",
})  # fmt: skip


class Ending(StrEnum):
    """How a command ended."""

    # The command itself ended.
    EXITED = "exited"
    SIGNALLED = "signalled"
    # A limit ended it.
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_LIMIT = "output_limit"
    # The command never ran: its program is missing or not executable.
    NOT_STARTED = "not_started"
    # Other processes kept the processors busy, so the command could not run.
    STARVED = "starved"
    # Unknown: the container or its channel is gone.
    SANDBOX_LOST = "sandbox_lost"


class Filter(StrEnum):
    """Which system calls the supervisor denies to commands (``supervisor/filter.c``)."""

    # Reported if the kernel accepts no filter; never requested.
    NONE = "none"
    DEFAULT = "default"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """One throwaway container.

    Attributes:
        image: Reference or id of the image.
        limits: Resource limits.
        lifetime_seconds: When the supervisor ends the sandbox by itself, in case the host is lost.
        runtime, filter: OCI runtime (None: the engine's default), and which system calls its commands are denied.
        masked, labels: Paths of ``/proc`` and ``/sys`` that the engine hides, and labels, besides the usual ones.
        apart: Whether commands can be graders (`Candidates`).
        hidden, accepted: Paths of this machine that commands must not see, and walls that the sandbox may lack.
        hosts: Further host names for loopback, under which commands reach services.
        beside: The container whose network namespace the sandbox shares; empty for a namespace of its own.
    """

    image: str
    limits: Limits = field(default_factory=Limits)
    lifetime_seconds: float = 3600.0
    runtime: str | None = None
    filter: Filter = Filter.DEFAULT
    masked: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    apart: bool = False
    hidden: tuple[str, ...] = ()
    accepted: frozenset[Wall] = frozenset()
    hosts: tuple[str, ...] = ()
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidate's users, as whom a grader starts processes with the program `candidate`.

    Attributes:
        first_uid: The first of `users.CANDIDATES` uids, and the group of them all.
        env: Variables that override the grader's environment for these processes.
        own_stdout: Whether only the grader may use its stdout; a candidate's stdout then goes to the grader's stderr.
    """

    first_uid: int
    env: Mapping[str, str] = field(default_factory=lambda: {"HOME": HOME, "TMPDIR": CANDIDATE_TMPDIR})
    own_stdout: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """One process to run in a sandbox.

    Attributes:
        argv: Program and arguments; the program is looked up in PATH of `env` when it has no slash.
        cwd: Working directory, absolute.
        env: Its whole environment.
        stdin: Its input, followed by end of file.
        uid: The unprivileged user and group that it runs as.
        input_file: Whether stdin is a file that cannot be written, and no pipe: never with a secret.
        wall_seconds: Wall time after which it is killed.
        cpu_seconds: Processor time of all its processes after which it is killed; None for no limit.
        patience_seconds: How long others may keep the processors from it without counting against `wall_seconds`. If
            they do so for longer, it ends as ``starved``.
        output_bytes: How much it may print to one stream before it is killed.
        capture_bytes: How much of one stream is kept: half from its start, half from its end.
        report: Whether descriptor 3 is open as a third captured stream, for runners that report separately.
        shielded: Whether other processes of its user are kept from tracing it and from its memory and descriptors.
        candidates: The users whose processes it judges, if it is a grader. Its sandbox must be `apart`.
        forks: Whether its program can be a fork server, which is loaded once for consecutive commands.
    """

    argv: tuple[str, ...]
    cwd: str = WORKSPACE
    env: Mapping[str, str] = field(default_factory=lambda: DEFAULT_ENV)
    stdin: bytes = b""
    uid: int = FIRST_UID
    wall_seconds: float = 60.0
    cpu_seconds: float | None = None
    patience_seconds: float = 0.0
    output_bytes: int = 64 * MIB
    capture_bytes: int = 256 * KIB
    report: bool = False
    shielded: bool = False
    candidates: Candidates | None = None
    forks: bool = False
    input_file: bool = False


@dataclass(frozen=True, slots=True)
class Capture:
    """What a command wrote to one stream.

    Attributes:
        head, tail: The first bytes that were kept, and the last ones after them.
        total_bytes: How many bytes the command wrote and the supervisor read.
        sha256: Hexadecimal digest of all these bytes.
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
        """Return the kept bytes, with a line in place of the omitted ones."""
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
        cpu_seconds: Processor time of all processes, from the cgroup; without one, `user_seconds + system_seconds`.
        held_up_seconds: How long others kept the processors from it.
        peak_rss_bytes: Largest resident set of a single process.
        memory_bytes: Memory of the container after the command, None if the cgroup cannot be read.
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
    cpu_seconds: float = 0.0
    held_up_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to one command.

    Attributes:
        ending: How it ended.
        exit_code, signal: Its exit status if it exited by itself; the signal that ended it; None otherwise.
        stdout, stderr, report: What it wrote to each stream.
        usage: Resources it used.
        detail: A sentence that explains the ending, if one is needed.
        replaced: Protected files that it removed or replaced; a correct kernel prevents this.
        removed: Absolute paths of the candidate's names that were removed, as they led to what it cannot read.
        errno, refused: The error that prevented its start, and where: ``program``, its ``interpreter`` or ``cwd``.
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
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryState:
    """The memory of a sandbox, None where the cgroup cannot be read."""

    memory_bytes: int | None = None
    memory_peak_bytes: int | None = None
    oom_kills: int | None = None
    pids: int | None = None
