"""`dataclass` as in the standard library, but much faster, for classes that every start defines.

Before Python 3.13 the standard library compiles six functions for a frozen class. `grade` has a hundred such classes;
compiling them took a sixth of its CPU time before the first request to an engine. Here, only ``__init__`` is compiled.
All classes have slots, and fields are not inherited.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool = False, slots: bool) -> Callable[[type], type]:
        """Return a decorator that makes a dataclass with slots, with equality and text as in the standard library."""
        assert slots

        def made(cls: type) -> type:
            # Without a docstring, the standard library derives one from the signature of the class.
            cls.__doc__ = cls.__doc__ or f"{cls.__name__}."
            made_class = dataclasses.dataclass(cls, init=False, repr=False, eq=False, slots=True)
            members = _init(made_class, frozen=frozen) | _shared(made_class)
            for name, member in (members | _FROZEN if frozen else members | {"__hash__": None}).items():
                setattr(made_class, name, member)
            return made_class

        return made


def _init(cls: Any, *, frozen: bool) -> dict[str, Any]:
    """Return `__init__`, which in a frozen class sets fields without `=`, since that would be refused."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    parameters, lines = ["self"], []
    for field in dataclasses.fields(cls):
        name = value = parameter = field.name
        if field.default_factory is not dataclasses.MISSING:
            known[f"_new_{name}"] = field.default_factory
            parameter = f"{name}=_missing"
            value = f"_new_{name}() if {name} is _missing else {name}" if field.init else f"_new_{name}()"
        elif field.default is not dataclasses.MISSING:
            known[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
            value = name if field.init else f"_default_{name}"
        elif not field.init:
            continue
        if field.init:
            parameters.append(parameter)
        lines.append(f"  _set(self, {name!r}, {value})" if frozen else f"  self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines or ["  pass"]), known)  # noqa: S102 - own fields
    init = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in dataclasses.fields(cls)}
    return {"__init__": init}


def _shared(cls: Any) -> dict[str, Any]:
    """Return the methods for equality and text that a class does not define itself."""
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    shown = [field.name for field in dataclasses.fields(cls) if field.repr]
    # With a single attribute, `attrgetter` returns no tuple.
    values: Any = attrgetter(*names) if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)

    def equal(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    def text(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    methods = {"__eq__": equal, "__hash__": hashed, "__repr__": text}
    return {name: method for name, method in methods.items() if name not in vars(cls)}


def _refuse_to_set(_self: Any, name: str, _value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_FROZEN = {
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
    "__getstate__": _state,
    "__setstate__": _set_state,
}
