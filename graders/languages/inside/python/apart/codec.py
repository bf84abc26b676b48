"""Writes values as bytes and reads them back: data only, no code, between two processes that do not trust each other.

A value is a tag of one byte and what belongs to it. Numbers of things are 4 bytes, numbers of objects 8. Containers
that can change have a number of the sender's or the receiver's, so that aliases, cycles and later changes are known on
both sides. What is no data (`OTHER`) is written and read by the peer (peer.py). Nothing is built from more nodes, depth
or bytes than the limits below, and nothing but the types that this file names.

    message   length of the rest (4 bytes), values
    None N, True T, False F, Ellipsis ., NotImplemented !
    int i LENGTH bytes     float f 8 bytes     str s LENGTH utf-8     bytes b LENGTH bytes
    tuple t COUNT values   frozenset z COUNT values
    list l, dict d, set e, bytearray a, deque q, OrderedDict o, Counter c, defaultdict w: NUMBER content
    the same container again r NUMBER
    a value of the standard library v NAME tuple     keys, values, items of a dict k NAME tuple
"""

from __future__ import annotations

import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

MESSAGE_BYTES = 64 << 20
MOST_NODES = 4_000_000
DEEPEST = 150

_CONSTANTS = {78: None, 84: True, 70: False, 46: ..., 33: NotImplemented}
_LENGTH = struct.Struct(">I")
_NUMBER = struct.Struct(">q")
_FLOAT = struct.Struct(">d")
# Tags of containers that can change, by the module and the name of their type.
_CONTAINERS = {
    ("builtins", "list"): b"l",
    ("builtins", "dict"): b"d",
    ("builtins", "set"): b"e",
    ("builtins", "bytearray"): b"a",
    ("collections", "deque"): b"q",
    ("collections", "OrderedDict"): b"o",
    ("collections", "Counter"): b"c",
    ("collections", "defaultdict"): b"w",
}
_KINDS = {tag[0]: name for name, tag in _CONTAINERS.items()}
_MAPPINGS = b"docw"
# How values of the standard library are taken apart; each is built by calling its type.
_PARTS: Any = {
    "builtins.complex": lambda it: (it.real, it.imag),
    "builtins.range": lambda it: (it.start, it.stop, it.step),
    "builtins.slice": lambda it: (it.start, it.stop, it.step),
    "decimal.Decimal": lambda it: (str(it),),
    "fractions.Fraction": lambda it: (it.numerator, it.denominator),
    "datetime.date": lambda it: (it.year, it.month, it.day),
    "datetime.time": lambda it: (it.hour, it.minute, it.second, it.microsecond, it.tzinfo, it.fold),
    "datetime.datetime": lambda it: (*it.timetuple()[:6], it.microsecond, it.tzinfo, it.fold),
    "datetime.timedelta": lambda it: (it.days, it.seconds, it.microseconds),
    "datetime.timezone": lambda it: (it.utcoffset(None), it.tzname(None)),
    "zoneinfo.ZoneInfo": lambda it: (it.key,),
    "uuid.UUID": lambda it: (it.int,),
    **dict.fromkeys(
        [f"pathlib.{name}" for name in ("PurePosixPath", "PosixPath", "PureWindowsPath")], lambda it: (str(it),)
    ),
}
_VIEWS = {"dict_keys": "keys", "dict_values": "values", "dict_items": "items"}


class Malformed(Exception):
    """What the other side sent cannot be read."""


def _named(module: str, name: str) -> Any:
    """Return a type of the standard library that this file names, loading its module if need be."""
    if module not in sys.modules:
        __import__(module)
    return getattr(sys.modules[module], name)


def value_name(kind: type) -> str:
    """Return under which name a value of a type is sent, "" for none."""
    module = kind.__module__.partition(".")[0] if kind.__module__.startswith("pathlib.") else kind.__module__
    name = f"{module}.{kind.__qualname__}"
    # A class of the candidate's may have the same name, and so would be none of the standard library's.
    return name if name in _PARTS and sys.modules.get(module) and _named(*name.split(".")) is kind else ""


