"""Containers that both sides of a connection hold: their numbers, and what has changed in them since the last message.

A container is copied. As long as both sides hold it, every message says how it has changed, so that a list that one
side passes and the other changes is one list.
"""

from __future__ import annotations

import _operator
import sys
from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.codec import Malformed, Reader, Writer, container_tag

if TYPE_CHECKING:
    from typing import Any

_KEPT = 20_000
_SAME = _operator.is_


def _snapshot(value: Any, tag: bytes) -> Any:
    if tag == b"a":
        return bytes(value)
    return [*value.keys(), *value.values()] if tag in b"docw" else list(value)


def _holders() -> int:
    entry = [object()]
    return sys.getrefcount(entry[0])


class Sharing:
    """The containers of one side, whose numbers have one sign."""

    def __init__(self, side: int) -> None:
        self.side = side
        self.forget_all()

    def forget_all(self) -> None:
        """Begin with a process that knows nothing yet."""
        self.next_number = self.side
        self.shared: dict[int, list[Any]] = {}
        self.shared_numbers: dict[int, int] = {}

    def share(self, value: Any) -> tuple[int, bool]:
        """Return the number of a container, and whether the other side does not know it yet."""
        number = self.shared_numbers.get(id(value))
        if number is not None:
            return number, False
        number = self.new_number()
        self.know(number, value)
        self.remember(value)
        return number, True

    def new_number(self) -> int:
        self.next_number += self.side
        return self.next_number

    def know(self, number: int, value: Any) -> None:
        if number in self.shared:
            raise Malformed("it gives two containers one number")
        self.shared[number] = [value, None, container_tag(type(value))]
        self.shared_numbers[id(value)] = number

    def remember(self, value: Any) -> None:
        """Take note of what is in a container now."""
        number = self.shared_numbers.get(id(value))
        if number is not None:
            entry = self.shared[number]
            entry[1] = _snapshot(value, entry[2])

    def forget(self, number: int) -> None:
        entry = self.shared.pop(number, None)
        if entry is not None:
            self.shared_numbers.pop(id(entry[0]), None)

    def shared_object(self, number: int) -> Any:
        if number not in self.shared:
            raise Malformed("it names a container that was not sent")
        return self.shared[number][0]

    def write_changes(self, writer: Writer) -> None:
        changed = []
        for number, (value, before, tag) in self.shared.items():
            if before is None:
                # It is being read; a key of its own has asked for its hash.
                continue
            now = _snapshot(value, tag)
            if now != before if tag == b"a" else len(now) != len(before) or not all(map(_SAME, now, before)):
                changed.append(number)
        writer.put(len(changed))
        for number in changed:
            entry = self.shared[number]
            writer.number(entry[2], number)
            writer.content(entry[0], entry[2])
            entry[1] = _snapshot(entry[0], entry[2])

    def read_changes(self, reader: Reader) -> None:
        count = reader.get()
        if type(count) is not int:
            raise Malformed("it does not say what has changed")
        for _ in range(count):
            tag, number = reader._take(1), reader.number()
            value = self.shared_object(number)
            if tag != self.shared[number][2]:
                raise Malformed("a container has become another")
            # What was in it may be needed to read what is in it now.
            old = list(value) if tag != b"a" else None
            if tag == b"a":
                del value[:]
            else:
                value.clear()
            reader.content(value, tag, 0)
            self.remember(value)
            del old

    def unused(self) -> list[int]:
        """Return the numbers of containers that nothing here holds any more, and forget them."""
        found = []
        for number in list(self.shared):
            entry = self.shared[number]
            if sys.getrefcount(entry[0]) <= _HELD or len(self.shared) > _KEPT:
                found.append(number)
                self.forget(number)
            del entry
        return found


_HELD = _holders()
