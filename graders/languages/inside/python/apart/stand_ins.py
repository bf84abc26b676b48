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

from graders.languages.inside.python.apart.links import LINKS, ask, is_compared_there, is_forwarded, link_of
from graders.languages.inside.python.apart.methods import Method

if TYPE_CHECKING:
    from typing import Any

# Methods of built-in data that are told what a test expects.
TELLING = frozenset("startswith endswith issubset issuperset isdisjoint count index find rindex rfind match".split())
_LOCAL = frozenset(
    "__traceback__ __cause__ __context__ __suppress_context__ __notes__ args with_traceback add_note".split()
)


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
            LINKS[id(cls)].peer.name(found, name)
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


class StandIn:
    """The base of all stand-ins for objects."""

    __slots__ = ("__weakref__",)

    def __getattr__(self, name: str) -> Any:
        if name in TELLING and not is_compared_there(self, None):
            raise AttributeError(
                f"{type(self).__name__!r} is a class of the submission that no test names, and {name}() would tell it "
                "what the test expects. Compare data, or import the class in the test."
            )
        if not is_forwarded(name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = ask(self, "getattr", self, name)
        if isinstance(found, StandInType) and type(self).__name__ == "module":
            LINKS[id(self)].peer.name(found, name)
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
                link.peer.name(found, name)
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
