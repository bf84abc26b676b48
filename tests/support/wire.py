"""A supervisor spoken to frame by frame, for the tests of the supervisor itself."""

from __future__ import annotations

import io
import tarfile
import time
from typing import NamedTuple, Self

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.protocol import frames
from gradebox.sandbox.protocol.frames import Frame, Tag, Type
from gradebox.sandbox.types import DEFAULT_ENV, SandboxSpec

UID = 10_001
PATIENCE_SECONDS = 30.0

Field = tuple[Tag, bytes] | tuple[Tag, str] | tuple[Tag, int]


class Answer(NamedTuple):
    """The last frame of an answer, its fields, and the frames before it."""

    type: Type
    fields: list[tuple[Tag, bytes]]
    before: list[Frame]

    def number(self, tag: Tag) -> int:
        return frames.number(dict(self.fields)[tag])

    def text(self, tag: Tag) -> str:
        return dict(self.fields)[tag].decode()

    def streams(self, tag: Tag) -> dict[int, bytes]:
        """The heads or the tails of the OUT frames, joined for each stream."""
        found: dict[int, bytes] = {}
        for frame in self.before:
            piece = dict(frames.parse_fields(frame.payload))
            stream = frames.number(piece[Tag.STREAM])
            found[stream] = found.get(stream, b"") + piece.get(tag, b"")
        return found


class Wire:
    """A container with a supervisor in it, and the connection to that."""

    def __init__(
        self, engine: DockerEngine, image: str, limits: Limits | None = None, *, hosts: tuple[str, ...] = ()
    ) -> None:
        spec = SandboxSpec(image, limits or Limits(memory_bytes=256 * MIB, pids=48), hosts=hosts)
        self._engine = engine
        self._container = engine.create(spec, engine.image(image))
        self._channel = engine.attach(self._container)
        self._decoder = frames.Decoder()
        self._inbox: list[Frame] = []
        engine.start(self._container)
        self.ready = self.receive()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._channel.close()
        self._engine.remove(self._container)

    @property
    def container(self) -> str:
        return self._container

    def raw(self, data: bytes) -> None:
        self._channel.send(data, PATIENCE_SECONDS)

    def send(self, kind: Type, *items: Field, payload: bytes = b"", id_: int = 1) -> None:
        self.raw(frames.encode(kind, id_, payload or frames.fields(items)))

    def receive(self) -> Frame:
        while not self._inbox:
            data = self._channel.receive(PATIENCE_SECONDS)
            if not data:
                raise EOFError
            self._inbox.extend(self._decoder.feed(data))
        return self._inbox.pop(0)

    def answer(self) -> Answer:
        before = []
        while (frame := self.receive()).type in {Type.OUT, Type.DATA}:
            before.append(frame)
        return Answer(frame.type, frames.parse_fields(frame.payload), before)

    def ask(self, kind: Type, *items: Field, payload: bytes = b"") -> Answer:
        self.send(kind, *items, payload=payload)
        return self.answer()

    def put(self, archive: bytes, *, uid: int = UID, protect: bool = False, piece: int = 64 << 10) -> Answer:
        self.send(Type.PUT, (Tag.UID, uid), (Tag.PROTECT, int(protect)))
        for start in range(0, len(archive), piece):
            self.send(Type.PUT_DATA, payload=archive[start : start + piece])
        return self.ask(Type.PUT_END)

    def begin(
        self,
        *argv: str,
        wall_seconds: float = 20.0,
        capture: int = 64 << 10,
        output: int = 64 * MIB,
        report: bool = False,
        cwd: str = "/workspace",
        uid: int = UID,
    ) -> None:
        """Send RUN; `answer` waits for its end."""
        self.send(
            Type.RUN,
            *((Tag.ARG, word) for word in argv),
            *((Tag.ENV, f"{name}={value}") for name, value in DEFAULT_ENV.items()),
            (Tag.CWD, cwd),
            (Tag.UID, uid),
            (Tag.WALL_US, int(wall_seconds * 1e6)),
            (Tag.OUTPUT, output),
            (Tag.CAPTURE, capture),
            (Tag.REPORT, int(report)),
        )

    def run(self, *argv: str, **changes: object) -> Answer:
        self.begin(*argv, **changes)  # type: ignore[arg-type]
        return self.answer()

    def python(self, code: str, **changes: object) -> Answer:
        return self.run("python3", "-c", code, **changes)

    def shell(self, line: str, **changes: object) -> str:
        """What a line prints; it must succeed."""
        done = self.run("sh", "-c", line, **changes)
        assert done.number(Tag.STATUS) == 0, done.streams(Tag.HEAD)
        return done.streams(Tag.HEAD).get(1, b"").decode("utf-8", "surrogateescape")

    def hang_up(self) -> None:
        """End our side of the connection."""
        self._channel.close()

    def exit_status(self) -> int:
        """Wait for the container to end."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            state = self._engine.state(self._container)
            if state and not state.running and state.exit_code is not None:
                return state.exit_code
            time.sleep(0.02)
        raise TimeoutError


def member(name: str, data: bytes | None = b"", *, link: str = "", kind: bytes = b"", mode: int = 0o644) -> bytes:
    """One member of an archive: a file, a directory without data, a link, or whatever `kind` says."""
    info = tarfile.TarInfo(name)
    info.mtime = 1_600_000_000
    info.mode = mode
    info.linkname = link
    info.type = kind or (tarfile.SYMTYPE if link else tarfile.DIRTYPE if data is None else tarfile.REGTYPE)
    info.size = len(data or b"") if info.type not in {tarfile.SYMTYPE, tarfile.DIRTYPE} else 0
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape") + (data or b"") + bytes(-info.size % 512)


def archive(*members: bytes) -> bytes:
    return b"".join(members) + bytes(1024)


def contents(answer: Answer) -> dict[str, tarfile.TarInfo]:
    data = b"".join(frame.payload for frame in answer.before)
    with tarfile.open(fileobj=io.BytesIO(data), encoding="utf-8", errors="surrogateescape") as tar:
        return {found.name: found for found in tar}
