"""Stand-ins: objects of this process that stand for classes and objects of the other one.

For each class of the other process there is one class here, whose bases mirror those of the original, as far as these
are the other side's or exceptions. It has the methods and operators of the original; each asks the other process. So
`isinstance`, `except`, `len`, `with`, `await` and `super()` work, and what has no length has none here.

In the grader's process nothing of the candidate's says what is equal to a value of the grader's. An object is equal to
built-in data only if its class is derived from that kind of data, and the data in it is compared here. Objects of a
class that the tests never name are not given what a test compares or computes with.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_REFLECTED = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor"
_TWO_SIDED = {f"__{r}{name}__" for name in _REFLECTED.split() for r in ("", "r", "i")}
_TWO_SIDED |= {f"__{name}__" for name in "lt le gt ge".split()}
# What the other side may be asked for by its class.
SPECIAL = _TWO_SIDED | {
    f"__{name}__"
    for name in (
        "eq hash repr str format bytes bool len length_hint iter next reversed contains getitem setitem delitem call "
        "enter exit aenter aexit aiter anext await int float complex index round trunc floor ceil neg pos abs invert "
        "fspath missing get set copy deepcopy"
    ).split()
}
# Methods of built-in data that are told what a test expects.
_TELLING = frozenset("startswith endswith issubset issuperset isdisjoint count index find rindex rfind match".split())
# Test runners look for these in everything; what a candidate says there must not steer them.
_NEVER = ("pytest", "_pytest", "__pytest", "__test", "__unittest", "__tracebackhide", "_gradebox", "load_tests")
_LOCAL = frozenset(
    "__traceback__ __cause__ __context__ __suppress_context__ __notes__ args with_traceback add_note".split()
)
_UNFORWARDED = frozenset(
    "__class__ __init__ __new__ __del__ __slots__ __weakref__ __getattr__ __getattribute__ __setattr__ __delattr__ "
    "__reduce__ __reduce_ex__ __getstate__ __init_subclass__ __subclasshook__ __sizeof__ __mro_entries__ __set_name__ "
    "__class_getitem__ __instancecheck__ __subclasscheck__ __prepare__ __objclass__ __array__ __length_hint__ "
    "__array_interface__ __array_struct__ __fields__ __iter__ __signature__ __text_signature__".split()
)


class Link:
    """What a stand-in stands for."""

    __slots__ = ("about", "count", "generation", "number", "path", "peer")

    def __init__(self, peer: Any, number: int, path: tuple[str, str] | None = None) -> None:
        self.peer, self.number, self.path = peer, number, path
        self.generation, self.count = peer.generation, 1
        self.about: Any = None


LINKS: dict[int, Link] = {}
"""The links of all stand-ins, by their identity. They are no attributes, which would be the original's."""


def link_of(thing: Any) -> Link | None:
    """Return the link of a stand-in, None for anything else."""
    return LINKS.get(id(thing))


def is_forwarded(name: str) -> bool:
    """Whether an attribute is looked for in the other process."""
    return not (name.startswith(_NEVER) or name in _UNFORWARDED)


class StandInType(type):
    """The class of stand-ins for classes."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], about: Any = None) -> Any:
        made = super().__new__(mcs, name, bases, namespace)
        if about is None:
            # A class statement of this side: the other one gets a class whose methods call back.
            peer = next(link.peer for link in map(link_of, made.__mro__) if link is not None)
            peer.derive(made, bases, namespace)
        return made

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], about: Any = None) -> None:
        super().__init__(name, bases, namespace)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if "_fields" in cls.__dict__ and issubclass(cls, tuple):
            return type.__call__(cls, *args, **kwargs)
        return ask(cls, "call", cls, args, kwargs)

    def __getattr__(cls, name: str) -> Any:
        if not is_forwarded(name) or link_of(cls) is None:
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        found = ask(cls, "getattr", cls, name)
        if isinstance(found, StandInType):
            LINKS[id(cls)].peer.name(found)
        return found

    def __setattr__(cls, name: str, value: Any) -> None:
        if name.startswith("__abstract") or link_of(cls) is None:
            super().__setattr__(name, value)
        elif isinstance(value, Method):
            ask(cls, "restore", cls, name)
        else:
            ask(cls, "setattr", cls, name, value)

    def __delattr__(cls, name: str) -> None:
        ask(cls, "delattr", cls, name)

    def __iter__(cls) -> Any:
        return ask(cls, "iter", cls)

    def __len__(cls) -> int:
        return int(ask(cls, "special", "__len__", cls))

    def __bool__(cls) -> bool:
        return True

    def __getitem__(cls, key: Any) -> Any:
        return ask(cls, "item", cls, key)

    def __contains__(cls, thing: Any) -> bool:
        return any(thing is one or thing == one for one in cls)

    def __dir__(cls) -> list[str]:
        return [*ask(cls, "dir", cls)]

    def __repr__(cls) -> str:
        return f"<class '{cls.__module__}.{cls.__qualname__}'>"


def ask(stand_in: Any, *request: Any) -> Any:
    """Ask the process that a stand-in's original is in."""
    # A named tuple is data, which only its class has a link for.
    link = link_of(stand_in) or link_of(type(stand_in))
    if link is None:
        raise TypeError(f"{type(stand_in).__name__} stands for nothing")
    return link.peer.ask(*request)


def _is_compared_there(one: Any, other: Any) -> bool:
    """Whether the original may be told what it is compared with."""
    link = LINKS[id(type(one))]
    return link_of(other) is not None or not link.peer.is_careful or link.peer.is_named(type(one))


