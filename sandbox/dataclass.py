"""`dataclass`: the one of the standard library with less to compile, for the many classes that every call imports.

Until Python 3.13 the standard library compiles up to six methods of each class, one by one: half a millisecond a
class, a tenth of all that `grade` computes before it asks an engine. Here only ``__init__`` is compiled; the other
methods are closures. Fields, ``replace``, ``asdict``, equality, hashes and messages are those of the standard library,
and type checkers see its decorator. There is no ``kw_only``, ``order`` or ``InitVar``.
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

    def dataclass(*, frozen: bool = False, slots: bool, eq: bool = True) -> Callable[[type], type]:
        """Return a decorator that makes a data class with slots."""
        assert slots
        return lambda written: _made(written, frozen=frozen, eq=eq)


def _made(written: type, *, frozen: bool, eq: bool) -> type:
    if not written.__doc__:
        # The standard library would inspect the signature for it.
        written.__doc__ = written.__name__
    made: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(written)
    fields = dataclasses.fields(made)
    methods: dict[str, Any] = {"__init__": _init(written, fields, frozen=frozen), "__repr__": _repr(fields)}
    if eq:
        methods |= _comparison(fields, hashable=frozen)
    if frozen:
        methods |= {
            "__setattr__": _refuse_assignment,
            "__delattr__": _refuse_deletion,
            "__getstate__": _state,
            "__setstate__": _restore,
        }
    for name, method in methods.items():
        if name not in written.__dict__ or (name == "__hash__" and written.__dict__[name] is None):
            setattr(made, name, method)
    return made


def _init(written: type, fields: tuple[dataclasses.Field[Any], ...], *, frozen: bool) -> Callable[..., None]:
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    parameters, lines = [], []
    for field in fields:
        name = field.name
        parameter, value = name, name
        if field.default_factory is not dataclasses.MISSING:
            names[f"_new_{name}"] = field.default_factory
            parameter, value = f"{name}=_missing", f"_new_{name}() if {name} is _missing else {name}"
        elif field.default is not dataclasses.MISSING:
            names[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
        parameters.append(parameter)
        lines.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    source = f"def __init__({', '.join(['self', *parameters])}):\n" + "\n".join(lines or [" pass"])
    exec(source, names)  # noqa: S102 - as the standard library does, of the names of fields alone
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{written.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    return init


def _repr(fields: tuple[dataclasses.Field[Any], ...]) -> Callable[[Any], str]:
    shown = [field.name for field in fields if field.repr]

    def __repr__(self: Any) -> str:  # noqa: N807 - it becomes the method
        inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({inner})"

    return __repr__


def _comparison(fields: tuple[dataclasses.Field[Any], ...], *, hashable: bool) -> dict[str, Any]:
    values = _values([field.name for field in fields if field.compare])
    hashed = _values([field.name for field in fields if (field.compare if field.hash is None else field.hash)])

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807 - it becomes the method
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(values(self) == values(other))

    def __hash__(self: Any) -> int:  # noqa: N807 - it becomes the method
        return hash(hashed(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if hashable else None}


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    # `attrgetter` returns no tuple for one name; in a tuple an object equals itself even if it is NaN.
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _refuse_assignment(_self: Any, name: str, _value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(_self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
