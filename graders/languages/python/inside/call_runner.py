"""Calls functions of a module, and writes their results as data: ``python3 -I -S -c SOURCE FIRST``.

`inside/calls.sh` describes the descriptors. This is the candidate's process: its code can change only the
candidate's own answers here. The result of each call is one line (graders/checks/calls).
"""

from __future__ import annotations

import _collections_abc
import importlib
import os
import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.codec import Writer
from gradebox.graders.languages.python.inside.apart.wire import encoded
from gradebox.graders.languages.python.inside.trusted_places import open_places

TEXT_CHARACTERS, REPLY_BYTES = 2000, 1 << 20
_AS_DATA: Any = {"defaultdict": dict, "dict_keys": set, "dict_items": list, "dict_values": list, "mappingproxy": dict,
                 "memoryview": bytes, "deque": list, "array": list}  # fmt: skip
# How a value of a derived class becomes one of the library's own.
_COPIES: Any = {
    "datetime.datetime": lambda kind, value: kind.combine(kind.date(value), kind.timetz(value)),
    "datetime.date": lambda kind, value: kind.fromordinal(kind.toordinal(value)),
    "datetime.time": lambda kind, value: kind.fromisoformat(kind.isoformat(value)),
    "decimal.Decimal": lambda kind, value: kind(value),
    "fractions.Fraction": lambda kind, value: kind(value),
}
_DATA: Any = (str, int, float, complex, list, tuple, set, frozenset, dict, bytes)


