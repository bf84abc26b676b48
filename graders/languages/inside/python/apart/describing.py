"""What one side says of its classes and exceptions, so that the other one can make stand-ins for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.links import SPECIAL
from graders.languages.inside.python.apart.stand_ins import StandInType

if TYPE_CHECKING:
    from typing import Any

_HERE = (lambda: 0).__code__.co_filename


def at(module: Any, name: str) -> Any:
    """Return what a module has under a dotted name, None if it has nothing."""
    found = module
    for part in name.split("."):
        try:
            found = found.__dict__.get(part) if found is module else getattr(found, part, None)
        except Exception:
            return None
    return found


def own_name(value: Any) -> tuple[str, str]:
    """Return the module and the name that a class, a function, or what wraps one says it has; asks no other object."""
    try:
        if isinstance(value, (type, type(own_name), type(len))):
            names = value.__module__, value.__qualname__
        else:
            namespace = object.__getattribute__(value, "__dict__")
            names = namespace.get("__module__"), namespace.get("__qualname__")
    except AttributeError:
        return "", ""
    return names if all(type(name) is str for name in names) else ("", "")


def is_named_tuple(kind: type) -> bool:
    return (
        issubclass(kind, tuple)
        and type(kind.__dict__.get("_fields") or getattr(kind, "_fields", None)) is tuple
        and kind.__eq__ is tuple.__eq__
    )


def describe(kind: type) -> dict[str, Any]:
    """Return what the other side must know of a class to make a stand-in for it."""
    about: dict[str, Any] = {"name": kind.__name__, "qualname": kind.__qualname__, "module": str(kind.__module__)}
    about["doc"] = kind.__doc__ if type(kind.__doc__) is str else None
    methods, special = [], []
    for name in {name: None for each in reversed(kind.__mro__) for name in each.__dict__}:
        if name in SPECIAL:
            own: Any = getattr(kind, name, None)
            if own is not getattr(object, name, None):
                special.append(name)
        elif not name.startswith("__") and type(_at_class(kind, name)).__name__ in _METHODS:
            methods.append(name)
    about["methods"], about["special"] = tuple(methods), tuple(name for name in special if name != "__hash__")
    hashes: Any = kind.__hash__
    if hashes is not None and hashes is not object.__hash__:
        about["special"] += ("__hash__",)
    about["unhashable"] = hashes is None
    about["equal"] = _equal(kind)
    about["data"] = next((data.__name__ for data in _DATA if issubclass(kind, data)), "")
    is_tuple = is_named_tuple(kind)
    about["fields"] = tuple(kind._fields) if is_tuple else ()  # type: ignore[attr-defined]
    about["defaults"] = tuple(getattr(kind, "_field_defaults", {}).values()) if is_tuple else ()
    return about


_METHODS = frozenset(
    "function method_descriptor wrapper_descriptor builtin_function_or_method classmethod_descriptor".split()
)
_DATA = (int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset)


def _at_class(kind: type, name: str) -> Any:
    return next((each.__dict__[name] for each in kind.__mro__ if name in each.__dict__), None)


def _equal(kind: type) -> str:
    own: Any = kind.__eq__
    if own is object.__eq__ or (issubclass(kind, BaseException) and own is BaseException.__eq__):
        return ""
    if getattr(kind, "__dataclass_fields__", None) and getattr(own, "__qualname__", "").endswith("__eq__") and (
        getattr(getattr(own, "__code__", None), "co_filename", "") == "<string>"
    ):  # fmt: skip
        return "fields"
    return "data" if any(issubclass(kind, data) and own is data.__eq__ for data in _DATA) else "own"


def plain(thing: Any) -> Any:
    """Return the data of an object whose class is a dataclass or derived from a kind of data."""
    fields = getattr(type(thing), "__dataclass_fields__", None)
    if fields and _equal(type(thing)) == "fields":
        return tuple(getattr(thing, name) for name, field in fields.items() if field.compare)
    base: Any = next(data for data in _DATA if isinstance(thing, data))
    if base is dict:
        return dict(dict.items(thing))
    if base in (int, float, complex, str):
        return base.__add__(thing, base())
    return base(base.__iter__(thing))


def is_description(about: Any) -> bool:
    if type(about) is not dict or not all(type(about.get(name)) is str for name in ("name", "qualname", "module")):
        return False
    lists = [about.get(name) for name in ("methods", "special", "fields")]
    if not all(type(names) is tuple and all(type(name) is str for name in names) for names in lists):
        return False
    is_text = type(about.get("doc")) in (str, type(None))
    is_text = is_text and all(type(about.get(name)) is str for name in ("equal", "data"))
    return is_text and type(about.get("defaults")) is tuple and "unhashable" in about


def notes_of(error: BaseException) -> tuple[str, ...]:
    notes = getattr(error, "__notes__", ())
    return tuple(note for note in notes if type(note) is str) if type(notes) is list else ()


def made_error(kind: Any, args: tuple[Any, ...]) -> BaseException:
    if not isinstance(kind, StandInType) and kind.__module__ == "builtins":
        try:
            made: BaseException = kind(*args)
            return made
        except Exception:
            return Exception(*args)
    try:
        error: BaseException = kind.__new__(kind, *args)
    except Exception:
        error = Exception.__new__(kind)
    error.args = args
    return error


def traceback_text(error: BaseException) -> str:
    """Return the traceback of an exception as Python prints it, from the candidate's first frame on."""
    trace = error.__traceback__
    lines: list[str] = []
    while trace is not None and len(lines) < 20:
        code = trace.tb_frame.f_code
        if code.co_filename != _HERE:
            lines.append(f'  File "{code.co_filename}", line {trace.tb_lineno}, in {code.co_name}')
        trace = trace.tb_next
    return "\n".join(lines)
