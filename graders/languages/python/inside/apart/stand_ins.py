"""Stand-ins: objects of this process that represent classes and objects of the other process.

Each class of the other process has one class here (class_making.py). Its bases mirror those of the original, as far as
these are exceptions or classes of the other side. It has the original's methods and operators; each sends a request to
the other process. So `isinstance`, `except`, `len`, `with`, `await` and `super()` work, and `len` fails as it should.

An object is equal to data only if its class is derived from that kind of data; this process compares the data.
"""

from __future__ import annotations

import _weakref
import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.links import (
    LINKS,
    REPLACED,
    BoundMethod,
    Method,
    ask,
    attribute,
    flat,
    is_forwarded,
    link_of,
    may,
)
from gradebox.graders.languages.python.inside.apart.parameters import signature

_LOCAL = frozenset(
    "__traceback__ __cause__ __context__ __suppress_context__ __notes__ args with_traceback add_note".split()
)
CHANGING = frozenset(("list", "dict", "set", "bytearray"))
"""Mutable kinds of data."""
TEXT = "_gradebox_text"
"""The attribute of an exception with the text that its class produces."""


def _asking(what: str, *words: str) -> Any:
    """Return a special method that sends a request to the original."""
    return lambda thing, *others: ask(what, thing, *words, *others)


_copy_of = _asking("copy")


def _names(thing: Any) -> Any:
    """Return the names of attributes; for a lent object, only those of the object itself."""
    link = link_of(thing)
    if link is None or link.peer.side > 0:
        return ask("dir", thing)
    try:
        return ask("keys", thing)
    except TypeError:
        return []


def _text(how: str) -> Any:
    """Return a special method that makes a text: the original's, or ours if the contract has no such request."""

    def text(self: Any, *spec: str) -> str:
        is_error = isinstance(self, BaseException)
        if not (is_error and LINKS[id(self)].peer.side < 0) and may(self, f"operator {how}"):
            return str(ask("operator", self, how, *spec))
        if is_error and how == "format":
            return str(self).__format__(*spec)
        if is_error:
            told = self.__dict__.get(TEXT) if how == "str" else None
            return told if type(told) is str else getattr(BaseException, f"__{how}__")(self)
        return f"<{type(self).__module__}.{type(self).__qualname__} object of the submission>"

    return text


