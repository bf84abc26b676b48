"""Writes values as JSON trees and reads them back: data and no code, for processes that do not trust each other.

docs/explanation/boundary.md lists the trees. Mutable containers have a number, so that aliases, cycles and later
changes are known on both sides. The peer writes and reads everything that is not data. The reader accepts no more
parts, levels or bytes than boundary.json allows, and only the types that it names.
"""

from __future__ import annotations

import binascii
import sys
from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.values import VIEWS, made_value, named, value_parts
from gradebox.graders.languages.python.inside.apart.wire import Malformed, typed

_PARTS, _DEPTH = BOUNDARY["limits"]["parts"], BOUNDARY["limits"]["depth"]
_GREATEST = 1 << 53
_WITH_ARGUMENTS = frozenset(("call", "method", "base"))
_THEMSELVES = {str, bool, type(None)}
_FLOATS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf"), "-0": -0.0}
_HEXADECIMAL = frozenset("0123456789abcdef")
# Tags and kinds of mutable containers.
_CONTAINERS = {
    "builtins.list": ("l", ""), "collections.deque": ("l", "deque"), "builtins.dict": ("d", ""),
    "collections.OrderedDict": ("d", "OrderedDict"), "collections.Counter": ("d", "Counter"),
    "collections.defaultdict": ("d", "defaultdict"), "builtins.set": ("s", ""),
    "builtins.bytearray": ("B", "bytearray"),
}  # fmt: skip
_KINDS = {tag: name for name, tag in _CONTAINERS.items() if tag[1] in BOUNDARY["kinds"][tag[0]]["python"]}


def container_tag(kind: type) -> tuple[str, str] | None:
    """Return the tag and the kind of a mutable container, None for any other type."""
    found = _CONTAINERS.get(f"{kind.__module__}.{kind.__qualname__}")
    return found if found and getattr(sys.modules[kind.__module__], kind.__qualname__, None) is kind else None


class Writer:
    """Makes trees from the values of one message; `path` holds the paths on which objects in them are given.

    While an argument of a call is being written, the peer's `argument` is its number, counted from 1.
    """

    def __init__(self, peer: Any, path: Any = ()) -> None:
        self.peer, self.path, self.parts = peer, path, 0
        peer.argument = 0

    def put(self, value: Any, depth: int = 0) -> Any:
        """Return the tree of a value.

        Raises:
            ValueError: If the value is too deep or too large.
        """
        kind = type(value)
        self.parts += 1
        if depth > _DEPTH or self.parts > _PARTS:
            raise ValueError("a value that is this deep or large cannot be passed between two processes")
        if kind in _THEMSELVES:
            return value
        if kind is int:
            return value if -_GREATEST < value < _GREATEST else ["i", f"{value:x}"]
        if kind is float:
            is_plain = value - value == 0 and (value or str(value) == "0.0")
            return value if is_plain else ["f", "-0" if value == 0 else str(value)]
        if kind is tuple or kind is frozenset:
            return ["t" if kind is tuple else "z", *self.each(value, depth)]
        if kind is bytes:
            return ["b", _base64(value)]
        tag = container_tag(kind)
        if tag:
            number, is_new = self.peer.share(value, (self.path,))
            return [tag[0], number, tag[1], *self.content(value, tag, depth)] if is_new else ["#", number]
        name, parts = value_parts(value)
        if name:
            return ["v", name, *self.each(parts, depth)]
        is_constant = value is ... or value is NotImplemented
        return ["k", str(value)] if is_constant else self.peer.put_other(self, value, depth)

    def content(self, value: Any, tag: tuple[str, str], depth: int = 0) -> list[Any]:
        """Return the trees of a container's items."""
        if tag[0] == "B":
            return [_base64(value)]
        if tag[0] == "d":
            first = [self.peer.told_factory(value.default_factory)] if tag[1] == "defaultdict" else []
            return self.each(first + [part for pair in value.items() for part in pair], depth)
        return self.each([value.maxlen, *value] if tag[1] == "deque" else value, depth)

    def each(self, values: Any, depth: int) -> list[Any]:
        if set(map(type, values)) <= _THEMSELVES:
            self.parts += len(values)
            return list(values)
        return [self.put(value, depth + 1) for value in values]

    def request(self, parts: list[Any]) -> list[Any]:
        """Return the trees of the parts of a request. Those of a call end with its arguments, and the named ones."""
        if parts[0] not in _WITH_ARGUMENTS:
            return [self.put(part) for part in parts]
        args, named = parts[-2:]
        trees = [self.put(part) for part in parts[:-2]]
        told = []
        for place, value in enumerate((*args, *named), 1):
            self.peer.argument = place
            told.append(self.put(value, 1))
        self.peer.argument = 0
        return [*trees, ["t", *told[: len(args)]], ["t", *told[len(args) :]]]


