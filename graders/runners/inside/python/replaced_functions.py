"""Finds functions of a test runner that were replaced since it was loaded.

Functions of the runner's modules and of their classes are remembered, with their code. Plugins and tests replace some
of them, temporarily or for good: installed code and the judge's code may do so. The candidate's code and code of
unknown origin may not. A function that is restored before the check is not noticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import SimpleNamespace
    from typing import Any


def remember(tools: SimpleNamespace, packages: tuple[str, ...]) -> Callable[[], Iterator[str]]:
    """Return a function that finds functions of these packages which were replaced since this call."""
    import os
    import sys
    import types

    function, wrapped = types.FunctionType, (classmethod, staticmethod)
    stat, uid = os.stat, os.geteuid()
    parts = {}

    def inner(thing: Any) -> Any:
        """Return the function in an attribute of a module or class, None if it has none."""
        if type(thing) in wrapped:
            thing = thing.__func__
        return thing if type(thing) is function else None

    def note(where: Any, namespace: Any, prefix: str) -> None:
        for name, thing in list(namespace.items()):
            found = inner(thing)
            if found is not None and found.__module__ and found.__module__.startswith(packages):
                parts[prefix + name] = where, name, found, found.__code__

    for title, module in list(sys.modules.items()):
        if type(module) is types.ModuleType and (title + ".").startswith(packages):
            note(module, module.__dict__, title + ".")
            for name, thing in list(module.__dict__.items()):
                if isinstance(thing, type) and thing.__module__ == title:
                    note(thing, type.__getattribute__(thing, "__dict__"), f"{title}.{name}.")

    def is_foreign(found: Any) -> bool:
        if found is None:
            return False
        if tools.is_runners(found.__code__.co_filename):
            return False
        try:
            return stat(found.__code__.co_filename).st_uid == uid != 0
        except (OSError, ValueError):
            return True

    def replaced() -> Iterator[str]:
        """Yield the names of functions that the candidate's code has replaced."""
        for name, (where, attribute, found, code) in parts.items():
            namespace = type.__getattribute__(where, "__dict__") if isinstance(where, type) else where.__dict__
            thing = namespace.get(attribute)
            now = inner(thing)
            if now is found and found.__code__ is code:
                continue
            if is_foreign(now) or (now is None and tools.origin(type(thing))):
                yield name

    return replaced