class StandIn:
    """The base of all stand-ins for objects."""

    __slots__ = ("__weakref__",)

    def __getattr__(self, name: str) -> Any:
        if name in _TELLING and not _is_compared_there(self, None):
            raise AttributeError(
                f"{type(self).__name__!r} is a class of the submission that no test names, and {name}() would tell it "
                "what the test expects. Compare data, or import the class in the test."
            )
        if not is_forwarded(name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = ask(self, "getattr", self, name)
        if isinstance(found, StandInType) and type(self).__name__ == "module":
            LINKS[id(self)].peer.name(found)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _LOCAL:
            object.__setattr__(self, name, value)
        else:
            ask(self, "setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        ask(self, "delattr", self, name)

    def __dir__(self) -> list[str]:
        return [*ask(self, "dir", self)]

    def __repr__(self) -> str:
        return str(ask(self, "special", "__repr__", self))

    def __str__(self) -> str:
        return str(ask(self, "special", "__str__", self))

    def __format__(self, spec: str) -> str:
        return str(ask(self, "special", "__format__", self, spec))

    def __copy__(self) -> Any:
        return ask(self, "copy", self)

    def __deepcopy__(self, memo: Any) -> Any:
        return ask(self, "deepcopy", self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a {type(self).__name__} of the other process cannot be pickled")

    def __hash__(self) -> int:
        return id(self) >> 4

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        how = LINKS[id(type(self))].about["equal"]
        if link_of(other) is not None:
            if how == "own":
                return ask(self, "special", "__eq__", self, other)
            if how and type(other) is type(self):
                return ask(self, "plain", self) == ask(self, "plain", other)
            return NotImplemented
        if how == "data" and type(other).__module__ == "builtins":
            return ask(self, "plain", self) == other
        if how == "own" and not LINKS[id(type(self))].peer.is_careful:
            return ask(self, "special", "__eq__", self, other)
        return NotImplemented


def _special(name: str) -> Callable[..., Any]:
    if name in _TWO_SIDED:

        def operator(self: Any, *others: Any) -> Any:
            if not all(_is_compared_there(self, other) for other in others):
                return NotImplemented
            return ask(self, "special", name, self, *others)

        return operator

    if name == "__call__":
        return lambda self, *args, **kwargs: ask(self, "call", self, args, kwargs)
    return lambda self, *args: ask(self, "special", name, self, *args)


def _contains(self: Any, thing: Any) -> Any:
    if _is_compared_there(self, thing):
        return ask(self, "special", "__contains__", self, thing)
    return any(thing is one or thing == one for one in self)


class Method:
    """A method of a class of the other process, bound when it is taken from an object."""

    def __init__(self, name: str, owner: str) -> None:
        self.__name__ = name
        self.__qualname__ = f"{owner}.{name}"

    def __set_name__(self, owner: Any, name: str) -> None:
        self.owner = owner

    def __get__(self, thing: Any, kind: Any = None) -> Any:
        # A class of this side that is derived from one of the other's calls the base's own method, by `super`.
        is_derived = link_of(type(thing)) is not None and type(thing) is not self.owner
        return self if thing is None else BoundMethod(thing, self.__name__, self.owner if is_derived else None)

    def __call__(self, thing: Any, *args: Any, **kwargs: Any) -> Any:
        return ask(thing, "method", thing, self.__name__, args, kwargs)


class BoundMethod:
    """A method of an object of the other process."""

    def __init__(self, thing: Any, name: str, base: Any = None) -> None:
        self.__self__ = thing
        self.__name__ = name
        self.base = base

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.base is not None:
            return ask(self.base, "base", self.base, self.__name__, self.__self__, args, kwargs)
        return ask(self.__self__, "method", self.__self__, self.__name__, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if not is_forwarded(name):
            raise AttributeError(name)
        return getattr(self.original(), name)

    def __eq__(self, other: object) -> bool:
        return type(other) is BoundMethod and (self.__self__ is other.__self__ and self.__name__ == other.__name__)

    def __hash__(self) -> int:
        return hash((id(self.__self__), self.__name__))

    def original(self) -> Any:
        """Return the stand-in for the method itself."""
        return ask(self.__self__, "getattr", self.__self__, self.__name__)


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
    if not _is_compared_there(self, thing):
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


def _star() -> frozenset[int]:
    import opcode

    return frozenset(opcode.opmap[name] for name in ("IMPORT_STAR", "CALL_INTRINSIC_1") if name in opcode.opmap)


class StandInModule(type(sys)):  # type: ignore[misc]
    """A module of the other process."""

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self._exported(sys._getframe(1).f_globals)
        link = link_of(self)
        if link is None or not is_forwarded(name) or (name.startswith("__") and name != "__version__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = link.peer.ask("getattr", self, name)
        if isinstance(found, StandInType):
            frame = sys._getframe(1)
            # `import *` names nothing by itself.
            if frame.f_code.co_code[frame.f_lasti] not in _star() or link.peer.says(frame.f_code, name):
                link.peer.name(found)
        return found

    def _exported(self, importing: dict[str, Any]) -> list[str]:
        """Return what `import *` takes: nothing that the importing file, or Python itself, has under the same name."""
        import builtins

        link = link_of(self)
        names = link.peer.ask("exported", self) if link else ()
        taken = [name for name in names if name not in importing and not hasattr(builtins, name)]
        return [name for name in taken if isinstance(name, str) and is_forwarded(name)]

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__") or link_of(self) is None:
            super().__setattr__(name, value)
        elif not (isinstance(value, StandInModule) and value.__name__ == f"{self.__name__}.{name}"):
            ask(self, "setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        ask(self, "delattr", self, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__()] if link_of(self) is None else [*ask(self, "dir", self)]
