"""Reads what the sandbox reports about calls: one line for each call that was made or failed. Pure.

    ["=", NUMBER, VALUE]                 the value that a call returned
    ["!", NUMBER, [CLASS, ...], TEXT]    the error that it raised; the error's own class comes first
    NUMBER WHY                           why it did neither: a clause that follows the name of the call

A value is a tree as in docs/explanation/boundary.md, without references to earlier values. An object is sent as its
fields: ``["O", CLASS, NAME, V, ...]``. The name of a property follows a dot. A named tuple has its parts as ``.``, and
their names as ``..``. The candidate can write these lines itself. So they only state what a call returned or raised,
never whether that is right. If a call has two replies, the first counts.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from gradebox.graders import languages
from gradebox.graders.checks.calls.data_values import DataObject, FieldTuple, keys, mapping
from gradebox.graders.documents import strict_json
from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.codec import Reader
from gradebox.graders.languages.python.inside.apart.wire import Malformed

CAPTURE_BYTES = 2 << 20
"""Limit of the replies to all calls of a check together."""
_WORD = 200
_START = re.compile(rb'(?:\["[=!]",)?(\d{1,9})[, ]')
# Python refuses to print integers of more than 4300 digits.
_DIGITS = 3500
_MOST = 1 << 20
# The `memoryview` format of the elements of typed arrays; other arrays are bytes.
_ELEMENTS: Mapping[str, Any] = {
    "Int8Array": "b", "Uint16Array": "H", "Int16Array": "h", "Uint32Array": "I", "Int32Array": "i",
    "Float32Array": "f", "Float64Array": "d", "Uint8ClampedArray": "B", "BigInt64Array": "q", "BigUint64Array": "Q",
}  # fmt: skip


class CallReply(NamedTuple):
    """The result of a call: it returned a value, raised an error, or did neither.

    Attributes:
        raised: The names of the error's class and its base classes, in this order; empty if the call returned.
        message: The error's message.
        problem: Why there is no value: a clause that follows the name of the call.
    """

    value: Any = None
    raised: tuple[str, ...] = ()
    message: str = ""
    problem: str = ""


class NoData(Exception):
    """A value is not data, so it cannot be compared; the message says what it is."""


def missing_program(report: bytes) -> str:
    """Return the program that the image lacks; empty if it lacks none."""
    first = report[:_WORD].split(b"\n", 1)[0].decode("utf-8", "replace")
    return first.removeprefix("missing ") if first.startswith("missing ") else ""


def replies(report: bytes, count: int, language: str) -> dict[int, CallReply]:
    """Return the results of calls by their numbers. Calls without a reply are missing from it."""
    found: dict[int, CallReply] = {}
    for line in report.split(b"\n"):
        start = _START.match(line)
        if start and int(start[1]) < count and int(start[1]) not in found:
            why = line[start.end() :][:_WORD].decode("utf-8", "replace")
            found[int(start[1])] = _reply(line, language) if line.startswith(b"[") else CallReply(problem=why)
    return found


def _reply(line: bytes, language: str) -> CallReply:
    try:
        match strict_json.loads(line.decode()):
            case ["=", _, tree]:
                return CallReply(value_of(tree, language))
            case ["!", _, [str(), *_] as names, str(message)] if all(isinstance(name, str) for name in names):
                return CallReply(raised=_classes(names, language), message=message[:2000])
    except NoData as what:
        return CallReply(problem=f"did not return data: {what}")
    # Python looks for the name of a time zone in files, and a name may be one of a directory, or too long.
    except (ValueError, Malformed, OSError) as error:
        return CallReply(problem=f"returned something that cannot be read: {str(error)[:_WORD]}")
    return CallReply(problem="sent a reply that cannot be read")


def _classes(names: list[str], language: str) -> tuple[str, ...]:
    """Return the names of an error's classes, with only the first of sibling classes: no real error has several."""
    found = tuple(name[:_WORD] for name in names[:50])
    runner = languages.get(language).calls
    siblings = runner.sibling_errors if runner else frozenset[str]()
    first = next((name for name in found if name in siblings), "")
    return tuple(name for name in found if name == first or name not in siblings)


