"""Fuzzed here: what comes out of a sandbox, frames and archives."""

from __future__ import annotations

import io
import random
import tarfile
from pathlib import Path

from fuzzing import Finding, Target

from gradebox.sandbox.archive import ArchiveEntry, EntryKind, check_path, file_entry, pack, unpack
from gradebox.sandbox.capture import Captures
from gradebox.sandbox.errors import ProtocolError, SandboxError
from gradebox.sandbox.protocol import frames, payloads
from gradebox.sandbox.protocol.frames import Decoder, Tag, Type
from gradebox.sandbox.types import Command

CAPTURE = 4096


def number(value: int) -> bytes:
    """Return a number as fields have it."""
    return value.to_bytes(8, "big")


def frame_seeds() -> list[bytes]:
    """Return answers of a supervisor."""
    ready = frames.fields([(Tag.VERSION, frames.PROTOCOL_VERSION), (Tag.IFACE, "eth0"), (Tag.NNP, 1), (Tag.CAPS, 7)])
    done = [(Tag.CAUSE, 0), (Tag.STATUS, 256), (Tag.TIME_US, 5), (Tag.RSS, 9), (Tag.LEFT, 1)]
    streams: list[tuple[Tag, bytes | int]] = []
    for stream in (1, 2, 3):
        streams += [(Tag.STREAM, stream), (Tag.TOTAL, 3), (Tag.SHA256, bytes(32))]
    out = frames.fields([(Tag.STREAM, 1), (Tag.HEAD, b"abc")])
    tail = frames.fields([(Tag.STREAM, 2), (Tag.TAIL, b"xyz")])
    error = frames.fields([(Tag.ERRNO, 28), (Tag.MESSAGE, "cannot write: a")])
    refused = frames.fields([(Tag.CAUSE, 4), (Tag.ERRNO, 2), (Tag.MESSAGE, "cwd"), (Tag.TIME_US, 1)])
    return [
        frames.encode(Type.READY, 0, ready),
        frames.encode(Type.OUT, 1, out) + frames.encode(Type.OUT, 1, tail)
        + frames.encode(Type.DONE, 1, frames.fields([*done, *streams])),
        frames.encode(Type.ERR, 2, error) + frames.encode(Type.OK, 3, frames.fields([(Tag.COUNT, 1)])),
        frames.encode(Type.DONE, 4, refused),
    ]  # fmt: skip


def frame_stream(data: bytes) -> object:
    """Read a stream in two ways of cutting it, and take its frames for every answer that there is."""
    whole, error = _decoded([data])
    chance = random.Random(len(data))
    pieces, at = [], 0
    while at < len(data):
        size = chance.choice((1, 2, 9, 100, 5000))
        pieces.append(data[at : at + size])
        at += size
    if (whole, error) != _decoded(pieces):
        raise Finding("Frames depend on the pieces in which they arrive.")
    command = Command(argv=("a",), uid=10_001, capture_bytes=CAPTURE)
    captures = Captures(CAPTURE)
    saw: list[str] = [error]
    take = payloads.head_taker(captures)
    for frame in whole:
        for reading in (
            lambda frame=frame: take(frame),
            lambda frame=frame: payloads.outcome(command, frames.parse_fields(frame.payload), captures).ending,
            lambda frame=frame: payloads.guarantees(frames.parse_fields(frame.payload)).capabilities,
            lambda frame=frame: type(payloads.refusal(frame)).__name__,
        ):
            try:
                saw.append(str(reading()))
            except ProtocolError as refused:
                saw.append(str(refused)[:30])
    kept = sum(len(captures.partial(stream).content()) for stream in (1, 2, 3))
    if kept > 3 * CAPTURE:
        raise Finding(f"{kept} bytes of output were kept.")
    return saw


def _decoded(pieces: list[bytes]) -> tuple[list[frames.Frame], str]:
    decoder = Decoder()
    found: list[frames.Frame] = []
    try:
        for piece in pieces:
            found.extend(decoder.feed(piece))
    except ProtocolError as error:
        return found, str(error)
    return found, ""