def container_tag(kind: type) -> bytes:
    """Return the tag of a container that can change, b"" for any other type."""
    found = _CONTAINERS.get((kind.__module__, kind.__qualname__), b"")
    return found if found and _named(kind.__module__, kind.__qualname__) is kind else b""


_TAGS: dict[type, bytes] = {kind: container_tag(kind) for kind in (list, dict, set, bytearray)}


class Writer:
    """Writes the values of one message."""

    def __init__(self, peer: Any) -> None:
        self.peer = peer
        self.data = bytearray(4)
        self.nodes = 0

    def message(self) -> bytearray:
        """Return all that was written, with its length in front."""
        if len(self.data) > MESSAGE_BYTES:
            raise ValueError(f"a value of more than {MESSAGE_BYTES >> 20} MiB cannot be passed between two processes")
        _LENGTH.pack_into(self.data, 0, len(self.data) - 4)
        return self.data

    def put(self, value: Any, depth: int = 0) -> None:
        """Write a value.

        Raises:
            ValueError: If it is too deep or too large.
        """
        data, kind = self.data, type(value)
        self.nodes += 1
        if depth > DEEPEST or self.nodes > MOST_NODES:
            raise ValueError("a value that is this deep or large cannot be passed between two processes")
        if kind is str:
            self._bytes(b"s", value.encode("utf-8", "surrogatepass"))
        elif kind is int:
            self._bytes(b"i", value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))
        elif value is None:
            data += b"N"
        elif kind is bool:
            data += b"T" if value else b"F"
        elif kind is float:
            data += b"f"
            data += _FLOAT.pack(value)
        elif kind is tuple or kind is frozenset:
            data += b"t" if kind is tuple else b"z"
            self._each(value, depth)
        elif kind is bytes:
            self._bytes(b"b", value)
        elif value is ...:
            data += b"."
        elif value is NotImplemented:
            data += b"!"
        else:
            self._rarer(value, kind, depth)

    def _rarer(self, value: Any, kind: type, depth: int) -> None:
        tag = _TAGS.get(kind) or container_tag(kind)
        if tag:
            number, is_new = self.peer.share(value)
            self.data += tag if is_new else b"r"
            self.data += _NUMBER.pack(number)
            if is_new:
                self.content(value, tag, depth)
            return
        name = value_name(kind)
        if name:
            self._bytes(b"v", name.encode())
            self.put(_PARTS[name](value), depth + 1)
        elif kind.__name__ in _VIEWS and kind.__module__ == "builtins":
            self._bytes(b"k", kind.__name__.encode())
            self.put(tuple(value), depth + 1)
        else:
            self.peer.put_other(self, value, depth)

    def content(self, value: Any, tag: bytes, depth: int = 0) -> None:
        """Write what is in a container."""
        if tag == b"a":
            self._bytes(b"", bytes(value))
            return
        if tag == b"q":
            self.put(value.maxlen, depth + 1)
        elif tag == b"w":
            self.put(value.default_factory, depth + 1)
        self._each([part for pair in value.items() for part in pair] if tag in _MAPPINGS else value, depth)

    def _each(self, values: Any, depth: int) -> None:
        self.data += _LENGTH.pack(len(values))
        for value in values:
            self.put(value, depth + 1)

    def number(self, tag: bytes, number: int) -> None:
        """Write a tag and a number of an object."""
        self.data += tag
        self.data += _NUMBER.pack(number)

    def _bytes(self, tag: bytes, value: bytes) -> None:
        self.data += tag
        self.data += _LENGTH.pack(len(value))
        self.data += value


