"""One throwaway container, from its creation to its removal.

    with Sandbox(engine, spec) as sandbox:
        sandbox.put(entries)
        sandbox.snapshot()
        sandbox.reset(uid)
        outcome = sandbox.run(Command(argv=("python3", "-c", "pass")))

A sandbox speaks to its supervisor in turns (``supervisor/protocol.h``). Whatever goes wrong between us and it ends as
`SandboxLost` or `ProtocolError`, and for a running command as an outcome with the ending ``sandbox_lost``; nothing
waits longer than the deadlines that it was given, and leaving the ``with`` block removes the container.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from sandbox import (
    hardening,
    loss,
    users,
)
from sandbox.archive import ArchiveEntry, pack, unpack
from sandbox.capture import Captures
from sandbox.container import Container
from sandbox.deadline import Deadline
from sandbox.engines.engine import Engine, ImageInfo
from sandbox.errors import (
    ProtocolError,
    SandboxError,
    SandboxLost,
    SandboxSilent,
    WorkspaceRefused,
)
from sandbox.linux import Errno
from sandbox.protocol import frames, messages
from sandbox.protocol.frames import Frame, Tag, Type
from sandbox.types import (
    DEFAULT_ENV,
    HOME,
    MIB,
    SCRATCH,
    Command,
    Ending,
    Guarantees,
    MemoryState,
    Outcome,
    SandboxSpec,
)

# What the supervisor may need beyond a command's deadline to end its processes and send what is left: twice as long as
# it waits for the next one to die.
RUN_GRACE_SECONDS = 40.0
SNAPSHOT_MAX_BYTES = 1024 * MIB


def _read(source: Path, most_bytes: int) -> bytes:
    with source.open("rb") as stream:
        return stream.read(most_bytes)


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What a scrub removed: the first paths, and how many there were."""

    paths: tuple[str, ...]
    count: int