def value_of(tree: Any, language: str) -> Any:
    """Return the value that a tree represents in a language.

    Raises:
        NoData: If the value is not data, so that it cannot be compared.
        Malformed: If the tree represents no value.
    """
    return _DataReader(language).get(tree)


def _object(kind: str, found: Mapping[str, Any]) -> Any:
    """Return an object, or a tuple whose parts have names."""
    fields = {name: value for name, value in found.items() if not name.startswith(".")}
    more = {name[1:]: value for name, value in found.items() if name.startswith(".")}
    match more.pop("", None), more.pop(".", None):
        case tuple(parts), tuple(names) if len(parts) == len(names) and all(isinstance(name, str) for name in names):
            made = FieldTuple(parts)
            made.as_object = DataObject(kind, dict(zip(names, parts, strict=True)), more)
            return made
    return DataObject(kind, fields, more)


class _DataReader(Reader):
    """Reads values of all languages, including those without a counterpart in Python's library."""

    def __init__(self, language: str) -> None:
        super().__init__(self)
        runner = languages.get(language).calls
        assert runner is not None
        self.runner, self.dialect = runner, runner.dialect or language

    def get(self, tree: Any, depth: int = 0) -> Any:
        is_number = type(tree) is int and self.runner.one_number
        found = super().get(0 if is_number else tree, depth)
        return tree if is_number else found

    def _tagged(self, tag: str, tree: list[Any], depth: int) -> Any:
        match tree:
            case [_, int(number), str(kind), *parts] if kind in BOUNDARY["kinds"].get(tag, {}).get(self.dialect, ()):
                if number < 0:
                    return self._container(tag, kind, parts, depth)
            case ["i", str(digits)] if len(digits) > _DIGITS:
                raise NoData("a very long integer")
            case ["O", str(kind), *parts]:
                return _object(kind, self._container("r", kind, parts, depth))
            case ["k", word] if word in self.runner.nulls:
                return None
            case ["v", str(name), *parts] if name in self.runner.scalars:
                return self.runner.scalars[name](*self.each(parts, depth))
            case ["z", *parts] if self.runner.has_library:
                return set(keys(self.each(parts, depth)))
            case ["t" | "i" | "f" | "b" | "v", *_]:
                return super()._tagged(tag, tree, depth)
        raise NoData("an object")

    def _container(self, tag: str, kind: str, parts: list[Any], depth: int) -> Any:
        if tag == "x" or kind in ("deque", "defaultdict"):
            raise NoData(f"a {kind}")
        if tag == "B":
            (text,) = parts
            data = base64.b64decode(text, validate=True)
            return memoryview(data).cast(_ELEMENTS[kind]).tolist() if kind in _ELEMENTS else data
        # A JavaScript array may have named properties after its elements.
        end = parts.index(["k", "keys"]) if tag == "l" and ["k", "keys"] in parts else len(parts)
        found = self.each(parts[:end], depth)
        if tag == "w":
            (milliseconds,) = found
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
        if tag == "r" and not all(isinstance(name, str) for name in found[::2]):
            raise Malformed("the name of a field is not text")
        return found if tag == "l" else set(keys(found)) if tag == "s" else mapping(found[::2], found[1::2])

    def _value(self, name: str, parts: list[Any]) -> Any:
        if not self.runner.has_library or name.startswith(("dict_", "pathlib.", "mappingproxy", "memoryview")):
            raise NoData(f"a {name}")
        value = super()._value(name, parts)
        if not isinstance(value, range):
            return value
        self.parts += len(value)
        if self.parts > _MOST:
            raise NoData(f"a value of more than {_MOST} parts")
        return tuple(value)