class Reader:
    """Reads the values of one message, without its length."""

    def __init__(self, peer: Any, data: bytes) -> None:
        self.peer = peer
        self.data = data
        self.place = 0
        self.nodes = 0

    def _take(self, count: int) -> bytes:
        start = self.place
        self.place = start + count
        if self.place > len(self.data):
            raise Malformed("it ends too early")
        return self.data[start : self.place]

    def _count(self) -> int:
        count: int = _LENGTH.unpack(self._take(4))[0]
        if count > len(self.data) - self.place:
            raise Malformed("it has fewer parts than it says")
        return count

    def number(self) -> int:
        """Read the number of an object."""
        number: int = _NUMBER.unpack(self._take(8))[0]
        return number

    def get(self, depth: int = 0) -> Any:
        """Read a value.

        Raises:
            Malformed: If it is none.
        """
        self.nodes += 1
        if depth > DEEPEST + 2 or self.nodes > MOST_NODES:
            raise Malformed("it is too deep or too large")
        tag = self._take(1)[0]
        if tag == 115:
            return self._text()
        if tag == 105:
            return int.from_bytes(self._take(self._count()), "big", signed=True)
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag == 102:
            return _FLOAT.unpack(self._take(8))[0]
        if tag in (116, 122):
            parts = [self.get(depth + 1) for _ in range(self._count())]
            return tuple(parts) if tag == 116 else self._made(frozenset, parts)
        if tag == 98:
            return self._take(self._count())
        if tag in _KINDS:
            value = _named(*_KINDS[tag])()
            return self.content(value, bytes((tag,)), depth, self.number())
        if tag == 114:
            return self.peer.shared_object(self.number())
        if tag in (118, 107):
            name, parts = self._text(), self.get(depth + 1)
            return self._value(name, parts) if tag == 118 else self._view(name, parts)
        return self.peer.get_other(self, tag, depth)

    def content(self, value: Any, tag: bytes, depth: int, number: int | None = None) -> Any:
        """Read what is in a container into an empty one; let the peer know it under its number."""
        if tag == b"q":
            longest = self.get(depth + 1)
            if longest is not None and not (type(longest) is int and 0 <= longest < 1 << 60):
                raise Malformed("a deque has no such length")
            value = type(value)((), longest) if number is not None else value
        elif tag == b"w":
            factory = self.get(depth + 1)
            if not (factory is None or callable(factory)):
                raise Malformed("a defaultdict has no such factory")
            value.default_factory = factory
        if number is not None:
            self.peer.know(number, value)
        if tag == b"a":
            value += self._take(self._count())
            return value
        count = self._count()
        if tag in _MAPPINGS:
            for _ in range(count // 2):
                key = self.get(depth + 1)
                self._made(value.__setitem__, key, self.get(depth + 1))
        else:
            add = value.add if tag == b"e" else value.append
            for _ in range(count):
                self._made(add, self.get(depth + 1))
        self.peer.remember(value)
        return value

    def _made(self, call: Any, *parts: Any) -> Any:
        try:
            return call(*parts)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise Malformed(str(error)) from error

    def _text(self) -> str:
        try:
            return self._take(self._count()).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise Malformed("a text is not UTF-8") from error

    def _value(self, name: str, parts: Any) -> Any:
        if name not in _PARTS or type(parts) is not tuple:
            raise Malformed("it names no value of the standard library")
        kind = _named(*name.split("."))
        try:
            if name == "uuid.UUID":
                return kind(int=parts[0])
            if name in ("datetime.time", "datetime.datetime"):
                return kind(*parts[:-1], fold=parts[-1])
            return kind(*parts)
        except Exception as error:
            raise Malformed(f"it is no {name}") from error

    def _view(self, name: str, parts: Any) -> Any:
        if name not in _VIEWS or type(parts) is not tuple:
            raise Malformed("it names no view of a dict")
        pairs: Any = parts if name == "dict_items" else enumerate(parts) if name == "dict_values" else dict.fromkeys
        return getattr(self._made(dict, pairs) if pairs != dict.fromkeys else self._made(pairs, parts), _VIEWS[name])()
