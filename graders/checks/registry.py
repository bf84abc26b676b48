"""Finds all types of check: the classes of this package and of other distributions, by their types.

Another distribution adds a type by an entry point of the group ``gradebox.checks``, which names the class or a module
with such classes. A repository adds a type by a script, which a `code-grader` runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from itertools import product
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from gradebox.graders.checks.base import Check
from gradebox.graders.documents.paths import exists, is_file, searched
from gradebox.graders.documents.plugins import plugins
from gradebox.graders.documents.positions import Document
from gradebox.graders.errors import GraderError

PACKAGE = "gradebox.graders.checks"
GROUP = "gradebox.checks"
NEGATED_PREFIX = "not-"

_SCRIPT_FOLDERS = ("assertions", "graders", "judges")
_SCRIPT_SUFFIXES = (".ts", ".mts", ".js", ".mjs", ".py")


@cache
def check_types() -> Mapping[str, type[Check]]:
    """Return every type of check that authors can use, by its main name.

    Raises GraderError if a distribution's type cannot be loaded, or if another type has its name.
    """
    found: dict[str, type[Check]] = {}
    for kind, origin in _classes(PACKAGE, GROUP):
        if not kind.authored:
            continue
        for name in (kind.type, *kind.spellings):
            taken = next((other for other in found.values() if name in (other.type, *other.spellings)), kind)
            if taken is not kind:
                raise GraderError(
                    f"The type of check {name!r} of {origin} is taken by {taken.__module__}.{taken.__name__}.",
                    remedy="Uninstall that distribution, or rename its type.",
                )
        found[kind.type] = kind
    return MappingProxyType(dict(sorted(found.items())))


def check_type(written: str) -> type[Check] | None:
    """Return the type that a word without ``not-`` names, None if unknown; ``_`` and ``-`` are equivalent."""
    spelled = written.replace("_", "-")
    return _of_its_module(spelled) or _by_spelling().get(spelled)


@lru_cache(maxsize=256)
def _of_its_module(spelled: str) -> type[Check] | None:
    """Return a type whose module has its name. This imports only the two or three types that a case uses."""
    module = _modules().get(spelled.partition(":")[0].replace("-", "_"))
    kinds = _in(import_module(module)) if module else iter(())
    return next((kind for kind in kinds if kind.authored and spelled in (kind.type, *kind.spellings)), None)


@cache
def _modules() -> Mapping[str, str]:
    """Return the modules of this package and its folders by the last part of their names. Imports none of them."""
    here = Path(__file__).parent
    folders = [here, *(found for found in here.iterdir() if (found / "__init__.py").exists())]
    return {
        file.stem: ".".join([PACKAGE, *file.relative_to(here).with_suffix("").parts])
        for folder in folders
        for file in folder.glob("[!_]*.py")
    }


def script_of_type(name: str, directory: Path) -> Path | None:
    """Return the script of a repository's own type: the nearest ``.agentv/assertions/NAME.ts`` upwards."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name):
        return None
    for parent in (directory, *directory.parents):
        for folder, suffix in product(_SCRIPT_FOLDERS, _SCRIPT_SUFFIXES):
            if is_file(script := parent / ".agentv" / folder / f"{name}{suffix}"):
                return script
        if exists(parent / ".git"):
            return None
    return None


def is_foreign(document: Document) -> bool:
    """Return whether a document comes from another tool's format, or is a file of AgentV.

    These lie below `evals`, or have `.agentv` beside or above them in their repository.
    """
    above = searched(document.file.parent)
    return document.foreign or any(parent.name == "evals" or exists(parent / ".agentv") for parent in above)


def spellings(kind: type[Check]) -> tuple[str, ...]:
    """Return the names of a type with hyphens: first the main name, last the names with ``not-``."""
    names = (kind.type, *kind.spellings)
    return (*names, *(NEGATED_PREFIX + name for name in names if kind.negatable))


def known_types() -> tuple[str, ...]:
    return tuple(name for kind in check_types().values() for name in spellings(kind))


@cache
def _by_spelling() -> Mapping[str, type[Check]]:
    return {name: kind for kind in check_types().values() for name in (kind.type, *kind.spellings)}


def _classes(package: str, group: str) -> Iterator[tuple[type[Check], str]]:
    """Yield the classes that are types of check, each with its origin."""
    for plugin in plugins(package, group).values():
        for kind in _in(plugin.load()):
            yield kind, plugin.origin


def _in(loaded: Any) -> Iterator[type[Check]]:
    if isinstance(loaded, type) and issubclass(loaded, Check):
        yield loaded
    elif isinstance(loaded, ModuleType):
        for value in vars(loaded).values():
            if isinstance(value, type) and value.__module__ == loaded.__name__ and _is_type(value):
                yield value
        if hasattr(loaded, "__path__"):
            yield from (kind for kind, _ in _classes(loaded.__name__, ""))


def _is_type(value: type) -> bool:
    return issubclass(value, Check) and "type" in vars(value)
