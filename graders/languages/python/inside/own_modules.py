"""Gives tests the workspace's modules whose names the image also has, while the runner keeps the image's.

An already loaded module would hide the one to be judged, for example homework called `calendar.py`, or a package that
pytest uses. So for each name of a module of the case, two modules are kept: importers in the image get the image's
module, all others the one that Python's own path leads to. Names that only a submission has are excluded, since the
candidate must not replace what tests need from the standard library.

Python finds built-in modules before any path. If the case has such a module with the same definitions, this is noted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def own_modules(words: list[str]) -> list[str]:
    """Keep modules of these names apart from now on; return the list of those that still come from the image.

    words: names of modules, each with ``!`` before it if the module is judged.
    """
    import builtins
    import importlib
    import importlib.machinery
    import os
    import sys

    import_any, import_module = builtins.__import__, importlib.import_module
    built_in, frozen = importlib.machinery.BuiltinImporter.find_spec, importlib.machinery.FrozenImporter.find_spec
    find, modules = importlib.machinery.PathFinder.find_spec, sys.modules
    # Our own program is in no file, so it is recognised by its globals.
    inside, library = globals(), os.path.dirname(os.__file__) + "/"
    # Many projects have a package of tests with this name, and nothing in the image needs the library's.
    known = set(getattr(sys, "stdlib_module_names", ())) - {"test"}
    wanted = {word.lstrip("!"): word.startswith("!") for word in words}
    wanted = {name: judged for name, judged in wanted.items() if name in modules or name in known}
    apart: dict[str, dict[str, Any]] = {}
    noted: list[str] = []

    def is_of_image(path: Any) -> bool:
        return isinstance(path, str) and (path.startswith(library) or "-packages/" in path)

    def own_path() -> Iterator[str]:
        """Yield the directories that are searched before those of the image."""
        for place in sys.path:
            if is_of_image(place + "/"):
                return
            yield place

    def is_built_in(name: str) -> bool:
        spec = getattr(modules.get(name), "__spec__", None) or built_in(name) or frozen(name)
        return getattr(spec, "origin", "") in ("built-in", "frozen")

    def found(name: str) -> Any:
        """Return the specification of the workspace's module, None if Python's path does not lead to one."""
        spec = find(name, list(own_path()))
        return spec if spec is not None and spec.origin is not None else None

    def pulled(name: str) -> dict[str, Any]:
        names = [each for each in list(modules) if each == name or each.startswith(name + ".")]
        return {each: modules.pop(each) for each in names}

    def note(name: str, path: str) -> None:
        """Note a module of the case that shares definitions with a built-in module, which hides it."""
        import ast

        try:
            with open(path, encoding="utf-8") as file:
                tree = ast.parse(file.read())
        except (OSError, ValueError, SyntaxError):
            return
        defined = {getattr(node, "name", "") for node in tree.body} & set(dir(import_any(name)))
        if defined - {""} and f"{name} {path}" not in noted:
            noted.append(f"{name} {path}")

    def take(name: str) -> None:
        """Let importers outside the image find the workspace's module, if there is one."""
        there = modules.get(name)
        if name in apart or (there is not None and not is_of_image(getattr(there, "__file__", library))):
            return
        spec = found(name)
        if spec is None:
            return
        if not is_built_in(name):
            apart[name] = pulled(name)
        elif wanted[name]:
            note(name, spec.origin)

    def of_image(name: str, *arguments: Any) -> Any:
        """Import the image's module, even if others have loaded another one of that name."""
        path, others = sys.path[:], pulled(name)
        modules.update(apart.get(name, {}))
        sys.path[:] = [place for place in path if is_of_image(place + "/") or place.endswith(".zip")]
        try:
            return import_any(*arguments)
        finally:
            sys.path[:] = path
            apart[name] = pulled(name)
            modules.update(others)

    def routed(name: str, importer: Any = None, names: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        __tracebackhide__ = True
        if importer is not None:
            top = (name if level == 0 else importer.get("__package__") or "").partition(".")[0]
            if top in wanted and not (importer is inside or is_of_image(importer.get("__file__"))):
                take(top)
            elif top in apart or (top in wanted and top not in modules and found(top) and not is_built_in(top)):
                return of_image(top, name, importer, names, fromlist, level)
        return import_any(name, importer, names, fromlist, level)

    def by_keywords(name: str, *places: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        given = {{"globals": "importer", "locals": "names"}.get(key, key): value for key, value in named.items()}
        return routed(name, *places, **given)

    def imported(name: str, package: str | None = None) -> Any:
        # Callers in the image, such as mocks, import by name on behalf of others.
        if name.partition(".")[0] in wanted:
            take(name.partition(".")[0])
        return import_module(name, package)

    if wanted:
        builtins.__import__, importlib.import_module = by_keywords, imported
    return noted
