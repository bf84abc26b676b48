"""Which classes of the author's solution say themselves what `<`, `+` and `in` mean for their objects. Pure.

Tests that are judged apart pass what they compare with to objects of these classes and of no others.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from graders.documents.python_source import parse_python

# What has none of its own, or is compared by its data.
_PLAIN = frozenset({"object", "ABC", "ABCMeta", "Protocol", "Generic", "Enum", "NamedTuple", "TypedDict"})
_PLAIN_DECORATORS = frozenset({"dataclass", "final", "runtime_checkable", "total_ordering"})
_ERRORS = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)


def operator_classes(sources: Iterable[str]) -> frozenset[str] | None:
    """Return the names of these classes, and of all that may be one; None if a source cannot be read."""
    from graders.languages.inside.python.apart.links import TWO_SIDED  # noqa: PLC0415 - few cases need it
    from graders.languages.inside.python.apart.stand_ins import TELLING  # noqa: PLC0415 - as above

    telling = TWO_SIDED | TELLING | {"__contains__", "__getattr__", "__getattribute__"}
    bases: dict[str, set[str]] = {}
    found: set[str] = set()
    for source in sources:
        try:
            tree = parse_python(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        for node in ast.walk(tree):
            match node:
                case ast.ClassDef(name=name):
                    bases.setdefault(name, set()).update(map(_name, [*node.bases, *(it.value for it in node.keywords)]))
                    if telling & set(_defined(node)) or {*map(_name, node.decorator_list)} - _PLAIN_DECORATORS:
                        found.add(name)
                case ast.Assign(value=ast.Call() | ast.Name() | ast.Attribute()):
                    found.update(map(_name, node.targets))
                case ast.ImportFrom():
                    found.update(each.asname for each in node.names if each.asname)
    while True:
        known = _PLAIN | _ERRORS | (bases.keys() - found)
        more = {name for name, of in bases.items() if of - known} - found
        if not more:
            return frozenset(found)
        found |= more


def _defined(node: ast.ClassDef) -> Iterable[str]:
    """Yield what a class has: its methods, and what is assigned in it."""
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield each.name
        elif isinstance(each, ast.Assign):
            yield from map(_name, each.targets)


def _name(node: ast.expr) -> str:
    """Return the last name in an expression such as `a.B`, `B[T]` or `B(...)`, empty for any other."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=inner) | ast.Call(func=inner):
            return _name(inner)
    return ""
