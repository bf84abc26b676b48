"""Finds plug-ins by name: the modules of a package and the entry points of a group. Imports them only when used.

A check type, a format, a report, a runner, a language, a judge or an engine is a module of its package, or an entry
point of another distribution, such as::

    [project.entry-points."gradebox.formats"]
    agentv = "gradebox_agentv:format"

Our own names take precedence, so that no distribution can replace a plug-in of gradebox.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gradebox.graders.errors import GraderError
from gradebox.sandbox.records import dataclass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


# The package of gradebox's own plug-ins. (The name of the distribution would have to be read from a file.)
_OURS = "gradebox"


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plug-in that was found but is not imported yet."""

    name: str  # The name of the module in the package, or of the entry point.
    origin: str  # The module or distribution that it comes from, for messages.
    _source: str | EntryPoint = field(repr=False)

    def load(self) -> Any:
        """Import and return the module of the package, or the object that the entry point names.

        Raises GraderError if an entry point of another distribution cannot be imported.
        """
        if isinstance(self._source, str):
            return import_module(self._source)
        try:
            return self._source.load()
        except Exception as error:
            group, value = self._source.group, self._source.value
            raise GraderError(
                f"The plug-in {self.name!r} ({group}, {value}) of {self.origin} cannot be loaded: "
                f"{type(error).__name__}: {error}.",
                remedy="Update or uninstall that distribution.",
            ) from error


def plugins(package: ModuleType | str | None, group: str) -> Mapping[str, Plugin]:
    """Return the plug-ins of a package and of an entry point group, sorted by name, without importing them.

    The plug-ins of a package are its modules and packages whose names do not begin with `_`. Callers must skip modules
    that are no plug-ins, such as ``base`` and ``registry``. Raises GraderError if two distributions define a plug-in of
    the same name.
    """
    return _found(package.__name__ if isinstance(package, ModuleType) else package, group)


@cache
def _entry_points() -> Any:
    """Return the entry points of all groups: a query for each group would read the files of all distributions again."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - most commands need plug-ins of gradebox alone

    return entry_points()


@cache
def _found(package: str | None, group: str) -> Mapping[str, Plugin]:
    path = import_module(package).__path__ if package else ()
    names = [found.name for found in pkgutil.iter_modules(path) if not found.name.startswith("_")]
    found = {name: Plugin(name, f"{package}.{name}", f"{package}.{name}") for name in names}
    theirs: dict[str, Plugin] = {}
    for entry in _entry_points().select(group=group):
        if entry.module.partition(".")[0] == _OURS:
            found.setdefault(entry.name, Plugin(entry.name, entry.value, entry))
            continue
        distribution = f"the distribution {entry.dist.name}" if entry.dist else "a distribution without metadata"
        first = theirs.setdefault(entry.name, Plugin(entry.name, distribution, entry))
        if first.origin != distribution:
            raise GraderError(
                f"Two plug-ins of {group} are called {entry.name!r}: of {first.origin} and of {distribution}.",
                remedy="Uninstall one of them.",
            )
    return {name: (found.get(name) or theirs[name]) for name in sorted({*found, *theirs})}
