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

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from sandbox import answers, frames, hardening, weakening
from sandbox.archive import Entry, pack, unpack
from sandbox.capture import Captures
from sandbox.deadline import Deadline
from sandbox.defences import Defence, is_on, off
from sandbox.engine import Channel, Engine, ImageInfo
from sandbox.errors import EngineRefused, ProtocolError, SandboxError, SandboxLost
from sandbox.frames import Frame, Tag, Type
from sandbox.types import (
    DEFAULT_ENV,
    HOME,
    MIB,
    SCRATCH,
    Command,
    Guarantees,
    MemoryState,
    Outcome,
    SandboxSpec,
)

READY_SECONDS = 60.0
ANSWER_SECONDS = 60.0
# What the supervisor may need beyond a command's deadline to end its processes and send what is left.
RUN_GRACE_SECONDS = 30.0
SNAPSHOT_MAX_BYTES = 1024 * MIB


class Scrubbed:
    """What a scrub removed: the first paths, and how many there were."""

    __slots__ = ("count", "paths")

    def __init__(self, paths: tuple[str, ...], count: int) -> None:
        self.paths = paths
        self.count = count


class Sandbox:
    """A throwaway container with our supervisor in it. Not thread-safe.

    Args:
        engine: Where the container lives.
        spec: What it may do.
        read: How the contents of entries that are not in memory are read.
    """

    def __init__(self, engine: Engine, spec: SandboxSpec, *, read: Callable[[Path], bytes] = Path.read_bytes) -> None:
        self._engine = engine
        self._spec = spec
        self._read = read
        self._container: str | None = None
        self._channel: Channel | None = None
        self._decoder = frames.Decoder()
        self._inbox: Iterator[Frame] = iter(())
        self._next_id = 0
        self._lost = False
        self.image: ImageInfo = engine.image(spec.image)
        self.guarantees = Guarantees()
        self.gaps: tuple[str, ...] = ()

    def __enter__(self) -> Self:
        try:
            self._open()
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
        return {**weakening.environment(), **DEFAULT_ENV, **self.image.env, "HOME": HOME}

    def close(self) -> None:
        """Remove the container. Never raises: what has been graded stays graded.

        An engine that does not answer now leaves the container to the reaper, which finds it by its labels.
        """
        channel, self._channel = self._channel, None
        container, self._container = self._container, None
        if channel is not None:
            with contextlib.suppress(SandboxLost):
                channel.send(frames.encode(Type.BYE, 0), 1.0)
            channel.close()
        if container is not None:
            with contextlib.suppress(SandboxError):
                self._engine.remove(container)

    def put(self, entries: Iterable[Entry], *, uid: int = 0, protect: bool = False) -> int:
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
        self._send(Type.PUT, frames.fields([(Tag.UID, uid), (Tag.PROTECT, int(protect))]))
        for piece in _chunks(pack(entries, self._read), frames.DATA_CHUNK):
            self._send(Type.PUT_DATA, piece)
        return answers.number(self._ask(Type.PUT_END), Tag.COUNT)

    def snapshot(self) -> int:
        """Remember the workspace as it is, and return its size in bytes.

        Raises:
            WorkspaceRefused: If it is larger than SNAPSHOT_MAX_BYTES.
            SandboxLost: If the container ended.
        """
        answer = self._ask(Type.SNAPSHOT, frames.fields([(Tag.LIMIT, SNAPSHOT_MAX_BYTES)]))
        return answers.number(answer, Tag.BYTES)

    def reset(self, uid: int) -> None:
        """Lay out the remembered workspace anew for `uid`, with no process alive and nothing else left.

        Raises:
            WorkspaceRefused: If it does not fit.
            SandboxLost: If the container ended.
        """
        wanted: list[tuple[Tag, str | int]] = [(Tag.UID, uid)]
        if is_on(Defence.SCRATCH_CLEARED):
            wanted += [(Tag.HOME, HOME), *((Tag.SCRATCH, path) for path in (*SCRATCH, *self.image.volumes))]
        self._ask(Type.RESET, frames.fields(wanted))

    def scrub(self, patterns: Iterable[str], keep: Iterable[str] = (), *, paths: Iterable[str] = ()) -> Scrubbed:
        """Remove what matches a pattern with its last name component, except the paths `keep`, and remove `paths`.

        Raises:
            SandboxLost: If the container ended.
        """
        wanted = [
            *((Tag.PATTERN, pattern) for pattern in patterns),
            *((Tag.KEEP, path) for path in keep),
            *((Tag.PATH, path) for path in paths),
        ]
        answer = self._ask(Type.SCRUB, frames.fields(wanted))
        removed = tuple(os.fsdecode(value) for tag, value in answer if tag is Tag.PATH)
        return Scrubbed(removed, answers.number(answer, Tag.COUNT))

    def get(self, paths: Iterable[str], *, limit_bytes: int) -> tuple[Entry, ...]:
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

        self._ask(Type.GET, frames.fields(wanted), take)
        return unpack(bytes(archive))

    def stat(self) -> MemoryState:
        """Return the container's memory and processes as its cgroup has them.

        Raises:
            SandboxLost: If the container ended.
        """
        answer = dict(self._ask(Type.STAT))
        return MemoryState(
            memory_bytes=answers.optional(answer, Tag.MEMORY),
            memory_peak_bytes=answers.optional(answer, Tag.MEMORY_PEAK),
            oom_kills=answers.optional(answer, Tag.OOM),
            pids=answers.optional(answer, Tag.PIDS),
        )

    def disconnect(self) -> None:
        """Take the sandbox off its network for good, between two commands.

        Raises:
            SandboxError: If the engine refuses, or an interface is still there.
            SandboxLost: If the container ended.
        """
        if self._container is None:
            raise SandboxLost("The sandbox is closed.")
        self._engine.disconnect(self._container)
        left = answers.interfaces(self._ask(Type.STAT))
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
        deadline = Deadline.after(command.wall_seconds + RUN_GRACE_SECONDS)
        try:
            for start in range(0, len(command.stdin), frames.DATA_CHUNK):
                self._ask(Type.STDIN, command.stdin[start : start + frames.DATA_CHUNK])
            answer = self._ask(
                Type.RUN,
                answers.run_fields(*weakening.run(command, self._spec), own_kernel=self.guarantees.own_kernel),
                answers.head_taker(captures),
                deadline,
            )
            return answers.outcome(command, answer, captures)
        except (SandboxLost, ProtocolError) as error:
            self._lost = True
            return answers.lost(captures, str(error), out_of_memory=self._out_of_memory())

    @property
    def lost(self) -> bool:
        """Whether a command has taken the whole sandbox with it, so that nothing more can be asked of it."""
        return self._lost

    def kill(self) -> None:
        """Kill the container: what is running in it ends as ``sandbox_lost``. May be called from another thread."""
        if self._container is not None:
            self._engine.kill(self._container)

    # Opening

    def _open(self) -> None:
        try:
            self._start()
        except (EngineRefused, SandboxLost) as error:
            # Either the engine could not execute the supervisor, or it ended before it spoke: is it whole?
            if self._container is None or not self._engine.repair(self._container, self.image):
                raise SandboxLost(f"The sandbox did not start: {error}") from error
            self.close()
            self._start()
        self.gaps = hardening.gaps(self.guarantees, self._spec)
        broken = () if off() else hardening.broken_promises(self.guarantees, self._spec)
        if broken:
            raise SandboxError(
                f"The engine does not enforce what was asked. {' '.join(broken)}",
                remedy="`grade doctor` says what this engine enforces.",
            )

    def _start(self) -> None:
        self._decoder = frames.Decoder()
        self._inbox = iter(())
        self._container = self._engine.create(self._spec, self.image)
        self._channel = self._engine.attach(self._container)
        self._engine.start(self._container)
        ready = self._receive(Deadline.after(READY_SECONDS))
        if ready.type is not Type.READY:
            raise ProtocolError(f"The supervisor began with {ready.type.name} instead of READY.")
        self.guarantees = answers.guarantees(frames.parse_fields(ready.payload))

    # Turns

    def _send(self, type_: Type, payload: bytes) -> int:
        if self._channel is None:
            raise SandboxLost("The sandbox is closed.")
        self._next_id = (self._next_id + 1) & 0xFFFFFFFF
        self._channel.send(frames.encode(type_, self._next_id, payload), ANSWER_SECONDS)
        return self._next_id

    def _ask(
        self,
        type_: Type,
        payload: bytes = b"",
        take: Callable[[Frame], None] | None = None,
        deadline: Deadline | None = None,
    ) -> list[tuple[Tag, bytes]]:
        """Send a request and return the fields of its answer; frames before the answer go to `take`."""
        wanted = self._send(type_, payload)
        deadline = deadline or Deadline.after(ANSWER_SECONDS)
        while True:
            frame = self._receive(deadline)
            if frame.type is Type.ERR:
                raise answers.refusal(frame)
            if frame.id != wanted:
                raise ProtocolError(f"The supervisor answered request {frame.id} instead of {wanted}.")
            if frame.type in (Type.OK, Type.DONE):
                return frames.parse_fields(frame.payload)
            if take is None:
                raise ProtocolError(f"The supervisor answered {type_.name} with {frame.type.name}.")
            take(frame)

    def _receive(self, deadline: Deadline) -> Frame:
        while True:
            for frame in self._inbox:
                return frame
            if self._channel is None:
                raise SandboxLost("The sandbox is closed.")
            try:
                data = self._channel.receive(deadline.remaining_seconds())
            except TimeoutError:
                raise SandboxLost("The supervisor did not answer in time.") from None
            if not data:
                raise SandboxLost(self._why_lost())
            self._inbox = self._decoder.feed(data)

    def _out_of_memory(self) -> bool:
        """Say whether the kernel killed our container for lack of memory, which only the candidate can use up."""
        try:
            state = self._engine.state(self._container) if self._container is not None else None
        except SandboxError:
            return False
        return state is not None and not state.running and state.oom_killed

    def _why_lost(self) -> str:
        said = self._channel.said() if self._channel is not None else ""
        state = self._engine.state(self._container) if self._container is not None else None
        if state is None:
            why = "The container of the sandbox was removed."
        elif state.oom_killed:
            why = "The container of the sandbox ran out of memory."
        else:
            why = f"The container of the sandbox ended with exit status {state.exit_code}."
        return " ".join(
            part for part in (why, state.error if state else "", said and f"Its last words: {said}") if part
        )


def _chunks(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Yield the same bytes in pieces of `size`, the last one shorter."""
    buffer = bytearray()
    for piece in pieces:
        buffer += piece
        while len(buffer) >= size:
            yield bytes(buffer[:size])
            del buffer[:size]
    if buffer:
        yield bytes(buffer)
