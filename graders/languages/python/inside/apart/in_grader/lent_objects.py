"""Objects that tests lend to a submission: the kind of each, and its readable attributes."""

from __future__ import annotations

from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.describing import (
    DATA,
    FUNCTIONS,
    defining,
    full_name,
    is_library_class,
    known_name,
    listed,
)

_CLOSED = tuple(BOUNDARY["names"]["closed"])
# Classes of library values whose methods have no side effects.
_HARMLESS = frozenset(name for name in BOUNDARY["values"]["python"] if not name.startswith("pathlib"))


def kind_of(value: Any) -> str:
    """Return the kind as which an object of the grader may be lent, "" if it may not be lent."""
    kind = type(value)
    if any(base.__module__ == "sqlite3" for base in kind.__mro__):
        # An SQL statement of the submission could act on this process in any way.
        return ""
    if isinstance(value, type):
        return "" if is_library_class(value) else "class"
    if full_name(kind) in FUNCTIONS:
        return "function"
    if any(base.__module__ == "unittest.mock" for base in kind.__mro__):
        return "mock"
    if not is_library_class(kind):
        return "object"
    if kind is object or any(listed(base) is not None for base in kind.__mro__):
        return "library"
    if hasattr(kind, "__await__"):
        return "awaitable"
    return "iterator" if hasattr(kind, "__next__") or hasattr(kind, "__anext__") else ""


def annotations_of(function: Any) -> tuple[Any, Any]:
    """Return those annotations of a function that are texts, or types that both sides know by their names."""
    held = (getattr(function, "__annotations__", None) or {}).items()
    told = {name: each for name, each in held
            if each is None or type(each) is str or (isinstance(each, type) and known_name(each))}  # fmt: skip
    return tuple(told), tuple(told.values())


def is_public(value: Any, kind: str, name: str) -> bool:
    """Whether the submission may read an attribute of a lent object."""
    if name.startswith("_"):
        return False
    if kind == "mock":
        return not name.startswith(_CLOSED)
    try:
        if name in object.__getattribute__(value, "__dict__") and kind != "class":
            return True
    except AttributeError:
        pass
    classes = value.__mro__ if kind == "class" else type(value).__mro__
    if any(name in names for names in map(listed, classes) if names):
        return True
    owner = defining(classes, name)
    if owner is None:
        return any("__getattr__" in each.__dict__ and not is_library_class(each) for each in classes)
    is_data = owner in DATA or full_name(owner) in _HARMLESS
    return not is_library_class(owner) or (is_data and not name.startswith("format"))
