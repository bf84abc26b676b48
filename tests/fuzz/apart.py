"""Fuzzed here: the messages between a grader's and a candidate's process of Python, read by either side."""

from __future__ import annotations

import datetime as dt
import decimal
from collections import OrderedDict, deque
from typing import Any

from fuzzing import Finding, Target

from graders.languages.inside.python.apart.codec import Malformed, Writer
from graders.languages.inside.python.apart.links import link_of
from graders.languages.inside.python.apart.peer import Peer
from graders.languages.inside.python.apart.stand_ins import StandIn, StandInType

_HARMLESS = (
    type(None), bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, type, range, slice,
    type(...), type(NotImplemented), BaseException,
)  # fmt: skip


class _Own:
    """A class that is described."""

    def method(self) -> None:
        """Nothing."""


def _message(kind: int, value: Any) -> bytes:
    peer = Peer(is_careful=False, side=-1)
    writer = Writer(peer)
    for part in (kind, 1):
        writer.put(part)
    peer.write_changes(writer)
    for part in (value, (), ()):
        writer.put(part)
    return bytes(writer.message()[4:])


def _seeds() -> list[bytes]:
    shared: list[Any] = [1]
    values = [
        [shared, shared], {"a": 1.5, (1, 2): {3}}, "text", b"bytes", -(1 << 70), (None, True, ..., 2j),
        dt.datetime(2024, 1, 2, tzinfo=dt.UTC), decimal.Decimal("1.5"), deque([1], 3), OrderedDict(a=1), {1: 2}.items(),
        _Own(), _Own, len, iter([]), ValueError("x"), KeyError(("a",)),
    ]  # fmt: skip
    seeds = [_message(1, value) for value in values]
    seeds.append(_message(2, OSError(2, "missing", "file")))
    return seeds + [_message(0, ("special", name, value)) for name in ("__len__", "__call__") for value in values[:2]]


class _Connected(Peer):
    """A side that gets one message, and none of whose answers arrive."""

    def __init__(self, is_careful: bool, data: bytes) -> None:
        super().__init__(is_careful, 1 if is_careful else -1)
        self.data = data

    def read_message(self) -> bytes:
        data, self.data = self.data, b""
        if not data:
            raise Malformed("it ends")
        return data

    def resolve(self, names: Any) -> Any:
        # The candidate's own process imports whatever the grader's names.
        return super().resolve(names) if self.is_careful else object

    def ask(self, *request: Any) -> Any:
        # What a stand-in asks while a message is read; nobody answers.
        raise Malformed("it asks")


def _is_harmless(value: Any) -> bool:
    known = isinstance(type(value), StandInType) or link_of(value) is not None or isinstance(value, StandIn)
    module = type(value).__module__.partition(".")[0]
    return known or isinstance(value, _HARMLESS) or module in ("collections", "datetime", "decimal", "builtins")


def message(data: bytes) -> object:
    """Read a message as either side; nothing but data and stand-ins comes of it."""
    saw = []
    for is_careful in (True, False):
        peer = _Connected(is_careful, data)
        try:
            number, box = peer.receive()
        except Malformed as error:
            saw.append(str(error)[:40])
            continue
        value = box[0] if box else peer.answers.get(number)
        if is_careful:
            for part in value if isinstance(value, tuple) else (value,):
                if not _is_harmless(part):
                    raise Finding(f"A message made a {type(part).__qualname__} of {type(part).__module__}.")
        saw.append(type(value).__name__)
    return saw


TARGETS = (
    Target("apart", _seeds(), (b"builtins", b"os", b"system", b"unittest", b"SkipTest", b"g", b"h", b"D"), message),
)
