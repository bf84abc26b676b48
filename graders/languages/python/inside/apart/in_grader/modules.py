"""Finds modules, and lets the candidate's process load those of the submission.

Files of the case come first: the host lists them with their digests, and this process finds them by that list, reads
and compiles them. Modules installed in the image come next. If a file of the case imports any other module, the
candidate's process looks for it; this process searches nothing in the workspace.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from types import CodeType
from typing import Any

from gradebox.graders.languages.inside.boundary import BOUNDARY
from gradebox.graders.languages.python.inside.apart.checkpoint import LIMIT
from gradebox.graders.languages.python.inside.apart.first import INSTALLED
from gradebox.graders.languages.python.inside.apart.in_grader.files.case_files import CaseFiles
from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.languages.python.inside.apart.stand_ins import StandInModule
from gradebox.graders.languages.python.inside.trusted_places import LED, is_trusted

_FINDER = importlib.machinery.PathFinder
_LISTS = BOUNDARY["python"]["modules"]
_TOOLS, _IMPORTERS = frozenset(_LISTS["tools"]), tuple(_LISTS["importers"])
# Modules that only forward an import.
_PASSED_ON = frozenset(
    "importlib importlib.util importlib.metadata importlib._bootstrap importlib._bootstrap_external _frozen_importlib"
    " pydoc".split()
)
# Modules that import by a dotted name, and modules that replace attributes for tests by such a name.
_NAMING = _PASSED_ON | {"pkgutil"}
_REPLACING = ("unittest.mock", "mock", "_pytest.monkeypatch")
_FORMS = (("{}/__init__.py", True), ("{}.py", False))


class CaseLoader(importlib.machinery.SourceFileLoader):
    """Loads a file of the case from its source."""

    def __init__(self, name: str, path: str, files: CaseFiles) -> None:
        super().__init__(name, path)
        self.files = files

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = compile(self.files.read(self.path), self.path, "exec", dont_inherit=True)
        return code


class _Watched(importlib.machinery.SourceFileLoader):
    """Loads a module of the image, and then passes it to a function."""

    then: Any

    def exec_module(self, module: Any) -> None:
        super().exec_module(module)
        self.then(module)


class _Empty:
    """Loads an empty module."""

    def create_module(self, spec: Any) -> None:
        pass

    def exec_module(self, module: Any) -> None:
        pass


def _spec(name: str, loader: Any, origin: str | None, places: list[str] | None = None) -> Any:
    made = importlib.machinery.ModuleSpec(name, loader, origin=origin)
    made.submodule_search_locations = places
    made.has_location = origin is not None
    return made


def _taken(top: str) -> dict[str, Any]:
    """Remove a module and its submodules from the loaded ones, and return them."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == top}


