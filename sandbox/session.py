"""One throwaway container, from its creation to its removal.

    with Sandbox(engine, spec) as sandbox:
        sandbox.put(entries)
        sandbox.snapshot()
        sandbox.reset(uid)
        outcome = sandbox.run(Command(argv=("python3", "-c", "pass")))

A sandbox sends its supervisor one request at a time (``supervisor/protocol.h``). A failure of the connection raises
`SandboxLost` or `ProtocolError`. While a command runs, it gives an outcome with the ending ``sandbox_lost`` instead.
No call waits longer than its deadline, and leaving the ``with`` block removes the container.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from gradebox.sandbox import ending, guarantees, users
from gradebox.sandbox.archive import ArchiveEntry, pack, unpack
from gradebox.sandbox.capture import Captures
from gradebox.sandbox.container import Container
from gradebox.sandbox.deadline import Deadline
from gradebox.sandbox.engines.engine import Engine, ImageInfo
from gradebox.sandbox.errors import ProtocolError, SandboxLost, SandboxSilent, WorkspaceRefused
from gradebox.sandbox.guarantees import Guarantees
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.linux import Errno
from gradebox.sandbox.protocol import frames, payloads
from gradebox.sandbox.protocol.frames import Frame, Tag, Type
from gradebox.sandbox.protocol.payloads import Scrubbed
from gradebox.sandbox.types import DEFAULT_ENV, HOME, SCRATCH, Command, Ending, MemoryState, Outcome, SandboxSpec

# After a deadline, time to kill processes and send their remaining output: twice the wait for one process to die.
RUN_GRACE_SECONDS = 40.0
SNAPSHOT_MAX_BYTES = 1024 * MIB


def _read(source: Path, most_bytes: int) -> bytes:
    with source.open("rb") as stream:
        return stream.read(most_bytes)


class Sandbox:
    """A throwaway container with our supervisor in it. Not thread-safe.

    Args:
        engine, spec: The engine that runs the container, and what the container may do.
        read: Reads the content of an entry that is not in memory, given its source and the maximum number of bytes.
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
        """The default environment of a command: the sandbox's, overridden by the image's."""
        return {**DEFAULT_ENV, **self.image.env, "HOME": HOME}

    @property
    def guarantees(self) -> Guarantees:
        """The properties that the supervisor read from its container when it started."""
        return self._container.guarantees

    @property
    def gaps(self) -> tuple[str, ...]:
        """The requested limits that could not be verified, one sentence each."""
        return guarantees.gaps(self.guarantees, self._spec)

    def uid(self, user: int) -> int:
        """Return the uid of one of the sandbox's users; no other running sandbox of the engine has the same uid."""
        return self._container.first_uid + user % users.USERS

    def candidate_uid(self, user: int) -> int:
        """Return the candidate's first uid when `user` is the grader."""
        return self._container.first_uid + users.first_candidate(user)

    def close(self) -> None:
        """Remove the container. Never raises, so that a verdict is not lost to its cleanup."""
        self._container.close()

    def put(self, entries: Iterable[ArchiveEntry], *, uid: int = 0, protect: bool = False, grader: int = 0) -> int:
        """Unpack entries below the workspace and return how many there were.

        Args:
            entries: Files and directories, each directory before its contents.
            uid: The owner of the entries.
            protect: Whether root owns the entries, unwritable and in sticky directories, so that no candidate can
                change, replace or remove them.
            grader: The only uid that can read protected entries; 0 if everybody can.

        Raises:
            WorkspaceRefused: If they do not fit, or a path is invalid.
            SandboxLost: If the container ended.
        """
        supervisor = self._container.supervisor
        supervisor.send(Type.PUT, frames.fields([(Tag.UID, uid), (Tag.PROTECT, int(protect)), (Tag.GRADER, grader)]))
        supervisor.send_all(Type.PUT_DATA, pack(entries, self._read))
        return payloads.number(self._container.supervisor.request(Type.PUT_END), Tag.COUNT)

    def snapshot(self, *, built: bool = False) -> int:
        """Save the state of the workspace and return its size in bytes. A `built` state is saved beside the other one.

        Raises:
            WorkspaceRefused: If the workspace is larger than SNAPSHOT_MAX_BYTES.
            SandboxLost: If the container ended.
        """
        fields = frames.fields([(Tag.LIMIT, SNAPSHOT_MAX_BYTES), (Tag.SLOT, int(built))])
        return payloads.number(self._container.supervisor.request(Type.SNAPSHOT, fields), Tag.BYTES)

    def reset(self, uid: int, *, grader: int = 0, closed: Iterable[str] = (), built: bool = False) -> None:
        """Restore the saved workspace for `uid`, after killing every process and emptying every scratch directory.

        Args:
            uid: The user; with a grader, the candidate's first uid.
            grader: The uid of the grader, which gets a home of its own; 0 if there is none.
            closed: Paths below HOME that become empty and unwritable; directories end with a slash.
            built: Whether to restore the state that `snapshot(built=True)` saved.

        Raises:
            WorkspaceRefused: If the saved state does not fit.
            SandboxLost: If the container ended.
        """
        fields = [*payloads.reset_fields(uid, grader), (Tag.SLOT, int(built))]
        fields += [(Tag.SCRATCH, path) for path in (*SCRATCH, *self.image.volumes)]
        fields += [(Tag.PATH, path) for path in closed]
        self._container.supervisor.request(Type.RESET, frames.fields(fields))

    def scrub(self, patterns: Iterable[str], keep: Iterable[str] = (), *, paths: Iterable[str] = ()) -> Scrubbed:
        """Remove `paths` and all entries whose file name matches a pattern, except the paths in `keep`.

        Raises:
            WorkspaceRefused: If there are more paths to keep than fit into a request.
            SandboxLost: If the container ended.
        """
        named = [*((Tag.PATTERN, pattern) for pattern in patterns), *((Tag.KEEP, path) for path in keep)]
        first = frames.fields(named)
        if len(first) > frames.FRAME_MAX // 2:
            # Only a hostile submission has so many matching files.
            raise WorkspaceRefused("Too many files of the workspace have to be kept.", errno=Errno.EFBIG)
        removed: list[str] = []
        count = 0
        for payload in frames.batches(first, ((Tag.PATH, path) for path in paths)):
            answer = self._container.supervisor.request(Type.SCRUB, payload)
            removed += (value.decode("utf-8", "surrogateescape") for tag, value in answer if tag is Tag.PATH)
            count += payloads.number(answer, Tag.COUNT)
        return Scrubbed(tuple(removed), count)

    def get(self, paths: Iterable[str], *, limit_bytes: int, grader: int = 0) -> tuple[ArchiveEntry, ...]:
        """Return entries of the workspace with everything below them, contents included.

        Args:
            paths: Relative paths; missing ones are left out.
            limit_bytes: The maximum size of their archive, headers included.
            grader: The uid that must own all files; 0 if any user may own them.

        Raises:
            WorkspaceRefused: If the archive would be larger, or another user owns a file.
            ProtocolError, SandboxLost: If the answer is not a valid archive, or the container ended.
        """
        wanted: list[tuple[Tag, str | int]] = [(Tag.LIMIT, limit_bytes), (Tag.GRADER, grader)]
        wanted += ((Tag.PATH, path) for path in paths)
        archive = bytearray()

        def take(frame: Frame) -> None:
            if frame.type is not Type.DATA:
                raise ProtocolError(f"The supervisor answered GET with {frame.type.name}.")
            if len(archive) + len(frame.payload) > limit_bytes:
                raise ProtocolError(f"The supervisor sent more than the {limit_bytes} bytes requested.")
            archive.extend(frame.payload)

        self._container.supervisor.request(Type.GET, frames.fields(wanted), take)
        return unpack(bytes(archive))

    def stat(self) -> MemoryState:
        """Return the container's memory use and number of processes, from its cgroup.

        Raises:
            SandboxLost: If the container ended.
        """
        answer = dict(self._container.supervisor.request(Type.STAT))
        return MemoryState(
            memory_bytes=payloads.optional(answer, Tag.MEMORY),
            memory_peak_bytes=payloads.optional(answer, Tag.MEMORY_PEAK),
            oom_kills=payloads.optional(answer, Tag.OOM),
            pids=payloads.optional(answer, Tag.PIDS),
        )

    def queue(self) -> float | None:
        """Return the machine's number of runnable processes per processor; None if it is not known.

        Raises:
            SandboxLost: If the container ended.
        """
        answer = dict(self._container.supervisor.request(Type.STAT))
        runnable, processors = (payloads.optional(answer, tag) for tag in (Tag.RUNNABLE, Tag.PROCESSORS))
        return None if runnable is None or not processors else runnable / processors

    def disconnect(self) -> None:
        """Disconnect the sandbox from its network for good, between two commands. Raises as `Container.disconnect`."""
        self._container.disconnect()

    def run(self, command: Command) -> Outcome:
        """Run one command and return its outcome once all its processes are dead.

        Nothing that the command does raises an exception. If the sandbox is lost, the outcome's ending says so, and the
        outcome has the output received so far.
        """
        captures = Captures(command.capture_bytes)
        started = False
        # A sandbox with its own kernel cannot measure how busy the machine's processors are, so it gets no patience.
        patience = 0.0 if self.guarantees.own_kernel else command.patience_seconds
        most_seconds = command.wall_seconds + patience
        try:
            for start in range(0, len(command.stdin), frames.DATA_CHUNK):
                self._container.supervisor.request(Type.STDIN, command.stdin[start : start + frames.DATA_CHUNK])
            wanted = payloads.run_fields(command, self._spec, self.guarantees)
            started = True
            grace = RUN_GRACE_SECONDS * self._spec.limits.slowness
            # During the patience the supervisor sends signs of life.
            answer = self._container.supervisor.request(
                Type.RUN,
                wanted,
                payloads.head_taker(captures),
                Deadline.after(command.wall_seconds + grace),
                Deadline.after(most_seconds + grace),
            )
            return payloads.outcome(command, answer, captures)
        except (SandboxLost, ProtocolError) as error:
            self._lost = True
            silent = started and isinstance(error, SandboxSilent)
            found = ending.decide_lost(
                str(error),
                self._container.state(patient=not silent),
                own_kernel=self.guarantees.own_kernel,
                silent=silent,
                killed=self._container.killed,
                wall_seconds=most_seconds,
            )
            return payloads.lost(captures, *found)

    def end_command(self) -> None:
        """End the running command as its deadline would. Call this from another thread than `run`."""
        self._container.supervisor.send(Type.KILL, b"")

    def probe(self, port: int, request: str = "", *, seconds: float = 1.0) -> str | None:
        """Connect to a port of loopback, send a request, and return the first line of the reply; None if that fails.

        Raises:
            SandboxLost: If the container ended.
        """
        wanted: dict[Tag, str | int] = {Tag.PORT: port, Tag.WALL_US: round(seconds * 1e6), Tag.ARG: request}
        answer = dict(self._container.supervisor.request(Type.PROBE, frames.fields(wanted.items())))
        return None if payloads.optional(answer, Tag.ERRNO) else answer[Tag.HEAD].decode("latin-1")

    @property
    def container(self) -> str:
        """The id of the container, empty if it is not open."""
        return self._container.id or ""

    @property
    def lost(self) -> bool:
        """Whether a command has ended the whole sandbox, so that no other command can run."""
        return self._lost

    @property
    def used_up(self) -> bool:
        """Whether the container ended for lack of memory. Between two commands, only files can use that much."""
        found = ending.decide_lost(
            "",
            self._container.state(patient=True),
            own_kernel=self.guarantees.own_kernel,
            silent=False,
            killed=self._container.killed,
            wall_seconds=0.0,
        )
        return found.ending is Ending.OUT_OF_MEMORY

    def kill(self) -> None:
        """Kill the container; a running command ends as ``sandbox_lost``. Any thread may call this."""
        self._container.kill()
