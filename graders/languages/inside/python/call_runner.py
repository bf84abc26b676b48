"""Calls functions of a module, and writes what they return as data: ``python3 -I -c SOURCE FIRST``.

`inside/calls.sh` says what stdin and the descriptors are. This is the candidate's process: whatever its code does here
changes what the candidate answers, and nothing else. docs/how-to/judge-by-calls.md describes how values are written.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

TYPE_CHARACTERS, TEXT_CHARACTERS, REPLY_BYTES, DEEPEST = 200, 2000, 1 << 20, 40
_TAGS = {"Decimal": "decimal", "Fraction": "fraction"}


def data_of(value: Any, depth: int = 0) -> Any:
    """Return a value as JSON has it, what JSON lacks as an object with one key.

    Raises:
        TypeError: If it is no data.
    """
    if depth > DEEPEST:
        raise TypeError(f"a value that is nested deeper than {DEEPEST} levels")
    if value is None or isinstance(value, (bool, str)):
        return value if value is None or isinstance(value, bool) else str(value)
    if isinstance(value, int):
        return int(value) if abs(value) < 1 << 53 else {"$int": str(int(value))}
    if isinstance(value, float):
        return float(value) if abs(value) < float("inf") else {"$float": repr(float(value))}
    if isinstance(value, (list, tuple, set, frozenset, range)):
        parts = [data_of(part, depth + 1) for part in value]
        return (
            parts if isinstance(value, list) else {"$set" if isinstance(value, (set, frozenset)) else "$tuple": parts}
        )
    if isinstance(value, dict):
        if all(type(key) is str and key[:1] != "$" for key in value):
            return {key: data_of(part, depth + 1) for key, part in value.items()}
        return {"$dict": [[data_of(key, depth + 1), data_of(part, depth + 1)] for key, part in value.items()]}
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": value.hex()}
    if isinstance(value, complex):
        return {"$complex": [data_of(value.real), data_of(value.imag)]}
    kind = type(value)
    if kind.__module__ in ("decimal", "fractions") and kind.__name__ in _TAGS:
        return {f"${_TAGS[kind.__name__]}": str(value)}
    if kind.__module__ == "datetime" and kind.__name__ in ("date", "time", "datetime"):
        return {f"${kind.__name__}": value.isoformat()}
    fields = vars(value) if hasattr(value, "__dict__") and not callable(value) else None
    if fields is None or hasattr(value, "__next__") or isinstance(value, type(sys)):
        raise TypeError(f"a {kind.__name__}"[:TYPE_CHARACTERS])
    return {"$object": [kind.__qualname__, {name: data_of(part, depth + 1) for name, part in fields.items()}]}


def loaded(name: str) -> Any:
    """Return the module that a file or a dotted name means."""
    sys.path[:0] = [os.getcwd()]
    if name.endswith(".py"):
        sys.path[:0] = [os.path.dirname(os.path.abspath(name))]
        if not os.path.isfile(name):
            raise FileNotFoundError(f"there is no file {name}")
        name = os.path.basename(name)[: -len(".py")]
        sys.modules.pop(name, None)
    return importlib.import_module(name)


def came_of(module: Any, line: str) -> dict[str, Any]:
    """Make the call of a line, and say what came of it."""
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
        return {"missing": name}
    positional, named = eval(args, dict(names)), eval(kwargs, dict(names))  # noqa: S307 - literals of the case
    try:
        value = function(*positional, **named)
        if hasattr(value, "__await__"):
            import asyncio

            async def waited() -> Any:
                return await value

            value = asyncio.run(waited())
    except BaseException as error:
        return raised(error)
    try:
        return {"returned": data_of(value)}
    except BaseException as error:
        return {"no_data": str(error)[:TEXT_CHARACTERS] if type(error) is TypeError else type(error).__name__}


def raised(error: BaseException) -> dict[str, Any]:
    """Say what was raised: the names of its classes, and its text."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    return {"raised": [kind.__name__ for kind in type(error).__mro__[:-1]], "message": text[:TEXT_CHARACTERS]}


def main() -> None:
    """Make all calls from one on."""
    import json

    first = int(sys.argv[1])
    for descriptor in (3, 4):
        os.set_inheritable(descriptor, False)
    with os.fdopen(os.dup(0), encoding="utf-8", newline="\n") as stream:
        module_name, *calls = stream.read().split("\n")[:-1]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    module, problem = None, None
    try:
        module = loaded(module_name)
    except BaseException as error:
        problem = {**raised(error), "loading": True}
    for number in range(first, len(calls)):
        said = problem or came_of(module, calls[number])
        try:
            text = json.dumps({"call": number, **said}, allow_nan=False, separators=(",", ":"))
        except (ValueError, RecursionError) as error:
            text = json.dumps({"call": number, "no_data": f"a value that cannot be written: {error}"[:TEXT_CHARACTERS]})
        if len(text) > REPLY_BYTES:
            text = json.dumps({"call": number, "no_data": f"a value of more than {REPLY_BYTES >> 20} MiB"})
        for printed in (sys.stdout, sys.stderr):
            try:
                printed.flush()
            except BaseException:
                continue
        for descriptor, line in ((3, f"{text}\n"), (4, f"{number}\n")):
            data = line.encode()
            while data:
                data = data[os.write(descriptor, data) :]
    os._exit(0)


if __name__ == "__main__":
    main()
