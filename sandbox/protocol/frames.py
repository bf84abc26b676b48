"""The supervisor's protocol in Python: frames and fields as bytes. This module reads and writes no channel.

``supervisor/protocol.h`` describes the protocol; a test compares its numbers with those here. Frames of the supervisor
are checked like any foreign input: lengths are capped, unknown tags and types are refused.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple

from gradebox.sandbox.errors import ProtocolError

PROTOCOL_VERSION = 1
FRAME_MAX = 4 << 20
STDIN_MAX = 16 << 20
DATA_CHUNK = 256 << 10

_HEADER = struct.Struct(">IBI")
_FIELD = struct.Struct(">BI")
_NUMBER = struct.Struct(">Q")


class Type(IntEnum):
    """Frame types; requests below 64, replies above."""

    PUT = 1
    PUT_DATA = 2
    PUT_END = 3
    SNAPSHOT = 4
    RESET = 5
    SCRUB = 6
    STDIN = 7
    RUN = 8
    KILL = 9
    GET = 10
    STAT = 11
    BYE = 12
    PROBE = 13
    READY = 65
    OK = 66
    ERR = 67
    DATA = 68
    OUT = 69
    DONE = 70


class Cause(IntEnum):
    """Why a command is over."""

    ENDED = 0
    DEADLINE = 1
    OUTPUT = 2
    KILLED = 3
    NOT_STARTED = 4
    CPU = 5
    STARVED = 6


class Tag(IntEnum):
    """Field tags."""

    FORKS = 0
    VERSION = 1
    UID = 2
    PROTECT = 3
    COUNT = 4
    BYTES = 5
    LIMIT = 6
    PATTERN = 7
    KEEP = 8
    PATH = 9
    ARG = 10
    ENV = 11
    CWD = 12
    WALL_US = 13
    OUTPUT = 14
    CAPTURE = 15
    REPORT = 16
    NOFILE = 17
    FSIZE = 18
    ERRNO = 19
    MESSAGE = 20
    STREAM = 21
    HEAD = 22
    CAUSE = 23
    STATUS = 24
    TOTAL = 25
    SHA256 = 26
    TAIL = 27
    TIME_US = 28
    USER_US = 29
    SYSTEM_US = 30
    RSS = 31
    MEMORY = 32
    MEMORY_PEAK = 33
    OOM = 34
    PIDS = 35
    PORT = 36
    LEFT = 37
    SLOT = 38
    SECCOMP = 39
    NNP = 40
    CAPS = 41
    ROOT_RO = 42
    MEMORY_LIMIT = 43
    PIDS_LIMIT = 44
    SCRATCH = 45
    HOME = 46
    FILTER = 47
    SWAP_LIMIT = 48
    CPUS = 49
    OWN_KERNEL = 50
    NPROC = 51
    WITHIN_LIMIT = 52
    CPU_US = 53
    PATIENCE_US = 54
    HELD_US = 55
    INPUT_FILE = 56
    PROCESSORS = 57
    GRADER = 58
    GRADER_HOME = 59
    CANDIDATE = 60
    CANDIDATES = 61
    CANDIDATE_ENV = 62
    OWN_STDOUT = 63
    LACKS = 64
    REMOVED = 65
    IFACE = 66
    KERNEL = 67
    PROCESSOR = 68
    PIDS_REFUSED = 69
    RUNNABLE = 70


class Frame(NamedTuple):
    """One frame; `payload` is fields or raw bytes, depending on `type`."""

    type: Type
    id: int
    payload: bytes


def encode(type_: Type, id_: int, payload: bytes = b"") -> bytes:
    """Return one frame as bytes.

    Raises:
        ProtocolError: If the payload exceeds FRAME_MAX.
    """
    if len(payload) > FRAME_MAX:
        raise ProtocolError(f"A {type_.name} request of {len(payload)} bytes exceeds a frame ({FRAME_MAX} bytes).")
    return _HEADER.pack(len(payload), type_, id_) + payload


def fields(items: Iterable[tuple[Tag, bytes] | tuple[Tag, str] | tuple[Tag, int] | tuple[Tag, str | int]]) -> bytes:
    """Return fields as one payload; text is encoded as UTF-8, surrogate escapes as their bytes."""
    parts: list[bytes] = []
    for tag, value in items:
        raw = (
            _NUMBER.pack(value)
            if isinstance(value, int)
            else value.encode("utf-8", "surrogateescape")
            if isinstance(value, str)
            else value
        )
        parts.append(_FIELD.pack(tag, len(raw)))
        parts.append(raw)
    return b"".join(parts)


def batches(first: bytes, items: Iterable[tuple[Tag, str]]) -> Iterator[bytes]:
    """Yield at least one payload: each starts with the same fields, and together they have all `items`.

    Args:
        first: The fields at the start of each payload.
        items: Fields, each short enough for a frame after `first`.
    """
    payload = bytearray(first)
    for item in items:
        field = fields([item])
        if len(payload) + len(field) > FRAME_MAX and len(payload) > len(first):
            yield bytes(payload)
            payload = bytearray(first)
        payload += field
    yield bytes(payload)


def parse_fields(payload: bytes) -> list[tuple[Tag, bytes]]:
    """Return the fields of a payload in order.

    Raises:
        ProtocolError: If a tag is unknown or a field exceeds the payload.
    """
    found: list[tuple[Tag, bytes]] = []
    position = 0
    while position < len(payload):
        if position + _FIELD.size > len(payload):
            raise ProtocolError("The supervisor sent an incomplete field.")
        tag, length = _FIELD.unpack_from(payload, position)
        position += _FIELD.size
        if position + length > len(payload):
            raise ProtocolError("The supervisor sent a field that exceeds its frame.")
        try:
            found.append((Tag(tag), payload[position : position + length]))
        except ValueError:
            raise ProtocolError(f"The supervisor sent a field with the unknown tag {tag}.") from None
        position += length
    return found


def number(raw: bytes) -> int:
    """Decode a number field.

    Raises:
        ProtocolError: If it is not 8 bytes long.
    """
    if len(raw) != _NUMBER.size:
        raise ProtocolError(f"The supervisor sent a number of {len(raw)} bytes instead of {_NUMBER.size}.")
    return int(_NUMBER.unpack(raw)[0])


class Decoder:
    """Splits a stream of bytes, received in any pieces, into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Add bytes and yield each complete frame.

        Raises:
            ProtocolError: If a frame is too long or of an unknown type.
        """
        self._buffer += data
        while len(self._buffer) >= _HEADER.size:
            length, type_, id_ = _HEADER.unpack_from(self._buffer)
            if length > FRAME_MAX:
                raise ProtocolError(f"The supervisor announced a frame of {length} bytes.")
            try:
                known = Type(type_)
            except ValueError:
                raise ProtocolError(f"The supervisor sent a frame of the unknown type {type_}.") from None
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[_HEADER.size : end])
            del self._buffer[:end]
            yield Frame(known, id_, payload)
