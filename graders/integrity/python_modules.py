"""Where a Python runner finds modules and plugins in a workspace, and which of a case's lie beside its tests. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from posixpath import basename, dirname, join, normpath

from graders.integrity.control_files import is_test_file
from graders.integrity.referenced_files import in_workspace
from graders.model.tree import parents
from sandbox.archive import Entry, Kind
from sandbox.types import WORKSPACE

# As many as anybody has, one leading to the other.
_PLACES = 50
# Beside tests, but loaded by none of them by its name.
_OF_NO_TEST = frozenset({"conftest.py", "__init__.py", "setup.py"})


def places(directories: Iterable[str], entries: Mapping[str, Entry]) -> frozenset[str]:
    """Return the directories in which modules are looked for, and those of the workspace that links lead to instead."""
    found = dict.fromkeys(directories)
    waiting = list(found)
    while waiting and len(found) < _PLACES:
        place = waiting.pop(0)
        for head in (*parents(place), place):
            entry = entries.get(head)
            if entry is not None and entry.kind is Kind.LINK:
                led = in_workspace(normpath(join(WORKSPACE, dirname(head), entry.target) + place[len(head) :]))
                if led is not None and led not in found:
                    found[led] = None
                    waiting.append(led)
    return frozenset(found)


def is_distribution(path: str) -> bool:
    """Say whether a path is where Python looks for what a distribution says of itself."""
    return path.lower().endswith((".dist-info", ".egg-info"))


def lists_plugins(path: str) -> bool:
    """Say whether a path is the list by which an installed distribution makes itself known, to pytest too."""
    head, _, name = path.rpartition("/")
    return name == "entry_points.txt" and is_distribution(head)


def lie_beside_tests(paths: Iterable[str]) -> bool:
    """Say whether modules lie beside tests, where these find them first unless pytest is told otherwise."""
    python = [path for path in paths if path.endswith(".py")]
    tests = {dirname(path) for path in python if is_test_file(basename(path))}
    others = (path for path in python if not is_test_file(basename(path)) and basename(path) not in _OF_NO_TEST)
    return any(dirname(path) in tests for path in others)