def _nothing(path: Path) -> bytes:
    raise AssertionError(path)


ENTRIES = [
    ArchiveEntry("d", EntryKind.DIRECTORY, 0o755),
    file_entry("d/" + "long" * 40, b"content"),
    ArchiveEntry("d/link", EntryKind.LINK, 0o777, target="../" * 50 + "etc/passwd"),
    file_entry("caf\udce9", b"", mode=0o755),
]


def _member(name: str, kind: bytes, content: bytes) -> bytes:
    header = tarfile.TarInfo(name)
    header.type = kind
    header.size = len(content)
    return header.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)


def archive_seeds() -> list[bytes]:
    """Return archives of several dialects."""
    made = [b"".join(pack(ENTRIES, _nothing)), b"".join(pack([], _nothing))]
    for format_ in (tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=format_) as tar:
            member = tarfile.TarInfo("a" * 90 + "/é" if format_ == tarfile.PAX_FORMAT else "a/b")
            member.size = 3
            tar.addfile(member, io.BytesIO(b"abc"))
            if format_ == tarfile.PAX_FORMAT:
                sparse = tarfile.TarInfo("s")
                sparse.pax_headers = {"GNU.sparse.map": "0,1,5,1", "GNU.sparse.size": "10", "mtime": "1.5"}
                tar.addfile(sparse)
        made.append(buffer.getvalue())
    # Names as long as they may be, and longer than any buffer for them.
    for size in (4095, 4096, 20_000):
        for kind in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
            long_name = _member("././@LongLink", kind, b"a/" * (size // 2) + b"b" * (size % 2))
            made.append(long_name + _member("a", tarfile.REGTYPE, b"abc") + bytes(1024))
    return made


def with_checksums(data: bytes) -> bytes:
    """Return the input with the checksums that its headers should have, for three of four; else none is looked into."""
    if sum(data) % 4 == 0:
        return data
    mended = bytearray(data)
    at = data.find(b"ustar")
    while at >= 0:
        start = at - 257
        if start >= 0 and start + 512 <= len(mended):
            mended[start + 148 : start + 156] = b" " * 8
            mended[start + 148 : start + 156] = b"%06o\0 " % sum(mended[start : start + 512])
        at = data.find(b"ustar", at + 1)
    return bytes(mended)


def archive(data: bytes) -> object:
    """Unpack an archive, and pack again what was in it."""
    data = with_checksums(data)
    try:
        entries = unpack(data)
    except ProtocolError as refused:
        return str(refused)[:60]
    held = 0
    for entry in entries:
        if check_path(entry.path):
            raise Finding(f"The path {entry.path!r} was let through.")
        held += len(entry.data or b"")
    # A sparse file claims more than it brings.
    if held > len(data):
        raise Finding(f"{len(data)} bytes came to {held}.")
    try:
        again = unpack(b"".join(pack(entries, _nothing)))
    except SandboxError as refused:
        return f"not packed: {refused}"[:60]
    if [(e.path, e.kind, e.data, e.target) for e in again] != [(e.path, e.kind, e.data, e.target) for e in entries]:
        raise Finding("What was packed again is something else.")
    return len(entries), [entry.kind for entry in entries[:4]]


FRAME_WORDS = (
    *(bytes([tag]) + b"\0\0\0\x08" + number(1) for tag in Tag),
    *(b"\0\0\0\0" + bytes([kind]) for kind in Type),
)
ARCHIVE_WORDS = (
    *(b"ustar\0", b"ustar  \0", b"../", b"/", b"./", b"././@LongLink\0", b"L", b"K", b"S", b"x", b"g"),
    *(b"0", b"1", b"2", b"5", b"6", b"20 path=../../etc/x\n", b"30 GNU.sparse.size=99999999999\n"),
    *(b"99999999999\0", b"00000010000\0", b"00000047040\0", b"\x80\0\0\0\0\0\0\0\xff\xff\xff\xff", b"-1\0"),
)
TARGETS = (
    Target("frames", frame_seeds(), FRAME_WORDS, frame_stream),
    Target("archives", archive_seeds(), ARCHIVE_WORDS, archive),
)
