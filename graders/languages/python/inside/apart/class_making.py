"""Makes stand-ins for classes of the other process, with the methods and operators of the originals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.describing import is_failure
from gradebox.graders.languages.python.inside.apart.library_bases import real_data, shown_class, stand_for
from gradebox.graders.languages.python.inside.apart.links import (
    LINKS,
    Method,
    ask,
    attribute,
    flat,
    is_forwarded,
    link_of,
    may,
    refused,
)
from gradebox.graders.languages.python.inside.apart.stand_ins import CHANGING, StandIn, StandInType, data_of

_ALL = BOUNDARY["python"]["operators"]
_REFLECTED = frozenset(_ALL["two_sided"]) - {"contains"}
_MADE = {*_ALL["two_sided"], *_ALL["others"], "call"} - {"eq", "repr", "str", "format"}


def _special(name: str) -> Callable[..., Any]:
    """Return a method that requests an operator, or uses the object's data if that request is not allowed."""

    def operator(self: Any, *others: Any) -> Any:
        if may(self, f"operator {name}", *others):
            return ask("operator", self, name, *others)
        held = _held(self)
        own = getattr(held, f"__{name}__", None) if held is not None else None
        if own is not None:
            return own(*others)
        if name == "contains":
            return any(others[0] is one or others[0] == one for one in self)
        error = refused(self, f"operator {name}")
        if name in _REFLECTED:
            return NotImplemented
        raise error

    return operator


def _held(thing: Any) -> Any:
    """Return the data of a stand-in's original, which is used in place of requests."""
    if issubclass(type(thing), tuple):
        return tuple(tuple.__iter__(thing))
    data = LINKS[id(type(thing))].about["data"]
    return data_of(thing, data) if data in CHANGING else LINKS[id(thing)].data if data else None


def _call(self: Any, *args: Any, **kwargs: Any) -> Any:
    return ask("call", self, args, flat(kwargs))


def _bool(self: Any) -> bool:
    operators = LINKS[id(type(self))].about["operators"]
    for name in ("bool", "len"):
        if name in operators and may(self, f"operator {name}"):
            return bool(ask("operator", self, name))
    held = _held(self)
    return held is None or bool(held)


def _hash(self: Any) -> int:
    held = _held(self)
    if held is not None:
        return hash(held)
    return int(ask("operator", self, "hash")) if may(self, "operator hash") else id(self) >> 4


def _await(self: Any) -> Any:
    """Run an awaitable of the other process, concurrently with the loop here."""
    if not may(self, "operator await"):
        raise refused(self, "operator await")
    return LINKS[id(self)].peer.loops.run(self)


def _await_once(self: Any) -> Any:
    """Go on with a coroutine: `anext` with a default takes a new iterator for each step."""
    link = LINKS[id(self)]
    if link.running is None:
        link.running = _until_done(link, _await(self))
    return link.running


def _until_done(link: Any, running: Any) -> Any:
    try:
        return (yield from running)
    finally:
        link.running = None


def _going_on(how: str) -> Any:
    """Return a method of a coroutine that drives a local replacement of the original."""

    def go_on(self: Any, *args: Any) -> Any:
        return getattr(_await_once(self), how)(*args)

    return go_on


def _close(self: Any) -> None:
    link = LINKS[id(self)]
    running, link.running = link.running, None
    if running is not None:
        running.close()
    elif link.peer.side < 0:
        ask("cancel", self, 0)
    else:
        ask("close", self)


def _exit(self: Any, *error: Any) -> Any:
    try:
        is_caught = _special("exit")(self, *error)
    except Exception:
        if not _ends_test(self, error):
            raise
        return False
    return is_caught and _may_catch(self, error)


async def _aexit(self: Any, *error: Any) -> Any:
    try:
        is_caught = await _special("aexit")(self, *error)
    except Exception:
        if not _ends_test(self, error):
            raise
        return False
    return is_caught and _may_catch(self, error)


def _ends_test(self: Any, error: Any) -> bool:
    return LINKS[id(self)].peer.side > 0 and any(map(is_failure, error))


def _may_catch(self: Any, error: Any) -> bool:
    """Whether a context may catch an exception of the tests: never a failure, and only what the reference catches."""
    kinds = [type(each).__name__ for each in error if isinstance(each, BaseException)]
    if _ends_test(self, error):
        return False
    other = [kind for kind in kinds if not may(self, f"catch {kind}")]
    if other:
        refused(self, f"catch {other[0]}")
    return not other


_OWN = {"call": _call, "await": _await, "hash": _hash, "bool": _bool, "exit": _exit, "aexit": _aexit}


