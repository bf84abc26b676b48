"""A supervisor in memory for tests: real frames, a scripted command, no process.

It keeps a workspace as a dictionary, so that a test can ask what was there while a command ran. What a command does is
a function of the test's.
"""

from __future__ import annotations

import errno
import io
import tarfile
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from threading import Event

from gradebox.sandbox import guarantees
from gradebox.sandbox.archive import unpack
from gradebox.sandbox.errors import SandboxLost
from gradebox.sandbox.linux import Errno
from gradebox.sandbox.protocol import frames
from gradebox.sandbox.protocol.frames import Cause, Frame, Tag, Type
from gradebox.sandbox.types import SandboxSpec


@dataclass(frozen=True, slots=True)
class FakeRun:
    """What a scripted command sees.

    Attributes:
        argv, env, cwd, uid, stdin: As it was started.
        wall_us, cpu_us, patience_us: Its limits of time in microseconds; `cpu_us` is 0 without one.
        files: The workspace: contents by path.
        protected: Paths of files that it could not change.
        ended: Is set when it is to end: the host has sent KILL, or its container is killed.

    A request to probe a port is one, too: ``("probe", PORT, REQUEST)``. With exit code 0, something listens there, and
    what the script prints is the reply.
    """

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    uid: int
    stdin: bytes
    wall_us: int
    cpu_us: int
    patience_us: int
    files: dict[str, bytes]
    protected: frozenset[str]
    ended: Event


@dataclass(frozen=True, slots=True)
class FakeEnd:
    """What a scripted command does.

    Attributes:
        exit_code: Its exit status; negative for a signal.
        stdout, stderr, report: What it writes.
        cause: Why it is over.
        errno: Why it was not started.
        oom_kills: As the kernel would count.
        wall_seconds, cpu_seconds, held_up_seconds: What it is reported to have taken.
        lost: Whether the sandbox vanishes instead.
    """

    exit_code: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    report: bytes = b""
    cause: Cause = Cause.ENDED
    errno: int = 0
    oom_kills: int = 0
    replaced: tuple[str, ...] = ()
    wall_seconds: float = 0.001
    cpu_seconds: float = 0.0
    held_up_seconds: float = 0.0
    lost: bool = False


Script = Callable[[FakeRun], FakeEnd]


