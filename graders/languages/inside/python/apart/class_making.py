"""Makes the class that stands for one of the other process, with the methods and operators that the original has."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.links import SPECIAL, TWO_SIDED, ask, is_compared_there, is_forwarded
from graders.languages.inside.python.apart.methods import Method
from graders.languages.inside.python.apart.stand_ins import StandIn, StandInType

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _special(name: str) -> Callable[..., Any]:
    if name in TWO_SIDED:

        def operator(self: Any, *others: Any) -> Any:
            if not all(is_compared_there(self, other) for other in others):
                return NotImplemented
            return ask(self, "special", name, self, *others)

        return operator

    if name == "__call__":
        return lambda self, *args, **kwargs: ask(self, "call", self, args, kwargs)
    return lambda self, *args: ask(self, "special", name, self, *args)


def _contains(self: Any, thing: Any) -> Any:
    if is_compared_there(self, thing):
        return ask(self, "special", "__contains__", self, thing)
    return any(thing is one or thing == one for one in self)


def _await(self: Any) -> Any:
    """Run an awaitable of the other process, beside others of it, while this one's loop goes on."""
    running = ask(self, "begin", self)
    while not ask(self, "ready", running):
        yield
    return ask(self, "result", running)


class _Coroutine:
    """What a coroutine can do besides."""

    __slots__ = ()

    def send(self, value: Any) -> Any:
        steps = _AWAITED.setdefault(id(self), _await(self))
        try:
            return steps.send(None)
        except BaseException:
            _AWAITED.pop(id(self), None)
            raise

    def throw(self, *error: Any) -> Any:
        return _AWAITED.setdefault(id(self), _await(self)).throw(*error)

    def close(self) -> None:
        _AWAITED.pop(id(self), None)
        ask(self, "method", self, "close", (), {})


_AWAITED: dict[int, Any] = {}


def _types() -> dict[str, Any]:
    import types

    return {
        "function": types.FunctionType,
        "generator": types.GeneratorType,
        "coroutine": types.CoroutineType,
        "async_generator": types.AsyncGeneratorType,
        "method": types.MethodType,
        "builtin_function_or_method": types.BuiltinFunctionType,
        "code": types.CodeType,
        "module": types.ModuleType,
        "property": property,
    }


def _class(self: Any) -> Any:
    kind = type(self)
    # What asks for its class wants to know what kind of object it is; the code and the frame stay there.
    found = _types().get(kind.__name__) or sys.modules["builtins"].__dict__.get(kind.__name__, kind)
    return found if isinstance(found, type) else kind


def make_class(about: dict[str, Any], bases: tuple[type, ...]) -> Any:  # noqa: PLR0912 - a table of what a class can have
    """Return a stand-in for a class.

    Args:
        about: What the other side says of it (`Peer.describe`).
        bases: Stand-ins for its bases, or exceptions.
    """
    names, special = about["methods"], about["special"]
    namespace: dict[str, Any] = {name: Method(name, about["qualname"]) for name in names if is_forwarded(name)}
    namespace.update({name: _special(name) for name in special if name in SPECIAL - {"__eq__", "__repr__", "__str__"}})
    namespace["__init__"] = Method("__init__", about["qualname"])
    is_error = any(issubclass(base, BaseException) for base in bases)
    if is_error:
        # The text of an exception is what its class makes of it, else what every exception does.
        for name in ("__str__", "__repr__"):
            namespace[name] = _special(name) if name in special else getattr(BaseException, name)
    else:
        namespace["__slots__"] = ()
    if "__contains__" in namespace and "__iter__" in namespace:
        namespace["__contains__"] = _contains
    elif "__contains__" in namespace:
        namespace["__contains__"] = _contains_alone
    if "__await__" in special:
        namespace["__await__"] = _await
        if "send" in names:
            namespace.update({name: vars(_Coroutine)[name] for name in ("send", "throw", "close")})
    if about["unhashable"]:
        namespace["__hash__"] = None
    elif "__hash__" not in special:
        namespace["__hash__"] = StandIn.__hash__
    if about["module"] == "builtins":
        namespace["__class__"] = property(_class)
    elif about["data"] in _BASES:
        # `isinstance` holds for the kind of data that it is derived from.
        namespace["__class__"] = property(lambda self: _BASES[about["data"]])
    namespace.update(__module__=about["module"], __qualname__=about["qualname"], __doc__=about["doc"])
    if about["name"] in ("function", "method"):
        namespace["__doc__"] = property(lambda self: ask(self, "getattr", self, "__doc__"))
    if not about["fields"]:
        stand_in = () if any(issubclass(base, StandIn) for base in bases) else (StandIn,)
        return StandInType(about["name"], (*stand_in, *bases), namespace, about)
    return _named_tuple(about, namespace)


_BASES = {kind.__name__: kind for kind in (int, float, str, bytes, list, tuple, dict, set, frozenset)}


def _contains_alone(self: Any, thing: Any) -> Any:
    if not is_compared_there(self, thing):
        raise TypeError(f"argument of type {type(self).__name__!r} is not iterable")
    return ask(self, "special", "__contains__", self, thing)


def _named_tuple(about: dict[str, Any], namespace: dict[str, Any]) -> Any:
    import collections

    plain = collections.namedtuple(about["name"], about["fields"], defaults=about["defaults"])  # type: ignore[misc] # noqa: PYI024
    inherited = {*dir(tuple), "_replace", "_asdict", "_make", "_fields", *about["fields"]}
    kept = {name: value for name, value in namespace.items() if name not in inherited or name == "__str__"}
    kept.update({name: value for name, value in vars(plain).items() if name not in ("__dict__", "__weakref__")})
    kept.update(__slots__=(), __getattr__=StandIn.__getattr__, __module__=about["module"], __doc__=about["doc"])
    return StandInType(about["name"], (tuple,), kept, about)