class Modules:
    """Finds modules, as the first finder of `sys.meta_path` after `install`.

    Attributes:
        files: The files of the case.
        places: Directories of the workspace that are searched for modules, besides those of `sys.path`.
        failures: How many modules of the candidate could not be loaded.
        then: Functions that are called with modules of the image after these are loaded, by module name.
    """

    def __init__(self, peer: Any, workspace: str, places: Sequence[str]) -> None:
        self.peer = peer
        self.files = CaseFiles(workspace)
        peer.files = self.files
        peer.lending.watch(self.files.workspace)
        contract = self.files.told.get("contract")
        peer.checkpoint.begin(contract, self.files.told.get("record") is True)
        peer.checkpoint.rewording = int(self.files.told.get("reword", 0))
        peer.checkpoint.is_exact = peer.checkpoint.rewording > 0 or self.files.told.get("exact") is True
        if contract is not None:
            peer.lending.told.allow(contract.get("#open", ()))
            peer.deeds.expect(contract.get("#did", ()))
            peer.answers.expect(contract.get("#answers", ()), self.files.told.get("exact") is True)
        self.places = [os.path.abspath(place) for place in (*places, *filter(None, LED))]
        self.known: set[str] = set()
        # `named`: modules of the case whose names modules of the image also have. `own`: those that were loaded.
        # `wanted`: the one that a file of the case is importing.
        told = {word.lstrip("!") for word in os.environ.pop("GRADEBOX_MODULES", "").split() if word[0] != "="}
        self.named = {name for name in told if _is_in_image(name)}
        self.own: dict[str, dict[str, Any]] = {}
        self.wanted = ""
        self.failures = 0
        self.then: dict[str, Any] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return the spec of a module; the candidate's process loads it if it is the candidate's."""
        top, last = name.partition(".")[0], name.rpartition(".")[2]
        if name in _LISTS["limits"] and ("." in name or _is_imported_by_tests(only=True)):
            raise ImportError(self.peer.checkpoint.limit(f"{name}: {_LISTS['limits'][name]}").args[0])
        places = [os.path.abspath(place or ".") for place in (sys.path if path is None else path)]
        inside = [place for place in places if self.files.is_inside(place) or not is_trusted(place)]
        found = None
        if name != self.wanted:
            if path is None and name in sys.builtin_module_names:
                return None
            found = importlib.machinery.FrozenImporter.find_spec(name) if path is None else None
            found = found or _FINDER.find_spec(name, [place for place in places if place not in inside])
            if found is not None and name in self.then:
                found.loader = _Watched(name, str(found.origin))
                found.loader.then = self.then[name]
        if path is None:
            inside = [*dict.fromkeys([*inside, *self.places])]
        for file, is_package in [(f"{place}/{form.format(last)}", is_it) for place in inside for form, is_it in _FORMS]:
            if file in self.files:
                parts = [os.path.dirname(file)] if is_package else None
                return _spec(name, CaseLoader(name, file, self.files), file, parts)
        if (found is not None and found.origin) or top in _TOOLS or not (inside or name == self.wanted):
            return found
        if last == "conftest":
            # pytest loads every conftest.py that it finds; a submission's is empty here.
            return _spec(name, _Empty(), f"{inside[0]}/conftest.py") if inside else None
        return self.find_submitted(name, inside) if _is_imported_by_tests() else None

    def find_submitted(self, name: str, places: list[str]) -> Any:
        """Return the spec of a module of the candidate, None if there is none."""
        levels = name.count(".")
        tops = [place.rsplit("/", levels)[0] for place in places]
        searched = [*dict.fromkeys([*tops, *self.peer.places])]
        # Set afterwards: a process that this request starts gets the places with it.
        told, self.peer.places = self.peer.ask("module", name, tuple(searched)), searched
        if type(told) is not tuple or [*map(type, told)] != [bool, str]:
            return None
        is_package, lies = told[0], os.path.normpath(told[1])
        forms = tuple(f"/{form.format(name.replace('.', '/'))}" for form, _ in _FORMS)
        is_there = self.files.is_inside(lies) and lies.endswith(forms)
        parts = [f"{place}/{name.rpartition('.')[2]}" for place in places] if is_package else None
        return _spec(name, self, lies if is_there else None, parts)

    def install(self) -> None:
        """Find modules for all imports from now on; for files of the case, modules of the case come first."""
        import builtins

        sys.meta_path[:] = [self, *(finder for finder in sys.meta_path if finder is not _FINDER)]
        original: Any = builtins.__import__
        load, reload = importlib.import_module, importlib.reload

        def own_first(name: str, importing: Any = None, *rest: Any, **named: Any) -> Any:
            level = named.get("level", rest[2] if len(rest) > 2 else 0)
            is_own = not level and name.partition(".")[0] in self.named and self.is_asked_by_tests()
            return self.among_own(name if is_own else "", original, name, importing, *rest, **named)

        def load_own_first(name: str, package: Any = None) -> Any:
            is_own = name.partition(".")[0] in self.named and self.is_asked_by_tests()
            return self.among_own(name if is_own else "", load, name, package)

        def reload_own(module: Any) -> Any:
            name = getattr(module, "__name__", "")
            is_own = self.own.get(name.partition(".")[0], {}).get(name) is module
            return self.among_own(name if is_own else "", reload, module)

        if self.named:
            vars(builtins)["__import__"] = own_first
            vars(importlib).update(import_module=load_own_first, reload=reload_own)

    def among_own(self, name: str, call: Any, *args: Any, **named: Any) -> Any:
        """Call something while this name stands for the module of the case or the submission, not the image's."""
        if not name:
            return call(*args, **named)
        top = name.partition(".")[0]
        others, before, self.wanted = _taken(top), self.wanted, top
        sys.modules.update(self.own.get(top, {}))
        try:
            return call(*args, **named)
        finally:
            self.own[top], self.wanted = _taken(top), before
            sys.modules.update(others)

    def is_asked_by_tests(self) -> bool:
        """Whether a file of the case imports, or a tool that replaces attributes for it by their names."""
        frame: Any = sys._getframe(2)
        while frame is not None and str(frame.f_globals.get("__name__")) in _NAMING:
            frame = frame.f_back
        found = frame.f_globals if frame is not None else {}
        name, file = str(found.get("__name__", "")), found.get("__file__")
        return name.startswith(_REPLACING) or (self.files.is_inside(file) if file else name == "__main__")

    def invalidate_caches(self) -> None:
        _FINDER.invalidate_caches()

    def find_distributions(self, context: Any) -> Any:
        """Return the distributions installed in the image, for tools that look for plugins."""
        places = [place for place in context.path if not self.files.is_inside(place or ".")]
        return _FINDER.find_distributions(type(context)(name=context.name, path=places))

    def create_module(self, spec: Any) -> Any:
        return StandInModule(spec.name)

    def get_code(self, name: str) -> Any:
        raise self.peer.checkpoint.limited(f"runpy runs no module of the submission: {name}")

    def exec_module(self, module: Any) -> None:
        """Let the candidate's process load a module."""
        link, name = link_of(module), module.__spec__.name
        if link is not None and link.generation == self.peer.generation:
            self.peer.ask("reload", module)
            self.peer.constants.pin(self.peer, module, name)
            return
        self.failures += 1
        try:
            number = self.peer.ask("import", name, (), name in self.known)
        except BaseException as error:
            raise error.with_traceback(None)  # noqa: B904 - the frames of this program say nothing
        self.failures -= 1
        self.known.add(name)
        if type(number) is not int or not -(1 << 53) < number < 0:
            raise ImportError(f"{LIMIT}the module {name} of the submission is none", name=name)
        self.peer.adopt(module, number, ((name,),), (name, ""))
        self.peer.checkpoint.named.add(id(module))
        self.peer.constants.pin(self.peer, module, name)


def _is_in_image(name: str) -> bool:
    is_inner = name in sys.builtin_module_names or importlib.machinery.FrozenImporter.find_spec(name) is not None
    return is_inner or _FINDER.find_spec(name, INSTALLED) is not None


def _is_imported_by_tests(only: bool = False) -> bool:
    """Whether a file of the case imports, or an importer for it: other tools of the image get no submitted modules."""
    frame: Any = sys._getframe(2)
    while frame is not None and str(frame.f_globals.get("__name__")) in _PASSED_ON:
        frame = frame.f_back
    found = frame.f_globals if frame is not None else {}
    name, place = str(found.get("__name__", "")), str(found.get("__file__") or "")
    is_image = place.startswith((*INSTALLED, sys.prefix, sys.base_prefix))
    return not is_image or (not only and name.startswith(_IMPORTERS))
