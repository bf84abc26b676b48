"""Which modules are the submission's: their imports are answered by the candidate's process.

A module is looked for where Python would look for it: files of the case first, then what is installed, then files of
the workspace that are not the case's, which are the candidate's. So no submission stands in for a library that the
tests use. Files of the case are read and compiled here, and byte code of the workspace is never used.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
from typing import TYPE_CHECKING

from graders.languages.inside.python.apart.first import INSTALLED
from graders.languages.inside.python.apart.links import link_of
from graders.languages.inside.python.apart.stand_ins import StandInModule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType
    from typing import Any

_Find = importlib.machinery.PathFinder
_REAL = {place: os.path.realpath(place) for place in INSTALLED}


def is_case_file(path: str) -> bool:
    """Whether a file is the case's or was made here: it belongs to root or to us, under this name alone."""
    try:
        found = os.lstat(path)
        return (
            found.st_uid in (0, os.geteuid())
            and (found.st_nlink == 1 or os.path.isdir(path))
            and os.path.realpath(path) == os.path.abspath(path)
        )
    except OSError:
        return False


class CaseLoader(importlib.machinery.SourceFileLoader):
    """Loads a file of the case from its source, after a look at who owns what was opened."""

    def get_code(self, fullname: str) -> CodeType:
        data = self.get_data(self.path)
        code: CodeType = compile(data, self.path, "exec", dont_inherit=True)
        return code


def _taken(top: str) -> dict[str, Any]:
    """Take a module with all that are in it out of those that are loaded."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == top}


class Modules:
    """Finds modules: the first of `sys.meta_path` once it is installed.

    Attributes:
        places: Directories of the workspace in which modules are looked for besides those of `sys.path`.
        failures: How many modules of the candidate's could not be loaded.
    """

    def __init__(self, peer: Any, workspace: str, places: Sequence[str], is_ours: Callable[[str], bool]) -> None:
        self.peer = peer
        self.workspace = os.path.realpath(workspace)
        self.places = [os.path.realpath(place) for place in places]
        self.is_ours = is_ours
        self.known: set[str] = set()
        words = os.environ.pop("GRADEBOX_MODULES", "").split()
        # Of the case, though the image has others of their names; those that were loaded; the one that is being looked
        # for by a file of the case.
        self.named = {word.lstrip("!") for word in words if word[0] != "="}
        if len(self.named) < len(words):
            peer.telling = {word[1:] for word in words if word[0] == "="}
        self.own: dict[str, dict[str, Any]] = {}
        self.wanted = ""
        self.failures = 0

    def is_inside(self, path: str) -> bool:
        return f"{_REAL.get(path) or os.path.realpath(path)}/".startswith(f"{self.workspace}/")

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return how a module is loaded: by the candidate's process, if it is the candidate's."""
        found = None
        if path is None:
            if name in sys.builtin_module_names and name != self.wanted:
                return None
            entries = [_REAL.get(place) or os.path.realpath(place or ".") for place in sys.path]
            path = [*dict.fromkeys([*filter(self.is_inside, entries), *self.places])]
            outside = [place for place in entries if not self.is_inside(place)]
            if name != self.wanted:
                found = importlib.machinery.FrozenImporter.find_spec(name) or _Find.find_spec(name, outside)
        spec = _Find.find_spec(name, path)
        if spec is None or not spec.origin or not self.is_inside(spec.origin):
            return found if found is not None and (spec is None or found.origin) else spec
        if found is not None and found.origin and not self.is_ours(spec.origin):
            return found
        if self.is_ours(spec.origin) and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = CaseLoader(name, spec.origin)
            spec.cached = None
            return spec
        loader: Any = self
        made = importlib.machinery.ModuleSpec(name, loader, origin=spec.origin)
        made.submodule_search_locations = spec.submodule_search_locations
        made.has_location = True
        return made

    def install(self) -> None:
        """Find modules for all who import from now on; for files of the case, those of the case come first."""
        import builtins

        sys.meta_path.insert(0, self)
        plain: Any = builtins.__import__

        def own_first(name: str, importing: Any = None, *rest: Any, **named: Any) -> Any:
            top, file = name.partition(".")[0], (importing or {}).get("__file__")
            level = named.get("level", rest[2] if len(rest) > 2 else 0)
            is_case = self.is_inside(file) if file else (importing or {}).get("__name__") == "__main__"
            if level or top not in self.named or not is_case:
                return plain(name, importing, *rest, **named)
            others, before, self.wanted = _taken(top), self.wanted, top
            sys.modules.update(self.own.get(top, {}))
            try:
                return plain(name, importing, *rest, **named)
            finally:
                self.own[top], self.wanted = _taken(top), before
                sys.modules.update(others)

        if self.named:
            vars(builtins)["__import__"] = own_first

    def invalidate_caches(self) -> None:
        _Find.invalidate_caches()

    def create_module(self, spec: Any) -> Any:
        return StandInModule(spec.name)

    def exec_module(self, module: Any) -> None:
        """Have the candidate's process load a module; a conftest of its own is none."""
        link = link_of(module)
        name, origin = module.__spec__.name, module.__spec__.origin
        if name.rpartition(".")[2] == "conftest":
            return
        if link is not None and link.generation == self.peer.generation and self.peer.generation > 0:
            self.peer.ask("reload", module)
            return
        place = os.path.dirname(origin)
        levels = name.count(".") + (module.__spec__.submodule_search_locations is not None)
        for _ in range(levels):
            place = os.path.dirname(place)
        places = [*dict.fromkeys([place, *self.places, *self.peer.places])]
        self.failures += 1
        try:
            number = self.peer.ask("import", name, tuple(places), name in self.known)
        except BaseException as error:
            raise error.with_traceback(None)  # noqa: B904 - the frames of this program say nothing
        finally:
            # A process that is begun for an import is told them by it.
            self.peer.places = places
        self.failures -= 1
        self.known.add(name)
        if type(number) is not int or number >> 62 not in (0, -1):
            raise ImportError(f"the module {name} of the submission is none", name=name)
        self.peer.adopt(module, number, (name, ""))
