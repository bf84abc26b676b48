"""Fuzzed here: the messages between a grader's and a candidate's process of Python, read by either side."""

from __future__ import annotations

import datetime as dt
import decimal
from collections import OrderedDict, deque
from typing import Any

from fuzzing import Finding, Target

from gradebox.graders.languages.python.inside.apart.codec import Writer
from gradebox.graders.languages.python.inside.apart.in_grader.grader import Grader
from gradebox.graders.languages.python.inside.apart.in_grader.opaque import Opaque
from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.languages.python.inside.apart.peer import Peer
from gradebox.graders.languages.python.inside.apart.server import Answering
from gradebox.graders.languages.python.inside.apart.stand_ins import StandIn, StandInType
from gradebox.graders.languages.python.inside.apart.wire import CandidateDied, Malformed, encoded

_HARMLESS = (
    type(None), bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, type, range, slice,
    type(...), type(NotImplemented), BaseException, Opaque,
)  # fmt: skip


class _Own:
    """A class that is described."""

    def method(self) -> None:
        """Nothing."""


def _message(kind: str, *values: Any) -> bytes:
    writer = Writer(Answering())
    return encoded([kind, 1 if kind != "?" else -1, [], [], *map(writer.put, values)])[4:]


def _seeds() -> list[bytes]:
    shared: list[Any] = [1]
    values = [
        [shared, shared], {"a": 1.5, (1, 2): {3}}, "text", b"bytes", -(1 << 70), (None, True, ..., 2j),
        dt.datetime(2024, 1, 2, tzinfo=dt.UTC), decimal.Decimal("1.5"), deque([1], 3), OrderedDict(a=1), {1: 2}.items(),
        _Own(), _Own, len, iter([]), ValueError("x"), KeyError(("a",)),
    ]  # fmt: skip
    seeds = [_message("=", value) for value in values]
    seeds.append(_message("!", OSError(2, "missing", "file")))
    seeds.append(b'["?",-1,[["l",-1,"",2]],[1],"get",["o",1],"x"]')
    return [*seeds, *(_message("?", "operator", value, "len") for value in values[:2])]


class _Grading(Grader):
    """A side that gets one message, and none of whose answers arrive."""

    data = b""

    def read_message(self) -> bytes:
        data, self.data = self.data, b""
        if not data:
            raise Malformed("it ends")
        return data

    def ask(self, *request: Any) -> Any:
        # What a stand-in asks while a message is read; nobody answers.
        raise Malformed("it asks")


class _Answering(Answering):
    """The other side, which trusts this one, and imports whatever it names."""

    data, read_message, ask = b"", _Grading.read_message, _Grading.ask

    def resolve(self, name: str) -> Any:
        return object


def _is_harmless(value: Any) -> bool:
    known = isinstance(type(value), StandInType) or link_of(value) is not None or isinstance(value, StandIn)
    module = type(value).__module__.partition(".")[0]
    return known or isinstance(value, _HARMLESS) or module in ("collections", "datetime", "decimal", "builtins")


def message(data: bytes) -> object:
    """Read a message as either side; nothing but data and stand-ins comes of it."""
    saw = []
    sides: tuple[Peer, ...] = (_Grading(), _Answering())
    for peer in sides:
        peer.data, peer.waiting = data, [(1, ())]  # type: ignore[attr-defined]
        try:
            _, _, value = peer.receive()
        except (Malformed, CandidateDied) as error:
            saw.append(str(error)[:40])
            continue
        if isinstance(peer, Grader):
            for part in value if isinstance(value, tuple) else (value,):
                if not _is_harmless(part):
                    raise Finding(f"A message made a {type(part).__qualname__} of {type(part).__module__}.")
        saw.append(type(value).__name__)
    return saw


TARGETS = (
    Target(
        "apart",
        _seeds(),
        (b"builtins", b"os.system", b"unittest", b"SkipTest", b'["o",1]', b'["k","int"]', b'"x"', b'"c"', b"-1"),
        message,
    ),
)