class Reader:
    """Makes values from the trees of one message, which arrives on the paths in `path`.

    Attributes:
        place: The place of the value that is being read: the place of its container, and its key there. At first, only
            the paths of the message.
        is_noted: Whether the contents of containers are recorded.
        is_raised: Whether the message reports an exception.
        is_served: Whether a function that the other side called gets what the message has.
    """

    def __init__(self, peer: Any, path: Any = ()) -> None:
        self.peer, self.parts = peer, 0
        self.place: tuple[Any, ...] = (path,)
        self.is_noted = self.is_raised = self.is_served = False

    def get(self, tree: Any, depth: int = 0) -> Any:
        """Return the value of a tree.

        Raises:
            Malformed: If the tree is invalid.
        """
        kind = type(tree)
        self.parts += 1
        if depth > _DEPTH or self.parts > _PARTS:
            raise Malformed("it is too deep or too large")
        is_number = (kind is int and -_GREATEST < tree < _GREATEST) or (kind is float and tree - tree == 0)
        if kind in _THEMSELVES or is_number:
            return tree
        if kind is not list or not tree or type(tree[0]) is not str:
            raise Malformed("it is not a value")
        try:
            return self._tagged(tree[0], tree, depth)
        except (TypeError, ValueError, ArithmeticError, LookupError, OSError, RecursionError) as error:
            raise Malformed(f"it is none: {type(error).__name__}: {error}") from None

    def _tagged(self, tag: str, tree: list[Any], depth: int) -> Any:
        if tag in ("t", "z"):
            parts = self.each(tree[1:], depth, "position" if tag == "t" else "")
            return tuple(parts) if tag == "t" else frozenset(parts)
        if tag in ("l", "d", "s", "B"):
            value = named(_KINDS[tag, typed(tree[2])].replace("builtins.", ""))()
            if tree[2] == "deque":
                value = type(value)((), tree[3] if tree[3] is None else typed(tree[3], int))
            self.peer.know(tree[1], value, self.place)
            return self.content(value, (tag, tree[2]), tree[3:], depth)
        if tag == "v":
            name, parts = typed(tree[1]), tree[2:]
            is_view = name in VIEWS
            return self._value(name, self.each(parts, depth, VIEWS[name]) if is_view
                               else [*map(self.get, parts, [depth + 1] * len(parts))])  # fmt: skip
        if tag not in ("i", "f", "b", "#"):
            return self.peer.get_other(self, tag, tree, depth)
        _, part = tree
        if tag == "i":
            digits = typed(part)[part.startswith("-") :]
            return int(part, 16) if digits and _HEXADECIMAL.issuperset(digits) else _FLOATS[digits]
        if tag == "#":
            return self.peer.came_again(self.peer.shared_object(part), self)
        return _FLOATS[typed(part)] if tag == "f" else _bytes(typed(part))

    def _value(self, name: str, parts: list[Any]) -> Any:
        return made_value(name, parts)

    def at(self, place: tuple[Any, ...] = ()) -> Any:
        """Return the paths of a place, by default those of the value that is being read."""
        place = place or self.place
        return place[0] if len(place) == 1 else self.peer.inner(self.at(place[0]), place[1])

    def each(self, trees: list[Any], depth: int, by: str = "position") -> list[Any]:
        """Return the values of a container, each with its position, its preceding name or nothing as its key."""
        if not self.is_noted and set(map(type, trees)) <= _THEMSELVES:
            self.parts += len(trees)
            return trees
        outer = self.place
        found: list[Any] = []
        for number, tree in enumerate(trees):
            is_named = by == "name" and number % 2 == 1
            key = found[-1] if is_named and type(found[-1]) is str else number if by == "position" else None
            self.place = (outer, key)
            found.append(self.get(tree, depth + 1))
            if self.is_noted and (is_named or by != "name"):
                self.peer.came(found[-1], self.at())
        self.place = outer
        return found

    @property
    def is_aside(self) -> bool:
        """Whether the value that is being read accompanies another one, for example as its class."""
        return type(self.place[-1]) is tuple and len(self.place) > 1

    def aside(self, tree: Any, depth: int, step: str) -> Any:
        """Return a part that accompanies a value but is none of its items."""
        outer = self.place
        self.place = (outer, (step,))
        found = self.get(tree, depth + 1)
        self.place = outer
        return found

    def request(self, content: list[Any]) -> list[Any]:
        """Return the parts of a request; the arguments of a call have their positions and names as keys."""
        is_call = content[0] == "call" and len(content) == 4
        if is_call and not all(type(part) is list and part[:1] == ["t"] for part in content[2:]):
            raise Malformed("the arguments of a call are not two tuples")
        found = [self.get(part) for part in (content[:3] if is_call else content)]
        return [*found, tuple(self.each(content[3][1:], 0, "name"))] if is_call else found

    def content(self, value: Any, tag: tuple[str, str], trees: list[Any], depth: int) -> Any:
        """Fill an empty container with its items, and let the peer remember them."""
        if tag[0] == "B":
            (part,) = trees
            value += _bytes(typed(part))
        elif tag[0] == "l":
            value += self.each(trees[1:] if tag[1] else trees, depth)
        elif tag[0] == "s":
            value |= set(self.each(trees, depth, ""))
        else:
            if tag[1] == "defaultdict":
                factory = self.aside(trees[0], depth, ".default_factory")
                factory = self.peer.factory(factory, value.default_factory, self)
                value.default_factory = type(value)(factory).default_factory
                trees = trees[1:]
            flat = self.each(trees, depth, "name")
            for place in range(0, len(flat), 2):
                value[flat[place]] = flat[place + 1]
        self.peer.remember(value)
        return value


def number(part: Any) -> int:
    """Return the number of an object or a message. Raises Malformed if it is none."""
    if not (-_GREATEST < typed(part, int) < _GREATEST and part):
        raise Malformed("it has something else in place of a number")
    return int(part)


def _base64(value: Any) -> str:
    return binascii.b2a_base64(value, newline=False).decode()


def _bytes(part: str) -> bytes:
    found = binascii.a2b_base64(part)
    if _base64(found) != part:
        raise Malformed("bytes are not written as base64")
    return found