class DataWriter(Writer):
    """Makes trees of the values that calls return, including values that the codec does not know."""

    last = 0

    def __init__(self, *, reads: bool = True) -> None:
        super().__init__(self)
        self.reads = reads  # Whether it also reads properties, and the fields of tuples.

    def put(self, value: Any, depth: int = 0) -> Any:
        # Drop the factory of a `defaultdict`, and the mapping behind a view, which are not data.
        as_data = _AS_DATA.get(type(value).__name__)
        return super().put(as_data(value) if as_data else value, depth)

    def share(self, _value: Any, _path: Any) -> tuple[int, bool]:
        self.last -= 1
        return self.last, True

    def put_other(self, writer: Writer, value: Any, depth: int) -> Any:
        """Return the tree of data of a derived class, or of an object's fields."""
        names = getattr(type(value), "_fields", None)
        if self.reads and isinstance(value, tuple) and type(names) is tuple:
            parts = {".": tuple(tuple.__iter__(value)), "..": names}
            return self._object(value, {**parts, **self._read(value, ())}, depth)
        for kind in type(value).__mro__[1:]:
            if copy := _COPIES.get(f"{kind.__module__}.{kind.__name__}"):
                return writer.put(copy(kind, value), depth)
        for kind in _DATA:
            if isinstance(value, kind):
                return writer.put(_of_kind(kind, value), depth)
        if isinstance(value, _collections_abc.Mapping):
            return writer.put(dict(value), depth)
        if isinstance(value, _collections_abc.Set):
            return writer.put(set(value), depth)
        if type(value).__module__ == "collections" and hasattr(value, "data"):
            return writer.put(value.data, depth)
        fields = None if callable(value) else _fields(value)
        if fields is None or hasattr(value, "__next__") or isinstance(value, type(sys)):
            raise TypeError(f"a {type(value).__name__}")
        return self._object(value, {**fields, **self._read(value, fields)}, depth)

    def _object(self, value: Any, fields: Any, depth: int) -> Any:
        return ["O", type(value).__name__, *self.each([one for pair in fields.items() for one in pair], depth)]

    def _read(self, value: Any, known: Any) -> Any:
        """Return the public properties of an object that are data without objects; their names begin with a dot."""
        found = {}
        for kind in type(value).__mro__ if self.reads else ():
            for name, each in vars(kind).items():
                if type(each).__name__ in ("property", "cached_property") and name[0] != "_" and name not in known:
                    try:
                        read = getattr(value, name)
                        if _is_plain(read):
                            found[f".{name}"] = read
                    except Exception:
                        continue
        return found


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Return whether a value is a number, a text or the like, or contains only such."""
    if type(value) in (list, tuple, set, dict) and depth < 5:
        parts = [*value, *value.values()] if type(value) is dict else value
        return all(_is_plain(part, depth + 1) for part in parts)
    return (
        value is None
        or isinstance(value, (str, int, float, complex, bytes))
        or (f"{type(value).__module__}.{type(value).__name__}" in _COPIES)
    )


def _of_kind(kind: Any, value: Any) -> Any:
    """Return the data of an object derived from a kind of data, without calling methods of its own class."""
    if kind in (str, int, float, complex):
        return kind.__add__(value, kind())
    return dict(dict.items(value)) if kind is dict else kind(kind.__iter__(value))


def _fields(value: Any) -> Any:
    """Return the attributes of an object, or its properties if all attributes are private; None if it can have none."""
    kinds = type(value).__mro__
    slots = [name for kind in kinds for name in _words(kind.__dict__.get("__slots__", ())) if name[:2] != "__"]
    if not slots and not hasattr(value, "__dict__"):
        return None
    found = {**{name: getattr(value, name) for name in slots if hasattr(value, name)}, **getattr(value, "__dict__", {})}
    # What a property keeps is no field.
    kept = {name for kind in kinds for name, each in vars(kind).items() if type(each).__name__ == "cached_property"}
    found = {name: each for name, each in found.items() if name not in kept}
    if all(name.startswith("_") for name in found):
        names = [name for kind in kinds for name, each in vars(kind).items() if isinstance(each, property)]
        found = {name: getattr(value, name) for name in names if not name.startswith("_")} or found
    return found


def _words(slots: Any) -> Any:
    return (slots,) if isinstance(slots, str) else slots


def loaded(name: str) -> Any:
    """Import the module of a file or a dotted name."""
    sys.path[:0] = [os.getcwd()]
    if name.endswith(".py"):
        sys.path[:0] = [os.path.dirname(os.path.abspath(name))]
        if not os.path.isfile(name):
            raise FileNotFoundError(f"there is no file {name}")
        name = os.path.basename(name)[: -len(".py")]
        sys.modules.pop(name, None)
    return importlib.import_module(name)


def came_of(module: Any, number: int, line: str) -> bytes:
    """Make the call in a line, and return its report."""
    import datetime as dt
    from decimal import Decimal
    from fractions import Fraction

    name, args, kwargs = line.rstrip("\n").split("\t")
    names = {"inf": float("inf"), "nan": float("nan"), "Decimal": Decimal, "Fraction": Fraction, "datetime": dt}
    function = module
    try:
        for part in name.split("."):
            function = getattr(function, part)
    except AttributeError:
        return b"%d was not made: there is no function %s" % (number, name.encode())
    positional, named = eval(args, dict(names)), eval(kwargs, dict(names))  # noqa: S307 - literals of the case
    try:
        value = function(*positional, **named)
        if hasattr(value, "__await__"):
            import asyncio

            async def waited() -> Any:
                return await value

            value = asyncio.run(waited())
    except BaseException as error:
        kinds = [kind.__name__ for kind in type(error).__mro__[:-1]]
        return encoded(["!", number, kinds, text_of(error)])[4:]
    # What a property adds may be too much.
    for reads in (True, False):
        try:
            said = encoded(["=", number, DataWriter(reads=reads).put(value)])[4:]
            what = f"a value of more than {REPLY_BYTES >> 20} MiB" if len(said) > REPLY_BYTES else ""
        except BaseException as error:
            what = (type(error) in (TypeError, ValueError) and text_of(error)) or type(error).__name__
        if not what:
            break
    return f"{number} did not return data: {' '.join(what.split())}".encode("utf-8", "replace") if what else said


def text_of(error: BaseException) -> str:
    try:
        return str(error)[:TEXT_CHARACTERS]
    except BaseException:
        return ""


def main() -> None:
    """Make all calls, starting at a given number."""
    number = int(sys.argv[1])
    for descriptor in (3, 4):
        os.set_inheritable(descriptor, False)
    lines = os.fdopen(3, encoding="utf-8", newline="\n")
    module_name = lines.readline()[:-1]
    module, problem = None, ""
    try:
        module = loaded(module_name)
    except BaseException as error:
        problem = f"was not made: its file cannot be loaded: {type(error).__name__}: {text_of(error)}"
        problem = " ".join(problem.split())
    # The line of a call is there when the one before is answered.
    while line := lines.readline():
        said = f"{number} {problem}".encode("utf-8", "replace") if problem else came_of(module, number, line)
        for printed in (sys.stdout, sys.stderr):
            try:
                printed.flush()
            except BaseException:
                continue
        rest = said + b"\n"
        while rest:
            rest = rest[os.write(4, rest) :]
        number += 1
    os._exit(0)


if __name__ == "__main__":
    open_places()
    main()
