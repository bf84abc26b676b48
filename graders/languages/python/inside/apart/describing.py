"""Describes one side's classes, functions and exceptions, so that the other side can make stand-ins: names only."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.languages.python.inside.apart.wire import CandidateDied

HERE = (lambda: 0).__code__.co_filename
_LIBRARY = BOUNDARY["python"]["library"]
_SPECIAL = {f"__{name}__" for names in BOUNDARY["python"]["operators"].values() for name in names} | {"__call__"}
_LIBRARIES = ("/usr/lib/python", "/usr/local/lib/python", os.path.dirname(os.__file__))
DATA = (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset)
_METHODS = frozenset(
    "function method_descriptor wrapper_descriptor builtin_function_or_method classmethod_descriptor".split()
)
FUNCTIONS = frozenset(BOUNDARY["python"]["functions"])
"""Kinds of functions: each is equal only to itself, and equal methods share one number (sharing.py)."""
_EXCEPTIONS = frozenset(BOUNDARY["python"]["exceptions"])
_CONSTANTS = frozenset(BOUNDARY["python"]["constants"])
_OUTCOMES = ("_pytest.outcomes", "unittest.case")
_PLAIN_FIELDS, _C_FIELDS = (str, int, bytes), frozenset(("member_descriptor", "getset_descriptor"))
_HEAP_TYPE, _GROUP, _MOST_IN_GROUPS = 1 << 9, "BaseExceptionGroup", 1000
_AROUND = "<locals>."  # Ends the name of a function around others, such as a test: that may say what it expects.
_DESCRIBED, _COUNTED = ("name", "qualname", "module", "equal", "data"), ("methods", "operators", "fields")


def full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def listed(kind: type) -> Any:
    """Return the attributes of a library class that the submission may read; None for a class that is not listed."""
    module = str(kind.__module__)
    found = _LIBRARY.get(f"{'io' if module == '_io' else module}.{kind.__qualname__}")
    return None if found is None or kind is object else found


def defining(classes: Iterable[type], name: str) -> Any:
    """Return the first class that defines a name itself, None if none does."""
    return next((each for each in classes if name in each.__dict__), None)


def held(kind: type, name: str) -> Any:
    """Return a class's attribute of a name without binding it, None if it has none."""
    owner = defining(kind.__mro__, name)
    return None if owner is None else owner.__dict__[name]


def data_kind(kind: type) -> Any:
    """Return the kind of data that a class is derived from, None for any other."""
    return next((data for data in DATA if issubclass(kind, data)), None)


def is_library(module: str) -> bool:
    """Whether a module is the same in both processes."""
    there = sys.modules.get(module)
    place = getattr(getattr(there, "__spec__", None), "origin", None) or getattr(there, "__file__", None)
    return there is not None and module != "__main__" and (place is None or place in ("built-in", "frozen")
        or place.startswith((sys.prefix, sys.base_prefix, *_LIBRARIES)))  # fmt: skip


def is_library_class(kind: type) -> bool:
    module = str(kind.__module__)
    # A class made by `exec` may claim to be built in.
    return is_library(module) and not (module == "builtins" and kind.__flags__ & _HEAP_TYPE)


def known_name(kind: type) -> str:
    """Return the name under which a type or an exception may be sent, "" if it has none."""
    module, name = str(kind.__module__), kind.__qualname__
    known = name if module == "builtins" else f"{module}.{name}"
    is_one = kind is type(None) or at(sys.modules.get(module), name) is kind
    return known if is_one and is_known_name(known) else ""


def is_known_name(name: str) -> bool:
    """Whether the candidate may send the name of a type, an exception or a constant."""
    if name in _EXCEPTIONS or name in _CONSTANTS:
        return True
    found = vars(sys.modules["builtins"]).get(name)
    return isinstance(found, type) and issubclass(found, BaseException)


def at(module: Any, name: str) -> Any:
    """Return a module's object with a dotted name, None if there is none."""
    found = module
    for part in name.split("."):
        try:
            found = found.__dict__.get(part) if found is module else getattr(found, part, None)
        except Exception:
            return None
    return found


def own_name(value: Any) -> tuple[str, str]:
    """Return the module and name that a class, function or wrapper claims; this runs no code of other objects."""
    try:
        if isinstance(value, (type, type(own_name), type(len), type(str.join))):
            if type(value) is type(str.join):
                return "builtins", value.__qualname__
            names = value.__module__, value.__qualname__
        else:
            namespace = object.__getattribute__(value, "__dict__")
            names = namespace.get("__module__"), namespace.get("__qualname__")
    except AttributeError:
        return "", ""
    return names if all(type(name) is str for name in names) else ("", "")


