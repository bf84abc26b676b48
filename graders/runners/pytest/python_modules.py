"""Finds where a Python runner looks for modules and plugins in a workspace, and modules beside tests. Pure."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from posixpath import basename, dirname, join, normpath

from gradebox.graders.documents.command_lines.command_line import in_workspace
from gradebox.graders.model.tree import parents
from gradebox.graders.runners.runner import is_test_file
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.types import WORKSPACE

# More than any honest project has, so that a chain of links ends.
_PLACES = 50
_NAMES = 300
_NAMED = re.compile(r"(?<![\w.-])(\w{1,80})\.py(?!\w)")
# Files beside tests that no test imports by name.
_OF_NO_TEST = frozenset({"conftest.py", "__init__.py", "setup.py"})


def places(directories: Iterable[str], entries: Mapping[str, ArchiveEntry]) -> frozenset[str]:
    """Return the directories that are searched for modules, with the workspace directories to which links lead."""
    found = dict.fromkeys(directories)
    waiting = list(found)
    while waiting and len(found) < _PLACES:
        place = waiting.pop(0)
        for head in (*parents(place), place):
            entry = entries.get(head)
            if entry is not None and entry.kind is EntryKind.LINK:
                led = in_workspace(normpath(join(WORKSPACE, dirname(head), entry.target) + place[len(head) :]))
                if led is not None and led not in found:
                    found[led] = None
                    waiting.append(led)
    return frozenset(found)


def paths_of(modules: Iterable[str], directories: Iterable[str]) -> list[str]:
    """Return the paths from which modules of these names would be loaded."""
    names = [f"{module}{end}" for module in modules for end in (".py", "/__init__.py")]
    return [f"{place}/{name}".lstrip("/") for place in directories for name in names]


def case_modules(paths: Container[str], python: Iterable[str], judged: Iterable[str], task: str) -> tuple[str, ...]:
    """Return the names of a case's modules, with ``!`` before those that are judged.

    `paths` are all paths of the case and of its reference, `python` the Python files among them, `judged` the paths
    that the reference changes or adds. Python files that the text of the task names are judged, too.
    """
    wanted = {_module(path, paths) for path in judged if path.endswith(".py")} | set(_NAMED.findall(task))
    names = {_module(path, paths) for path in python} | wanted
    # A large project has thousands of modules. Names of the standard library come first, because few others are loaded
    # before the code under test.
    ordered = sorted(filter(str.isidentifier, names), key=lambda name: (name not in sys.stdlib_module_names, name))
    return tuple(f"!{name}" if name in wanted else name for name in ordered[:_NAMES])


def _module(path: str, paths: Container[str]) -> str:
    """Return the name of a file's module, or of the outermost package that contains it."""
    directory, _, name = path.removesuffix(".py").rpartition("/")
    while directory and f"{directory}/__init__.py" in paths:
        directory, _, name = directory.rpartition("/")
    return name


def is_loaded(
    path: str,
    entry: ArchiveEntry,
    modules: Container[str],
    directories: Container[str],
    read: Callable[[ArchiveEntry], str | None],
) -> bool:
    """Return whether a file would be loaded as one of these modules, or would make a runner load others.

    `modules` are the runner's own modules, `directories` those that are searched for modules. `read` returns None for a
    file that it does not read.
    """
    if entry.kind is EntryKind.DIRECTORY:
        return False
    head, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    as_package = stem == "__init__" and basename(head) in modules and dirname(head) in directories
    loadable = name.endswith((".py", ".so")) or entry.kind is EntryKind.LINK
    if as_package or (stem in modules and head in directories and loadable):
        return True
    # An installed distribution lists its plugins in this file, including plugins for pytest.
    if name == "entry_points.txt" and _is_distribution(head) and dirname(head) in directories:
        # The entry may use any syntax, so search for the name in the whole file.
        text = read(entry) if entry.kind is EntryKind.FILE else None
        return text is None or "pytest11" in text
    return entry.kind is EntryKind.LINK and _is_distribution(path) and head in directories


def _is_distribution(path: str) -> bool:
    """Return whether a path has the name of a distribution's metadata directory."""
    return path.lower().endswith((".dist-info", ".egg-info"))


def lie_beside_tests(paths: Iterable[str]) -> bool:
    """Return whether modules lie beside tests, which import these first unless a setting of pytest says otherwise."""
    python = [path for path in paths if path.endswith(".py")]
    tests = {dirname(path) for path in python if is_test_file(basename(path))}
    others = (path for path in python if not is_test_file(basename(path)) and basename(path) not in _OF_NO_TEST)
    return any(dirname(path) in tests for path in others)
