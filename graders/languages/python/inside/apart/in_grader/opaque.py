"""An object of the submission where the reference gives data: it is read once, by iteration, without other requests."""

from __future__ import annotations

import _weakref
from typing import Any

from gradebox.graders.languages.python.inside.apart.codec import Reader, Writer
from gradebox.graders.languages.python.inside.apart.contract import TWO_SIDED
from gradebox.graders.languages.python.inside.apart.links import LINKS, Link, ask, link_of, may, refused
from gradebox.graders.languages.python.inside.apart.stand_ins import change, data_of

_AGAIN = "again"


class Opaque:
    """An object that can be read.

    Attributes:
        original: The stand-in that the other side gets back.
        shadow: A second stand-in, which has only this path.
        truth: The result of `bool` when it arrived, if its class has that.
    """

    __slots__ = (
        "__weakref__",
        "_gradebox_operators",
        "_gradebox_original",
        "_gradebox_read",
        "_gradebox_shadow",
        "_gradebox_truth",
    )

    def __init__(self, original: Any, path: Any, truth: bool | None = None) -> None:
        link, shadow = LINKS[id(original)], _alike(type(original))
        LINKS[id(shadow)] = made = Link(link.peer, link.number, path, link.place)
        made.about, key = link.about, id(shadow)
        made.reference = _weakref.ref(shadow, lambda _: LINKS.pop(key, None))
        self._gradebox_original, self._gradebox_shadow, self._gradebox_read = original, shadow, None
        self._gradebox_truth = truth
        self._gradebox_operators = LINKS[id(type(original))].about["operators"]

    def _gradebox_items(self, *needed: str) -> tuple[Any, ...]:
        if not any(name in self._gradebox_operators for name in needed):
            raise TypeError(f"{self!r} has no {needed[0]}()")
        if self._gradebox_read is None:
            self._gradebox_read = ask("read", self._gradebox_shadow)
        found: Any = self._gradebox_read
        if type(found) is not tuple:
            raise TypeError(f"{self!r} cannot be read")
        return found

    def __iter__(self) -> Any:
        return iter(self._gradebox_items("iter", "getitem"))

    def __len__(self) -> int:
        return len(self._gradebox_items("len"))

    def __getitem__(self, key: Any) -> Any:
        return self._gradebox_items("getitem")[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._gradebox_change("setitem", key, value)

    def __delitem__(self, key: Any) -> None:
        self._gradebox_change("delitem", key)

    def _gradebox_change(self, how: str, *rest: Any) -> None:
        if how not in self._gradebox_operators:
            raise TypeError(f"{self!r} has no {how}()")
        ask("operator", self._gradebox_shadow, how, *rest)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in Opaque.__slots__:
            object.__setattr__(self, name, value)
        else:
            change(self._gradebox_shadow, name, value)

    def __delattr__(self, name: str) -> None:
        ask("delete", self._gradebox_shadow, name)

    def __eq__(self, other: object) -> Any:
        if type(other) is bool and self._gradebox_truth is not None:
            return self._gradebox_truth is other
        if type(other) is not Opaque or type(self._gradebox_original) is not type(other._gradebox_original):
            return NotImplemented
        if self._gradebox_original is other._gradebox_original:
            # It came twice, such as a member of an enumeration.
            return True
        return self._gradebox_is_equal() and self._gradebox_data() == other._gradebox_data()

    def __hash__(self) -> int:
        return hash(self._gradebox_data()) if self._gradebox_is_equal() else id(self._gradebox_original) >> 4

    def _gradebox_is_equal(self) -> bool:
        return bool(LINKS[id(type(self._gradebox_original))].about["equal"])

    def _gradebox_data(self) -> Any:
        """Return the data by which two objects of the class are compared."""
        return data_of(self._gradebox_shadow)

    def __bool__(self) -> bool:
        if self._gradebox_truth is not None:
            return self._gradebox_truth
        return len(self) > 0 if "len" in self._gradebox_operators else True

    def __getattr__(self, name: str) -> Any:
        if may(self._gradebox_shadow, f"get {name}"):
            return ask("get", self._gradebox_shadow, name)
        error = AttributeError(f"{self!r} is not asked for {name!r}")
        link = LINKS[id(self._gradebox_shadow)]
        # It has such a method, so a test that expects none must fail.
        has_one = name in LINKS[id(type(self._gradebox_original))].about["methods"] and name[:1] != "_"
        raise link.peer.checkpoint.forbid(error) if has_one else error

    def __repr__(self) -> str:
        return f"<{type(self._gradebox_original).__name__} object of the submission, where the reference gives data>"


def _refusing(name: str) -> Any:
    def refuse(self: Any, *others: Any) -> Any:
        if name in self._gradebox_operators:
            refused(self._gradebox_shadow, f"operator {name}")
        return NotImplemented

    return refuse


# So errors of Python itself call it.
type.__setattr__(Opaque, "__name__", "object of the submission, where the reference gives data")
for _name in TWO_SIDED - {"contains"}:
    setattr(Opaque, f"__{_name}__", _refusing(_name))


def _alike(kind: Any) -> Any:
    """Return an uninitialized object of a class."""
    try:
        return kind.__new__(kind)
    except TypeError:
        # An exception group needs arguments.
        return kind.__new__(kind, "", [Exception()])


class _Kept:
    """A peer that sends nothing, and keeps objects that are not data."""

    def __init__(self, peer: Any) -> None:
        self.share = peer.share
        self.values: list[Any] = []

    def told_factory(self, factory: Any) -> Any:
        # A `DefaultValue` is this side's own, so that it stays as it is.
        return factory

    def put_other(self, writer: Writer, value: Any, depth: int) -> Any:
        if isinstance(value, tuple):
            return ["n", self.put_other(writer, type(value), depth), *writer.each(tuple(value), depth)]
        self.values.append(value._gradebox_original if type(value) is Opaque else value)
        return [_AGAIN, len(self.values) - 1]


class _Again(Reader):
    values: list[Any]

    def _tagged(self, tag: str, tree: list[Any], depth: int) -> Any:
        if tag != _AGAIN:
            return super()._tagged(tag, tree, depth)
        value = self.values[tree[1]]
        if link_of(value) is None:
            return value
        return self.peer.arrived(value, "class" if isinstance(value, type) else "object", {}, self, depth)


def look_again(peer: Any, value: Any, tag: tuple[str, str], place: Any) -> None:
    """Let the items of a container arrive at the places that it has now."""
    kept, reader = _Kept(peer), _Again(peer)
    writer: Any = Writer(kept)
    trees = writer.content(value, tag)
    reader.values, reader.place, reader.is_noted = kept.values, place, peer.checkpoint.noted is not None
    # Keep the old items alive, which nothing else may hold.
    old = list(value)
    value.clear()
    reader.content(value, tag, trees, 0)
    del old
