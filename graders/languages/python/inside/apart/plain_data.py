"""The data in objects of this side, for places where data replaces the objects."""

from __future__ import annotations

import _collections_abc
import _operator
import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.describing import (
    at,
    data_kind,
    equality,
    full_name,
    is_library_class,
)
from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.languages.python.inside.apart.values import library_value

_CONSTANT_KINDS = (bool, int, float, str, bytes, type(None))
# Flags of code that returns no plain value: of a generator, a coroutine, or both.
_WITHOUT_VALUE = 0x20 | 0x80 | 0x100 | 0x200
_CONVERSIONS: Any = (("__index__", _operator.index), ("__float__", float), ("__complex__", complex), ("__bool__", bool))


def is_constant(function: Any) -> bool:
    """Whether a function without parameters makes the same value each time: its code names only data and types."""
    if type(function) is not type(at) or link_of(function) is not None:
        return False
    code, builtins = function.__code__, vars(sys.modules["builtins"])
    named = [function.__globals__.get(name, builtins.get(name, at)) for name in code.co_names]
    named += [cell.cell_contents for cell in function.__closure__ or ()]
    return (
        not (code.co_argcount or code.co_kwonlyargcount or code.co_flags & _WITHOUT_VALUE)
        and not any(type(part) is type(code) for part in code.co_consts)
        and all(type(each) in _CONSTANT_KINDS or (type(each) is type and is_library_class(each)) for each in named)
    )


def plain(thing: Any) -> Any:
    """Return the data of an object: that of the kind from which its class is derived, or its fields."""
    kind = type(thing)
    base = data_kind(kind)
    if base is dict:
        return dict(dict.items(thing))
    if base in (int, float, complex, str):
        return base.__add__(thing, base())
    if base is not None:
        return base(base.__iter__(thing))
    fields = getattr(kind, "__dataclass_fields__", None)
    if fields and equality(kind) == "fields":
        return tuple(getattr(thing, name) for name, field in fields.items() if field.compare)
    slots = [each.__dict__.get("__slots__", ()) for each in kind.__mro__]
    names = [name for each in slots for name in ((each,) if type(each) is str else each) if not name.startswith("__")]
    found = {name: getattr(thing, name) for name in names if hasattr(thing, name)}
    return tuple(sorted({**found, **getattr(thing, "__dict__", {})}.items(), key=lambda pair: pair[0]))


def converted(thing: Any) -> Any:
    """Return the data that replaces an object if the reference gives data there; None if there is none."""
    kind = type(thing)
    if data_kind(kind):
        return plain(thing)
    if isinstance(thing, _collections_abc.Mapping):
        return dict(thing)
    if not {"collections.UserList", "collections.UserString"}.isdisjoint(map(full_name, kind.__mro__)):
        return thing.data
    if isinstance(thing, _collections_abc.Set):
        return set(thing)
    if kind is memoryview:
        return bytes(thing) if thing.format == "B" and thing.ndim == 1 else thing.tolist()
    value = library_value(thing)
    if value is not None:
        return value
    for name, convert in _CONVERSIONS:
        try:
            if hasattr(kind, name):
                return convert(thing)
        except (TypeError, ValueError):
            continue
    return None