class Sandbox:
    """A throwaway container with our supervisor in it. Not thread-safe.

    Args:
        engine: Where the container lives.
        spec: What it may do.
        read: How the contents of entries that are not in memory are read, and how much of them at most.
    """

    def __init__(self, engine: Engine, spec: SandboxSpec, *, read: Callable[[Path, int], bytes] = _read) -> None:
        self._spec = spec
        self._read = read
        self._lost = False
        self.image: ImageInfo = engine.image(spec.image)
        self._container = Container(engine, spec, self.image)

    def __enter__(self) -> Self:
        try:
            self._container.open()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def env(self) -> dict[str, str]:
        """The environment of a command that sets none: ours, and over it the image's."""
        return {**DEFAULT_ENV, **self.image.env, "HOME": HOME}

    @property
    def guarantees(self) -> Guarantees:
        """What the supervisor saw when it started."""
        return self._container.guarantees

    @property
    def gaps(self) -> tuple[str, ...]:
        """What was asked for and cannot be seen to be enforced, a sentence each."""
        return hardening.gaps(self.guarantees, self._spec)

    def uid(self, user: int) -> int:
        """Return the number of one of the sandbox's users, which no other sandbox of the engine has meanwhile."""
        return self._container.first_uid + user % users.USERS

    def close(self) -> None:
        """Remove the container. Never raises: what has been graded stays graded."""
        self._container.close()

    def put(self, entries: Iterable[ArchiveEntry], *, uid: int = 0, protect: bool = False) -> int:
        """Unpack entries below the workspace and return how many there were.

        Args:
            entries: Directories before what is in them.
            uid: Whom they belong to.
            protect: Make them root's and unwritable, and the directories that hold them sticky, so that no candidate
                can change, replace or remove them.

        Raises:
            WorkspaceRefused: If they do not fit, or a path is not clean.
            SandboxLost: If the container ended.
        """
        turns = self._container.turns
        turns.send(Type.PUT, frames.fields([(Tag.UID, uid), (Tag.PROTECT, int(protect))]))
        turns.send_all(Type.PUT_DATA, pack(entries, self._read))
        return messages.number(self._container.turns.ask(Type.PUT_END), Tag.COUNT)

    def snapshot(self) -> int:
        """Remember the workspace as it is, and return its size in bytes.

        Raises:
            WorkspaceRefused: If it is larger than SNAPSHOT_MAX_BYTES.
            SandboxLost: If the container ended.
        """
        answer = self._container.turns.ask(Type.SNAPSHOT, frames.fields([(Tag.LIMIT, SNAPSHOT_MAX_BYTES)]))
        return messages.number(answer, Tag.BYTES)

    def reset(self, uid: int) -> None:
        """Lay out the remembered workspace anew for `uid`, with no process alive and nothing else left.

        Raises:
            WorkspaceRefused: If it does not fit.
            SandboxLost: If the container ended.
        """
        scratch = [(Tag.SCRATCH, path) for path in (*SCRATCH, *self.image.volumes)]
        self._container.turns.ask(Type.RESET, frames.fields([(Tag.UID, uid), (Tag.HOME, HOME), *scratch]))

    def scrub(self, patterns: Iterable[str], keep: Iterable[str] = (), *, paths: Iterable[str] = ()) -> Scrubbed:
        """Remove what matches a pattern with its last name component, except the paths `keep`, and remove `paths`.

        Raises:
            WorkspaceRefused: If there are more paths to keep than can be told.
            SandboxLost: If the container ended.
        """
        named = [*((Tag.PATTERN, pattern) for pattern in patterns), *((Tag.KEEP, path) for path in keep)]
        first = frames.fields(named)
        if len(first) > frames.FRAME_MAX // 2:
            # As many files of such names as only a submission brings.
            raise WorkspaceRefused("There are too many files that are to be kept.", errno=Errno.EFBIG)
        removed: list[str] = []
        count = 0
        for payload in frames.batches(first, ((Tag.PATH, path) for path in paths)):
            answer = self._container.turns.ask(Type.SCRUB, payload)
            removed += (value.decode("utf-8", "surrogateescape") for tag, value in answer if tag is Tag.PATH)
            count += messages.number(answer, Tag.COUNT)
        return Scrubbed(tuple(removed), count)

    def get(self, paths: Iterable[str], *, limit_bytes: int) -> tuple[ArchiveEntry, ...]:
        """Return named paths of the workspace, with what is below them, contents included.

        Args:
            paths: Relative; one that is missing is left out.
            limit_bytes: How large the archive of them may be, headers included.

        Raises:
            WorkspaceRefused: If it would be larger.
            ProtocolError: If what came is not a clean archive.
            SandboxLost: If the container ended.
        """
        wanted: list[tuple[Tag, str | int]] = [*((Tag.PATH, path) for path in paths), (Tag.LIMIT, limit_bytes)]
        archive = bytearray()

        def take(frame: Frame) -> None:
            if frame.type is not Type.DATA:
                raise ProtocolError(f"The supervisor answered GET with {frame.type.name}.")
            if len(archive) + len(frame.payload) > limit_bytes:
                raise ProtocolError(f"The supervisor sent more than the {limit_bytes} bytes that were asked for.")
            archive.extend(frame.payload)

        self._container.turns.ask(Type.GET, frames.fields(wanted), take)
        return unpack(bytes(archive))

    def stat(self) -> MemoryState:
        """Return the container's memory and processes as its cgroup has them.

        Raises:
            SandboxLost: If the container ended.
        """
        answer = dict(self._container.turns.ask(Type.STAT))
        return MemoryState(
            memory_bytes=messages.optional(answer, Tag.MEMORY),
            memory_peak_bytes=messages.optional(answer, Tag.MEMORY_PEAK),
            oom_kills=messages.optional(answer, Tag.OOM),
            pids=messages.optional(answer, Tag.PIDS),
        )

    def disconnect(self) -> None:
        """Take the sandbox off its network for good, between two commands.

        Raises:
            SandboxError: If the engine refuses, or an interface is still there.
            SandboxLost: If the container ended.
        """
        self._container.disconnect()
        left = messages.interfaces(self._container.turns.ask(Type.STAT))
        if left:
            raise SandboxError(
                f"The sandbox was taken off its network and still has {', '.join(left)}.",
                remedy="Use an engine and a runtime that can do this (gVisor cannot), or prepare an image instead.",
            )

    def run(self, command: Command) -> Outcome:
        """Run one command and return what happened, once every process of it is dead.

        Never raises for what the command does. If the sandbox is lost meanwhile, the outcome's ending says so and
        holds the output that had come.
        """
        captures = Captures(command.capture_bytes)
        started = False
        try:
            for start in range(0, len(command.stdin), frames.DATA_CHUNK):
                self._container.turns.ask(Type.STDIN, command.stdin[start : start + frames.DATA_CHUNK])
            wanted = messages.run_fields(command, self._spec, own_kernel=self.guarantees.own_kernel)
            started = True
            deadline = Deadline.after(command.wall_seconds + RUN_GRACE_SECONDS * self._spec.limits.slowness)
            answer = self._container.turns.ask(Type.RUN, wanted, messages.head_taker(captures), deadline)
            return messages.outcome(command, answer, captures)
        except (SandboxLost, ProtocolError) as error:
            self._lost = True
            silent = started and isinstance(error, SandboxSilent)
            found = loss.decide(
                str(error),
                self._container.state(patient=not silent),
                own_kernel=self.guarantees.own_kernel,
                silent=silent,
                killed=self._container.killed,
                wall_seconds=command.wall_seconds,
            )
            return messages.lost(captures, *found)

    @property
    def lost(self) -> bool:
        """Whether a command has taken the whole sandbox with it, so that nothing more can be asked of it."""
        return self._lost

    @property
    def used_up(self) -> bool:
        """Whether the container is gone for lack of memory. Between two commands, only files can take so much."""
        found = loss.decide(
            "",
            self._container.state(patient=True),
            own_kernel=self.guarantees.own_kernel,
            silent=False,
            killed=self._container.killed,
            wall_seconds=0.0,
        )
        return found.ending is Ending.OUT_OF_MEMORY

    def kill(self) -> None:
        """Kill the container: what is running in it ends as ``sandbox_lost``. May be called from another thread."""
        self._container.kill()