def common_name(value: Any) -> str:
    """Return the name under which the other process has the same object, "" if it has none."""
    if type(value) is type(sys):
        return value.__name__ if is_library(value.__name__) else ""
    module, name = own_name(value)
    if not (module and name and is_library(module)) or (isinstance(value, type) and not is_library_class(value)):
        return ""
    return f"{module}.{name}" if at(sys.modules.get(module), name) is value else ""


def is_named_tuple(kind: type) -> bool:
    return (
        issubclass(kind, tuple)
        and type(kind.__dict__.get("_fields") or getattr(kind, "_fields", None)) is tuple
        and kind.__eq__ is tuple.__eq__
    )


def describe(kind: type, real_kind: Any = None) -> dict[str, Any]:
    """Return the description from which the other side makes a stand-in for a class; `real_kind` may be its base."""
    methods, special, is_tuple = [], [], is_named_tuple(kind)
    plain_kind: Any = tuple if is_tuple else real_kind or object
    if issubclass(kind, BaseException):
        plain_kind = next(each for each in kind.__mro__ if each.__module__ == "builtins" and is_library_class(each))
    for name in {name: None for each in reversed(kind.__mro__) for name in each.__dict__}:
        if name in _SPECIAL:
            own = getattr(kind, name, None)
            # Methods that `namedtuple` generates are not the class's own.
            is_made = is_tuple and getattr(own, "__module__", "") == "collections"
            if own is not getattr(plain_kind, name, None) and name != "__hash__" and not is_made:
                special.append(name.strip("_"))
        elif name.startswith("__") or held(kind, name) is held(plain_kind, name):
            continue
        elif type(held(kind, name)).__name__ in _METHODS:
            methods.append(name)
    hashes: Any = kind.__hash__
    if hashes is not None and hashes is not object.__hash__ and full_name(kind) not in FUNCTIONS:
        special.append("hash")
    fields, data = getattr(kind, "__dataclass_fields__", None), data_kind(kind)
    own = [str(name) for name in fields if _is_field(fields[name])] if type(fields) is dict else None
    library = (kind,) if is_library_class(kind) else kind.__bases__
    return {
        "name": kind.__name__, "qualname": kind.__qualname__.rpartition(_AROUND)[2], "module": str(kind.__module__),
        "doc": kind.__doc__ if type(kind.__doc__) is str else None, "abstract": type(kind) is not type,
        "methods": methods, "operators": special, "unhashable": hashes is None, "equal": equality(kind),
        "data": data.__name__ if data else "",
        "fields": list(kind._fields) if is_tuple else [],  # type: ignore[attr-defined]
        "dataclass": own,
        "library": [full_name(base) for base in library if is_library_class(base)],
    }  # fmt: skip


def _is_field(field: Any) -> bool:
    """Whether a field of a dataclass is one, and no `ClassVar` or `InitVar`."""
    return str(getattr(field, "_field_type", "_FIELD")) == "_FIELD"


def equality(kind: type) -> str:
    """Return how a class compares its objects: by "fields", "data", an "own" method, or "" for identity."""
    own: Any = kind.__eq__
    if own in (object.__eq__, BaseException.__eq__) or full_name(kind) in FUNCTIONS:
        return ""
    if getattr(kind, "__dataclass_fields__", None) and getattr(own, "__qualname__", "").endswith("__eq__") and (
        getattr(getattr(own, "__code__", None), "co_filename", "") == "<string>"
    ):  # fmt: skip
        return "fields"
    return "data" if any(issubclass(kind, data) and own is data.__eq__ for data in DATA) else "own"