def _class(self: Any) -> Any:
    """Return the class of the original, so that a stand-in for an object of the library shows its kind."""
    import types

    kind = type(self)
    names = {"function": types.FunctionType, "method": types.MethodType, "module": types.ModuleType,
             "builtin_function_or_method": types.BuiltinFunctionType, "generator": types.GeneratorType,
             "coroutine": types.CoroutineType, "async_generator": types.AsyncGeneratorType, "code": types.CodeType,
             "property": property, "map": map, "zip": zip, "filter": filter, "enumerate": enumerate}  # fmt: skip
    return names.get(kind.__name__, kind)


class _Doc:
    """The docstring of a class; its objects may have their own, as functions have."""

    def __init__(self, told: str | None, has_others: bool) -> None:
        self.told, self.has_others = told, has_others

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        if thing is not None and self.has_others:
            try:
                return attribute(thing, "__doc__")
            except (AttributeError, TypeError):
                pass
        link = link_of(kind)
        return self.told if link is None else link.peer.described("__doc__", self.told)


def make_class(about: dict[str, Any], bases: tuple[type, ...], library: Any = ()) -> Any:
    """Return a stand-in for a class.

    Args:
        about: The other side's description of it (`describe`).
        bases: Stand-ins for its bases, or exceptions.
        library: Classes of the library of which its objects are instances.
    """
    names, operators = about["methods"], set(about["operators"])
    if "len" in operators:
        operators.add("bool")
    namespace: dict[str, Any] = {name: Method(name, about["qualname"]) for name in names if is_forwarded(name)}
    namespace.update({f"__{name}__": _OWN.get(name) or _special(name) for name in operators & _MADE})
    namespace["__init__"] = Method("__init__", about["qualname"])
    plain_kind: Any = next((base for base in bases if issubclass(base, BaseException)), None)
    if plain_kind:
        # An exception's class may make its text; otherwise the builtin class from which it is derived does.
        for name in ("str", "repr"):
            special = f"__{name}__"
            namespace[special] = StandIn.__dict__[special] if name in operators else getattr(plain_kind, special)
    else:
        namespace["__slots__"] = ()
    if "await" in operators and "send" in names:
        own = ("send", "throw", "__next__") if "next" in operators else ("send", "throw")
        namespace.update({name: _going_on(name) for name in own}, close=_close, __await__=_await_once)
    if about.get("unhashable") is True:
        namespace["__hash__"] = None
    elif "hash" not in operators:
        namespace["__hash__"] = StandIn.__hash__
    if about["module"] == "builtins":
        namespace["__class__"] = property(_class)
    elif not any(map(real_data, bases)):
        namespace.update(shown_class(about, library))
    doc = _Doc(about["doc"], "call" in operators or about["module"] == "builtins")
    namespace.update(__module__=about["module"], __qualname__=about["qualname"], __doc__=doc)
    if about["fields"]:
        bases, namespace = (tuple,), _named_tuple(about, namespace)
    elif not any(issubclass(base, StandIn) for base in bases):
        bases = (StandIn, *bases)
    return stand_for(type.__new__(StandInType, about["name"], bases, namespace), library)


def _text_of_tuple(how: str, plain_class: Any) -> Callable[..., str]:
    """Return a method that makes a named tuple's text: its class's, if the contract has that request."""

    def text(self: Any, *spec: str) -> str:
        is_asked = may(self, f"operator {how}")
        return str(ask("operator", self, how, *spec) if is_asked else getattr(plain_class(*self), f"__{how}__")(*spec))

    return text


def _named_tuple(about: dict[str, Any], namespace: dict[str, Any]) -> dict[str, Any]:
    import collections

    plain_class = collections.namedtuple(about["name"], about["fields"])  # type: ignore[misc] # noqa: PYI024
    own = {f"__{name}__" for name in about["operators"]} - {"__hash__", "__eq__"}
    inherited = {*dir(tuple), "_replace", "_asdict", "_make", "_fields", *about["fields"]} - own
    kept = {name: value for name, value in vars(plain_class).items() if name not in ("__dict__", "__weakref__")}
    kept.update({name: value for name, value in namespace.items() if name not in inherited})
    texts = [how for how in ("repr", "str", "format") if f"__{how}__" in own]
    kept.update({f"__{how}__": _text_of_tuple(how, plain_class) for how in texts})
    kept.update(__getattr__=StandIn.__getattr__, __module__=about["module"], __doc__=namespace["__doc__"])
    del kept["__slots__"]
    return kept
