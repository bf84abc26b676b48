"""Loads a whole repository: every suite, case directory and foreign case file below a directory, each by itself.

Directories of tools, run directories, hidden directories and symbolic links are left out. Everything in a case
directory belongs to the case.
"""

# ruff: noqa: PTH118, PTH119 - texts are faster than paths, and there may be ten thousand cases

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from gradebox.graders.cases.collection import Loaded
from gradebox.graders.cases.discovery import CASE_FILES
from gradebox.graders.cases.load import files_of_one_case, formats, load
from gradebox.graders.cases.suite import is_suite_name
from gradebox.graders.model.tree import is_of_run

_NOT_SEARCHED = frozenset({"node_modules", "__pycache__", "site-packages", "target", "dist", "build"})
_CASE_ENDINGS = tuple(f"/{name}" for name in CASE_FILES)
_MAX_DEPTH = 32
# The directory in which AgentV has suites under any name.
_EVALS = "evals"
_HEAD_BYTES = 64 * 1024
_TESTS = re.compile(rb"^(?:tests|scenarios|eval_?cases):", re.MULTILINE)


class LoadedFile(NamedTuple):
    """A file or a case directory of a repository, and its cases."""

    path: Path
    loaded: Loaded


def load_repository(path: Path) -> tuple[LoadedFile, ...]:
    """Load everything below a directory, with a single `load` if possible, as for one suite."""
    foreign = frozenset(formats())
    found = sorted(_found(str(path), foreign)) if path.is_dir() else []
    of_one_case = files_of_one_case()
    if len(found) <= 1 or _is_one_directory(found, str(path)) or all(os.path.basename(f) in of_one_case for f in found):
        return (LoadedFile(path, load(path)),)
    read: list[LoadedFile] = []
    known: set[Path] = set()
    # Suites come first, since the case directories that they name belong to them.
    for file in sorted(map(Path, found), key=lambda file: file.name in CASE_FILES):
        if file.name in CASE_FILES and Path(os.path.abspath(file.parent)) in known:  # noqa: PTH100 - as `load` does
            continue
        loaded = load(file)
        known |= {case.directory for case in loaded.cases} | {case.place.file.parent for case in loaded.broken}
        read.append(LoadedFile(file, loaded))
    return tuple(sorted(read))


def _is_one_directory(files: Iterable[str], directory: str) -> bool:
    """Return whether these are case files of sibling directories, which `load` reads together."""
    own = os.path.join(directory, "")
    return all(
        file.startswith(own) and file.count("/", len(own)) == 1 and file.endswith(_CASE_ENDINGS) for file in files
    )


def _is_yaml(name: str) -> bool:
    return name.endswith((".yaml", ".yml")) and name not in CASE_FILES


def _has_tests(file: str) -> bool:
    """Return whether the first lines of a file show that it is a suite, whatever its name."""
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - paths are texts here
            return _TESTS.search(stream.read(_HEAD_BYTES)) is not None
    except OSError:
        return False


def _found(directory: str, foreign: frozenset[str], depth: int = 0) -> Iterator[str]:
    # Paths are texts here: there may be ten thousand cases, and an editor waits.
    try:
        with os.scandir(directory) as listed:
            entries = list(listed)
    except OSError:
        return
    names = {entry.name for entry in entries if entry.is_file()}
    if is_of_run(names):
        return
    case = next((name for name in CASE_FILES if name in names), None)
    yield from (os.path.join(directory, name) for name in names if is_suite_name(name) or name in foreign)
    if os.path.basename(directory) == _EVALS:
        others = (os.path.join(directory, name) for name in names if not is_suite_name(name) and _is_yaml(name))
        yield from (file for file in others if _has_tests(file))
    if case is not None:
        yield os.path.join(directory, case)
        return
    for entry in entries:
        hidden = entry.name.startswith(".") or entry.name in _NOT_SEARCHED
        if depth < _MAX_DEPTH and not hidden and entry.is_dir(follow_symlinks=False):
            yield from _found(entry.path, foreign, depth + 1)
