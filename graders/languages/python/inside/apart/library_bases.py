"""The library classes as whose instances stand-ins pass.

In the candidate's process, a stand-in for an object derived from text or a number is itself text or a number, so that
`json` and `str.join` accept it; that process has nothing to protect. For other classes, only `isinstance` is made to
hold, in the grader's process for those that boundary.json lists.
"""

from __future__ import annotations

from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.describing import DATA, full_name
from gradebox.graders.languages.python.inside.apart.values import named

_PASSING = frozenset(BOUNDARY["python"]["passing"])
_REAL = (str, int, float)
_OF_LIBRARY: dict[Any, Any] = {}


def real_data(kind: type) -> Any:
    """Return the kind of data that a class's stand-ins are themselves, None for any other class."""
    return next((data for data in _REAL if issubclass(kind, data)), None)


def with_data(name: str, bases: tuple[type, ...]) -> tuple[type, ...]:
    """Return the bases of a stand-in, with the kind of data from which the original is derived."""
    data = tuple(kind for kind in _REAL if kind.__name__ == name)
    return bases if any(map(real_data, bases)) else bases + data


def stand_for(made: Any, library: Any) -> Any:
    """Make `isinstance` hold for the library classes from which the original is derived; return the stand-in."""
    if real_data(made) or any(map(_is_enumeration, library)):
        # The stand-in is immutable, so copies are the same object.
        type.__setattr__(made, "__copy__", lambda self: self)
        type.__setattr__(made, "__deepcopy__", lambda self, memo: self)
    for base in library:
        meta: Any = type(base)
        if _is_enumeration(base):
            _OF_LIBRARY[made] = base
            meta.__instancecheck__ = lambda kind, thing: issubclass(type(thing), kind)
            meta.__subclasscheck__ = _is_below
        elif hasattr(meta, "register") and base.__module__ != "typing":
            base.register(made)
    return made


def passing(about: dict[str, Any]) -> list[Any]:
    """Return the listed classes of the library among those of a description; this loads no other module."""
    return [*filter(None, (named(name) for name in about.get("library", ()) if name in _PASSING))]


def shown_class(about: dict[str, Any], library: Any) -> dict[str, Any]:
    """Return a `__class__` by which an object passes as an instance of a kind of data, or of a class of the library."""
    base = next((each for each in library if type(each) is type and full_name(each) in _PASSING), None)
    data = next((each for each in DATA if each.__name__ == about["data"]), None)
    if data is not None or base is None:
        return {"__class__": property(lambda self: data)} if data is not None else {}
    if about["name"] != base.__name__:
        base = type(about["name"], (base,), {"__module__": about["module"], "__qualname__": about["qualname"]})
    return {"__class__": property(lambda self: base)}


def _is_enumeration(base: Any) -> bool:
    return type(base).__module__ == "enum"


def _is_below(kind: Any, other: Any) -> bool:
    plain = type.__subclasscheck__
    return plain(kind, other) or any(plain(kind, _OF_LIBRARY[each]) for each in other.__mro__ if each in _OF_LIBRARY)
