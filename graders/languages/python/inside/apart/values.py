"""Immutable values of the library: the name under which each type is sent, and the parts of its values."""

from __future__ import annotations

import sys
from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.wire import Malformed, typed

# By name: the types of the parts (a letter each, "." for any), and a function that takes a value apart.
_TAKEN_APART: Any = {
    "complex": ("ff", lambda it: (it.real, it.imag)),
    "range": ("iii", lambda it: (it.start, it.stop, it.step)),
    "slice": ("...", lambda it: (it.start, it.stop, it.step)),
    "memoryview": ("b", lambda it: (bytes(it),)),
    "fractions.Fraction": ("ii", lambda it: (it.numerator, it.denominator)),
    "datetime.date": ("iii", lambda it: (it.year, it.month, it.day)),
    "datetime.time": ("iiii.i", lambda it: (it.hour, it.minute, it.second, it.microsecond, it.tzinfo, it.fold)),
    "datetime.datetime": ("iiiiiii.i", lambda it: (*it.timetuple()[:6], it.microsecond, it.tzinfo, it.fold)),
    "datetime.timedelta": ("iii", lambda it: (it.days, it.seconds, it.microseconds)),
    "datetime.timezone": (".s", lambda it: (it.utcoffset(None), it.tzname(None))),
    "zoneinfo.ZoneInfo": ("s", lambda it: (it.key,)),
    "uuid.UUID": ("i", lambda it: (it.int,)),
}
_TEXT = ("s", lambda it: (str(it),))
_LETTERS = {str: "s", int: "i", float: "f", bytes: "b"}
_NAMES = frozenset(BOUNDARY["values"]["python"])
_PROXY: Any = type(type.__dict__)
# Views of mappings: the type of each, how it is taken apart, and how it is made.
_VIEWS: Any = {
    "dict_keys": (type({}.keys()), tuple, lambda parts: dict.fromkeys(parts).keys()),
    "dict_values": (type({}.values()), tuple, lambda parts: dict(enumerate(parts)).values()),
    "dict_items": (type({}.items()), tuple, lambda parts: dict(typed(part, tuple) for part in parts).items()),
    "mappingproxy": (
        _PROXY,
        lambda it: [part for pair in it.items() for part in pair],
        lambda parts: _PROXY(dict(zip(parts[::2], parts[1::2], strict=True))),
    ),
}
VIEWS = {name: "name" if name == "mappingproxy" else "position" for name in _VIEWS}
"""Views of mappings: whether their parts are addressed by name or by position."""


def named(name: str) -> Any:
    """Return the object with a name in boundary.json, importing its module if necessary; None if that is missing."""
    module, _, last = name.rpartition(".")
    try:
        __import__(module or "builtins")
    except ImportError:
        return None
    return type(None) if name == "NoneType" else getattr(sys.modules[module or "builtins"], last, None)


def value_name(kind: type) -> str:
    """Return the name under which values of a type are sent, "" for none."""
    module, name = str(kind.__module__), kind.__qualname__
    name = name if module == "builtins" else f"{module.partition('.')[0]}.{name}"
    if name not in _NAMES:
        # Do not look into any other module: it may be the submission's.
        return ""
    # A class of the candidate may claim the same name without being the library's.
    is_one = _VIEWS[name][0] is kind if name in _VIEWS else sys.modules.get(module) and named(name) is kind
    return name if is_one else ""


def value_parts(value: Any) -> tuple[str, Any]:
    """Return the name under which a value is sent, and its parts; "" and () for other or mutable values."""
    name = value_name(type(value))
    if not name or (type(value) is memoryview and (not value.readonly or value.format != "B" or value.ndim != 1)):
        return "", ()
    return name, (_VIEWS[name][1] if name in _VIEWS else _TAKEN_APART.get(name, _TEXT)[1])(value)


def library_value(thing: Any) -> Any:
    """Return the value of the library that equals an object of a derived class, None for other objects."""
    name = next(filter(None, map(value_name, type(thing).__mro__)), "")
    return made_value(name, [*_TAKEN_APART.get(name, _TEXT)[1](thing)]) if name else None


def made_value(name: str, parts: list[Any]) -> Any:
    """Return the value with these parts.

    Raises:
        Malformed, ValueError, TypeError: If there is no such value.
    """
    if name in _VIEWS:
        return _VIEWS[name][2](parts)
    letters = _TAKEN_APART.get(name, _TEXT)[0]
    is_one = name in _NAMES and len(parts) == len(letters)
    if not is_one or any(letter not in (".", _LETTERS.get(type(part))) for letter, part in zip(letters, parts)):
        raise Malformed(f"it is not a {name}")
    if name == "uuid.UUID":
        return named(name)(int=parts[0])
    return named(name)(*parts[:-1], fold=parts[-1]) if letters.endswith(".i") else named(name)(*parts)


class DefaultValue:
    """Makes the values of a `defaultdict`, each a new copy of the value that was sent.

    Raises:
        TypeError: If that value is not data.
    """

    def __init__(self, value: Any) -> None:
        self.value = _copied(value)

    def __call__(self) -> Any:
        return _copied(self.value)


def _copied(value: Any) -> Any:
    kind = type(value)
    if kind in (list, tuple, set, frozenset):
        return kind(map(_copied, value))
    if issubclass(kind, dict) and kind.__module__ in ("builtins", "collections"):
        made = value.copy()
        made.update((key, _copied(part)) for key, part in value.items())
        return made
    if kind in (bool, int, float, str, bytes, type(None)) or kind is type or value_name(kind):
        return value
    raise TypeError(f"{kind.__name__!r} object of the submission is not data")