class StandInType(type):
    """The class of stand-ins for classes."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **named: Any) -> Any:
        # A class statement of this side derives a class here; the other side gets one whose methods call back.
        made = super().__new__(mcs, name, bases, namespace)
        peer = next(link.peer for link in map(link_of, made.__mro__) if link is not None)
        peer.derive(made, bases, namespace, flat(named))
        return made

    def __init__(cls, name: str, bases: Any, namespace: Any, **named: Any) -> None:
        super().__init__(name, bases, namespace)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return ask("call", cls, args, flat(kwargs))

    def __getattr__(cls, name: str) -> Any:
        link = link_of(cls)
        if name == "__dataclass_fields__" and link is not None and link.about.get("dataclass") is not None:
            return _fields(link.about["dataclass"])
        if not is_forwarded(name) or link is None:
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        return link.peer.named(attribute(cls, name), name)

    def __setattr__(cls, name: str, value: Any) -> None:
        if name.startswith("__abstract") or link_of(cls) is None:
            super().__setattr__(name, value)
        else:
            change(cls, name, value)

    __annotations__ = property(lambda cls: attribute(cls, "__annotations__") if link_of(cls) is not None else {})
    __delattr__, __iter__, __getitem__, __dir__ = *map(_asking, ("delete", "iter", "item")), _names
    __len__ = _asking("operator", "len")

    def __bool__(cls) -> bool:
        return True

    def __instancecheck__(cls, thing: Any) -> bool:
        if super().__instancecheck__(thing) or link_of(thing) is None or link_of(cls) is None:
            return super().__instancecheck__(thing)
        # A protocol or an abstract class may have instances of unrelated classes.
        return LINKS[id(cls)].about.get("abstract") is True and ask("isinstance", cls, thing) is True

    def __subclasscheck__(cls, other: Any) -> bool:
        if super().__subclasscheck__(other) or link_of(other) is None or link_of(cls) is None:
            return super().__subclasscheck__(other)
        is_told = LINKS[id(cls)].peer.side > 0 and LINKS[id(cls)].about.get("abstract") is True
        return is_told and ask("issubclass", cls, other) is True

    def __repr__(cls) -> str:
        return f"<class '{cls.__module__}.{cls.__qualname__}'>"


class _Copy:
    """The method `__copy__`, which iterators do not show: `itertools.tee` looks for it, and copies none without it."""

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        if thing is not None and hasattr(kind, "__next__"):
            raise AttributeError("__copy__")
        return _copy_of if thing is None else lambda: _copy_of(thing)


class StandIn:
    """The base of all stand-ins for objects."""

    __slots__ = ("__weakref__",)

    def __getattr__(self, name: str) -> Any:
        if name == "__signature__" and type(self).__name__ in ("function", "method"):
            link = LINKS[id(self)]
            return signature(link.peer.described(name, link.about.get("parameters")), self)
        if name == "__dataclass_fields__":
            return getattr(type(self), name)
        if not is_forwarded(name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = attribute(self, name)
        return LINKS[id(self)].peer.named(found, name) if type(self).__name__ == "module" else found

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _LOCAL:
            object.__setattr__(self, name, value)
        else:
            change(self, name, value)

    __delattr__, __copy__, __dir__ = _asking("delete"), _Copy(), _names
    # A base that is data must not compare for the original.
    __ne__ = object.__ne__
    __repr__, __str__, __format__ = map(_text, ("repr", "str", "format"))

    def __deepcopy__(self, memo: Any) -> Any:
        return ask("deepcopy", self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        checkpoint = LINKS[id(self)].peer.checkpoint
        raise checkpoint.limited("an object of the submission cannot be pickled")

    def __del__(self) -> None:
        link = link_of(self)
        if link is not None and link.peer.side > 0 and _weakref.getweakrefcount(self) > 1:
            # A test may expect that its reference dies. Only the test's stand-in does so for certain.
            what = "a weak reference to an object of the submission ends with the test's own references"
            link.peer.checkpoint.limited(what)

    def __hash__(self) -> int:
        return id(self) >> 4

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        kind = LINKS[id(type(self))]
        how, data = kind.about["equal"], kind.about["data"]
        if kind.peer.side < 0:
            return ask("operator", self, "eq", other) if how else NotImplemented
        if link_of(other) is None:
            is_data = data and type(other).__module__ == "builtins"
            return data_of(self, data) == other if is_data else NotImplemented
        if how == "data" and type(other) is type(self):
            return data_of(self, data) == data_of(other, data)
        if how and may(self, "operator eq", other):
            return ask("operator", self, "eq", other)
        if how == "fields" and type(other) is type(self) and may(self, "equal fields"):
            return data_of(self) == data_of(other)
        return NotImplemented


def data_of(thing: Any, data: str = "") -> Any:
    """Return the data of a stand-in's original, or its fields.

    Immutable data is used as it was when the object arrived.

    Raises:
        TypeError: If the original has no such data.
    """
    found = LINKS[id(thing)].data if data and data not in CHANGING else ask("plain", thing)
    if type(found).__name__ != (data or "tuple"):
        raise TypeError(f"the data of {type(thing).__name__!r} is none")
    return found


def change(thing: Any, name: str, value: Any, what: str = "set") -> None:
    """Replace an attribute of the original."""
    link = link_of(thing)
    if link is not None and link.peer.side < 0:
        link.peer.own.setdefault(id(thing), (thing, {}))[1][name] = value
        return
    if isinstance(value, (Method, BoundMethod)) and value.__name__ == name:
        ask("restore", thing, name)
        return
    if not isinstance(thing, (type, type(sys))) and callable(value):
        try:
            REPLACED.append((thing, name, ask("original", thing, name)))
        except AttributeError:
            pass
    ask(what, thing, name, value)


def _fields(names: Any) -> Any:
    import dataclasses

    made: Any = dataclasses.make_dataclass("_", names, init=False, repr=False, eq=False)
    return made.__dataclass_fields__


class StandInModule(type(sys)):  # type: ignore[misc]
    """A module of the other process."""

    __doc__ = property(lambda self: ask("get", self, "__doc__") if link_of(self) is not None else None)

    def __getattr__(self, name: str) -> Any:
        link, frame = link_of(self), sys._getframe(1)
        if link is None or not is_forwarded(name):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name == "__all__" and _is_star(frame):
            return self._exported(link)
        # `import *` alone does not name the class; a later use in the tests does.
        checkpoint = link.peer.checkpoint
        is_aside = checkpoint.is_aside = _is_star(frame) and not _says(frame.f_code, name)
        try:
            found = attribute(self, name)
        finally:
            checkpoint.is_aside = False
        return found if is_aside else link.peer.named(found, name)

    def _exported(self, link: Any) -> list[str]:
        """Return the names for `import *`: none that the file has from elsewhere; without a reference, no builtins."""
        import builtins

        space, checkpoint = sys._getframe(2).f_globals, link.peer.checkpoint
        told = [name for name in link.peer.ask("exported", self) if isinstance(name, str) and is_forwarded(name)]
        if checkpoint.words is not None:
            told = [name for name in told if may(self, f"get {name}")]
        before = {name for place, name in checkpoint.starred if place == id(space)}
        kept = {name for name in told if name in space and name not in before and link_of(space[name]) is None}
        if checkpoint.words is None and checkpoint.noted is None:
            kept |= {name for name in told if hasattr(builtins, name)}
        if kept:
            names = ", ".join(sorted(kept)[:9])
            checkpoint.limit(f"`from {self.__name__} import *` takes no {names}; import it by name")
        checkpoint.starred.update((id(space), name) for name in told if name not in kept)
        return sorted(name for name in told if name not in kept)

    def __setattr__(self, name: str, value: Any) -> None:
        is_part = isinstance(value, type(sys)) and value.__name__ == f"{self.__name__}.{name}"
        if name.startswith("__") or link_of(self) is None or (is_part and link_of(value) is None):
            super().__setattr__(name, value)
        elif not is_part:
            change(self, name, value)

    __delattr__, __dir__ = map(_asking, ("delete", "dir"))


def _is_star(frame: Any) -> bool:
    import opcode

    return opcode.opname[frame.f_code.co_code[frame.f_lasti]] in ("IMPORT_STAR", "CALL_INTRINSIC_1")


def _says(code: Any, name: str) -> bool:
    return name in code.co_names or any(_says(part, name) for part in code.co_consts if type(part) is type(code))