def function_about(function: Any) -> dict[str, Any]:
    """Return the description from which the other side makes a function that calls this one; {} for other objects."""
    if type(function).__name__ == "method":
        name = own_name(function.__func__)[1].rpartition(_AROUND)[2]
        return {"name": name.rpartition(".")[2], "qualname": name}
    if type(function) is not type(at):
        return {}
    inner, seen = function, 0
    while type(inner) is type(at) and "__wrapped__" in inner.__dict__ and seen < 20:
        inner, seen = inner.__dict__["__wrapped__"], seen + 1
    inner = inner if type(inner) is type(at) else function
    code = inner.__code__
    positional, flags, names = code.co_argcount, code.co_flags, iter(code.co_varnames)
    required, keywords = positional - len(inner.__defaults__ or ()), inner.__kwdefaults__ or {}
    parameters = [
        [next(names), int(place >= code.co_posonlyargcount), place >= required] for place in range(positional)
    ]
    only = [[name, 3, name in keywords] for _, name in zip(range(code.co_kwonlyargcount), names)]
    star, stars = ([[next(names), kind, False]] if flags & flag else [] for flag, kind in ((4, 2), (8, 4)))
    parameters += star + only + stars
    link = link_of(inner)
    if link is not None:
        # A function of the other side.
        parameters = link.about["parameters"]
    name = function.__qualname__.rpartition(_AROUND)[2]
    return {
        "name": function.__name__, "qualname": name, "module": str(function.__module__),
        "doc": function.__doc__, "async": bool(flags & 128), "parameters": parameters,
    }  # fmt: skip


def is_description(about: Any) -> bool:
    if type(about) is not dict or type(about.get("doc")) not in (str, type(None)):
        return False
    lists: list[Any] = [about.get(name) for name in _COUNTED]
    if {*map(type, lists)} != {list}:
        return False
    words = [about.get(name) for name in _DESCRIBED]
    return {type(word) for each in (words, *lists) for word in each} == {str}


def traceback_text(error: BaseException) -> str:
    """Return the frames of an exception's traceback as Python prints them, without those of this program."""
    trace = error.__traceback__
    lines: list[str] = []
    while trace is not None and len(lines) < 20:
        code = trace.tb_frame.f_code
        if code.co_filename != HERE:
            lines.append(f'  File "{code.co_filename}", line {trace.tb_lineno}, in {code.co_name}')
        trace = trace.tb_next
    return "\n".join(lines)


def fields_of(error: BaseException) -> dict[str, Any]:
    """Return the plain values that the exceptions of C keep outside `args` and `__dict__`, by name."""
    found = {}
    for name, field in error_fields(error).items():
        try:
            found[name] = field.__get__(error)
        except AttributeError:
            continue
    return {name: value for name, value in found.items() if type(value) in _PLAIN_FIELDS}


def set_fields(error: BaseException, told: dict[str, Any]) -> None:
    """Set those values."""
    for name, field in error_fields(error).items():
        if type(told.get(name, at)) in _PLAIN_FIELDS:
            try:
                field.__set__(error, told[name])
            except (AttributeError, TypeError):
                continue


def error_fields(error: BaseException) -> dict[str, Any]:
    """Return the descriptors of these values."""
    kinds = [kind for kind in type(error).__mro__ if kind.__module__ == "builtins" and is_library_class(kind)]
    return {name: field for kind in kinds if kind is not BaseException for name, field in vars(kind).items()
            if type(field).__name__ in _C_FIELDS and not name.startswith("_")}  # fmt: skip


def is_failure(error: Any) -> bool:
    """Whether an exception decides how a test ends: a failed assertion, a runner's outcome, or the candidate's end.

    So does a group of exceptions with one of these.
    """
    waiting, seen = [error], 0
    while waiting and seen < _MOST_IN_GROUPS:
        error, seen = waiting.pop(), seen + 1
        kinds = type(error).__mro__
        if isinstance(error, BaseException) and any(kind.__module__ in _OUTCOMES for kind in kinds):
            return True
        if isinstance(error, (AssertionError, CandidateDied)):
            return True
        waiting += getattr(error, "exceptions", ()) if any(kind.__name__ == _GROUP for kind in kinds) else ()
    return bool(waiting)


def own_text(error: BaseException) -> str:
    """Return an exception's text if its class defines it in its own `__str__`; "" for all others and for failures."""
    maker = defining(type(error).__mro__, "__str__")
    try:
        return "" if is_library_class(maker) or is_failure(error) else str(error)
    except Exception:
        return ""


def special(thing: Any, name: Any, *others: Any) -> Any:
    """Use an operator of an object as Python does."""
    if name in ("repr", "str") and not others:
        return repr(thing) if name == "repr" else str(thing)
    raw = held(type(thing), f"__{name}__")
    if f"__{name}__" not in _SPECIAL or raw is None:
        raise TypeError(f"{type(thing).__name__!r} object has no __{name}__")
    bind = getattr(type(raw), "__get__", None)
    return (bind(raw, thing, type(thing)) if bind else raw)(*others)