class FakeChannel:
    """The host's end of a fake supervisor."""

    def __init__(self, script: Script, spec: SandboxSpec) -> None:
        self._script = script
        self._disk_bytes = spec.limits.disk_bytes
        self._own_kernel = guarantees.is_gvisor(spec.runtime)
        self._decoder = frames.Decoder()
        self._out: deque[bytes] = deque()
        self._archive = bytearray()
        self._protect = False
        self._stdin = b""
        self._files: dict[str, bytes] = {}
        self._protected: set[str] = set()
        self._snapshots: dict[int, dict[str, bytes]] = {}
        self.closed = False
        self._ended = Event()
        self._started: Frame | None = None

    def greet(self) -> None:
        """Say READY."""
        self._say(
            Type.READY,
            0,
            [
                (Tag.VERSION, frames.PROTOCOL_VERSION),
                (Tag.NNP, 1),
                (Tag.SECCOMP, 1),
                (Tag.ROOT_RO, 1),
                (Tag.FILTER, 1),
                *([(Tag.OWN_KERNEL, 1)] if self._own_kernel else []),
            ],
        )

    def send(self, data: bytes, timeout_seconds: float) -> None:
        if self.closed:
            raise SandboxLost("The fake sandbox is closed.")
        for frame in self._decoder.feed(data):
            self._take(frame)

    def receive(self, timeout_seconds: float) -> bytes:
        # A command runs while its answer is waited for, so that it can be ended meanwhile.
        started, self._started = self._started, None
        if started is not None:
            self._run(started)
        if self._out:
            return self._out.popleft()
        if self.closed:
            return b""
        raise TimeoutError

    def stderr(self) -> str:
        return ""

    def close(self) -> None:
        self.closed = True
        self._ended.set()

    def _say(self, type_: Type, id_: int, values: list[tuple[Tag, bytes | str | int]]) -> None:
        self._out.append(frames.encode(type_, id_, frames.fields(values)))  # type: ignore[arg-type]

    def _take(self, frame: Frame) -> None:
        match frame.type:
            case Type.PUT:
                self._archive.clear()
                self._protect = bool(frames.number(dict(frames.parse_fields(frame.payload))[Tag.PROTECT]))
            case Type.PUT_DATA:
                self._archive += frame.payload
            case Type.PUT_END:
                self._put(frame.id)
            case Type.SNAPSHOT:
                self._snapshots[_slot(frame)] = dict(self._files)
                self._say(
                    Type.OK, frame.id, [(Tag.BYTES, sum(map(len, self._files.values()))), (Tag.COUNT, len(self._files))]
                )
            case Type.RESET:
                self._files = dict(self._snapshots.get(_slot(frame), {}))
                self._protected.clear()
                self._say(Type.OK, frame.id, [])
            case Type.SCRUB:
                self._scrub(frame)
            case Type.STDIN:
                self._stdin += frame.payload
                self._say(Type.OK, frame.id, [])
            case Type.RUN:
                self._started = frame
            case Type.GET:
                self._get(frame)
            case Type.STAT:
                self._say(Type.OK, frame.id, [(Tag.MEMORY, 1 << 20), (Tag.MEMORY_PEAK, 2 << 20)])
            case Type.PROBE:
                self._probe(frame)
            case Type.KILL:
                self._ended.set()
            case Type.BYE:
                self.closed = True
            case _:
                self._say(Type.ERR, 0, [(Tag.MESSAGE, "unexpected frame")])

    def _put(self, id_: int) -> None:
        entries = unpack(bytes(self._archive))
        for entry in entries:
            if entry.kind == "directory" and self._protect:
                for path in [path for path in self._files if path.startswith(f"{entry.path}/")]:
                    del self._files[path]
            if entry.kind == "file":
                self._files[entry.path] = entry.data or b""
                if self._protect:
                    self._protected.add(entry.path)
        if sum(map(len, self._files.values())) > self._disk_bytes:
            self._say(Type.ERR, id_, [(Tag.ERRNO, Errno.ENOSPC), (Tag.MESSAGE, "cannot write the archive")])
        else:
            self._say(Type.OK, id_, [(Tag.COUNT, len(entries))])

    def _scrub(self, frame: Frame) -> None:
        wanted = frames.parse_fields(frame.payload)
        patterns = [value.decode() for tag, value in wanted if tag is Tag.PATTERN]
        keep = {value.decode() for tag, value in wanted if tag is Tag.KEEP}
        paths = [value.decode() for tag, value in wanted if tag is Tag.PATH]
        gone = [
            path
            for path in self._files
            if any(f"{path}/".startswith(f"{named}/") for named in paths)
            or (
                path not in keep and any(fnmatchcase(part, pattern) for part in path.split("/") for pattern in patterns)
            )
        ]
        for path in gone:
            del self._files[path]
        self._say(Type.OK, frame.id, [*((Tag.PATH, path) for path in gone), (Tag.COUNT, len(gone))])

    def _run(self, frame: Frame) -> None:
        wanted = frames.parse_fields(frame.payload)
        known = dict(wanted)
        run = FakeRun(
            argv=tuple(value.decode() for tag, value in wanted if tag is Tag.ARG),
            env={k: v for tag, value in wanted if tag is Tag.ENV for k, _, v in [value.decode().partition("=")]},
            cwd=known[Tag.CWD].decode(),
            uid=frames.number(known[Tag.UID]),
            stdin=self._stdin,
            wall_us=frames.number(known[Tag.WALL_US]),
            cpu_us=frames.number(known.get(Tag.CPU_US, bytes(8))),
            patience_us=frames.number(known[Tag.PATIENCE_US]),
            files=self._files,
            protected=frozenset(self._protected),
            ended=self._ended,
        )
        self._stdin = b""
        end = self._script(run)
        if end.lost:
            self.closed = True
            return
        streams = {1: end.stdout, 2: end.stderr, 3: end.report}
        half = frames.number(known[Tag.CAPTURE]) // 2
        for number, data in streams.items():
            if data:
                self._say(Type.OUT, frame.id, [(Tag.STREAM, number), (Tag.HEAD, data[:half])])
            if data[half:]:
                self._say(Type.OUT, frame.id, [(Tag.STREAM, number), (Tag.TAIL, data[half:][-half:])])
        status = -end.exit_code if end.exit_code < 0 else end.exit_code << 8
        counted = [
            (tag, value)
            for number, data in streams.items()
            for tag, value in ((Tag.STREAM, number), (Tag.TOTAL, len(data)), (Tag.SHA256, sha256(data).digest()))
        ]
        known_end = [(Tag.CAUSE, end.cause), (Tag.STATUS, status), (Tag.ERRNO, end.errno), (Tag.OOM, end.oom_kills)]
        replaced = [(Tag.PATH, path) for path in end.replaced]
        seconds = {Tag.TIME_US: end.wall_seconds, Tag.CPU_US: end.cpu_seconds, Tag.HELD_US: end.held_up_seconds}
        times = [(tag, round(value * 1e6)) for tag, value in seconds.items()]
        self._say(Type.DONE, frame.id, [*known_end, *times, *replaced, *counted])

    def _probe(self, frame: Frame) -> None:
        known = dict(frames.parse_fields(frame.payload))
        argv = ("probe", str(frames.number(known[Tag.PORT])), known[Tag.ARG].decode())
        end = self._script(FakeRun(argv, {}, "", 0, b"", 0, 0, 0, {}, frozenset(), self._ended))
        refused = errno.ECONNREFUSED if end.exit_code else 0
        self._say(Type.OK, frame.id, [(Tag.ERRNO, refused), (Tag.HEAD, end.stdout)])

    def _get(self, frame: Frame) -> None:
        wanted = [value.decode() for tag, value in frames.parse_fields(frame.payload) if tag is Tag.PATH]
        buffer = io.BytesIO()
        count = 0
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
            # It remembers no directories; where everything is wanted, those on the way to a file are there.
            files = self._files if "." in wanted else ()
            parents = {path.rsplit("/", depth)[0] for path in files for depth in range(1, path.count("/") + 1)}
            for path in sorted({*self._files, *parents}):
                if any(name in (".", path) or path.startswith(f"{name}/") for name in wanted):
                    member = tarfile.TarInfo(path)
                    data = self._files.get(path)
                    member.type = tarfile.DIRTYPE if data is None else tarfile.REGTYPE
                    member.mode = 0o755 if data is None else 0o644
                    member.size = len(data or b"")
                    tar.addfile(member, io.BytesIO(data or b""))
                    count += 1
        self._out.append(frames.encode(Type.DATA, frame.id, buffer.getvalue()))
        self._say(Type.OK, frame.id, [(Tag.COUNT, count), (Tag.BYTES, 0)])


def _slot(frame: Frame) -> int:
    return frames.number(dict(frames.parse_fields(frame.payload))[Tag.SLOT])
