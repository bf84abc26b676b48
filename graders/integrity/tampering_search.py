"""Finds a submission's interference with the files of its grader, in trees and commands, before anything runs. Pure.

Every submitted file that could configure a grader is restored or removed (`Interference`). The verdict lists these
files, but they do not lower the score, since honest projects have such files, too.

Only two kinds of changes count as tampering: those that a case forbids, and those that decide results in a way that no
honest project would.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from posixpath import basename, dirname, splitext

from gradebox.graders.documents.globs import matches
from gradebox.graders.integrity import manifests
from gradebox.graders.integrity.command_scan import CommandScan
from gradebox.graders.integrity.control_files import IMPLICIT_FILES, control_file
from gradebox.graders.languages.language import ControlFile
from gradebox.graders.languages.python.endings import endings
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.tree import differs, parents
from gradebox.graders.runners import runners
from gradebox.graders.runners.pytest import python_modules
from gradebox.graders.runners.runner import Configuration, Runner, Trees, is_test_file
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

# At most so many findings are listed; one is enough for the verdict.
_LISTED = 20

# How much of a submission's configuration is read. Files beyond that are removed or restored unread, and do not count
# as tampering.
_READ_FILES = 500
_READ_BYTES = 2 * 1024 * 1024

# Directories of installed packages: nobody writes them by hand, and no runner looks for configuration there.
_INSTALLED = frozenset({"node_modules", "site-packages", "dist-packages", ".venv", "venv", ".tox", ".nox"})
_BETWEEN_QUOTES = re.compile(r"""(?<=["'`])[^"'`\s]+(?=["'`])""")
_MANIFESTS = ("pyproject.toml", "setup.cfg", "package.json")


@dataclass(frozen=True, slots=True)
class Interference:
    """How a submission interfered with the files of its grader."""

    tampering: tuple[Tampering, ...] = ()  # Findings that count against the submission.
    # Files to restore in addition to those that the plan restores anyway.
    restored: tuple[ArchiveEntry, ...] = ()
    removed: tuple[str, ...] = ()  # Paths of the submission that are removed from the workspace.


def find(trees: Trees, hidden: str, commands: CommandScan) -> Interference:
    """Return how a submission interfered with the files of its grader.

    `hidden` is the directory of the case's hidden files; empty if it has none.
    """
    search = _Search(trees, commands)
    search.protected()
    search.hidden(hidden)
    search.configuration()
    search.removed_manifests()
    search.modules()
    search.styles()
    search.mocks()
    search.bounds()
    search.implicit()
    return Interference(tuple(search.tampering[:_LISTED]), tuple(search.restored), tuple(search.removed))


@dataclass
class _Search:
    trees: Trees
    commands: CommandScan
    tampering: list[Tampering] = field(default_factory=list)
    restored: list[ArchiveEntry] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    files: int = 0
    bytes: int = 0

    @cached_property
    def configurations(self) -> Mapping[str, Configuration]:
        """The settings that the runners in use read from shared files, by the names of the runners."""
        return {
            name: runner.configuration(self.trees, self.commands)
            for name, runner in runners().items()
            if runner.configuration is not None and name in self.commands.tools
        }

    def protected(self) -> None:
        """Find files that the case protects and the submission changed or removed."""
        before, after = self.trees.workspace.entries, self.trees.laid.entries
        for path in dict.fromkeys((*before, *after)) if self.trees.protect else ():
            if not matches(path, self.trees.protect) or self._is_directory(path) or not self._changed(path):
                continue
            if path not in before:
                # A test that the candidate adds changes no test of the case.
                what = "" if is_test_file(path) else "added"
            elif path in after:
                what = "" if self._only_dependencies(before[path], after[path]) else "changed"
            else:
                what = "removed"
            if what:
                self._report(TamperingKind.PROTECTED_FILE_CHANGED, f"{what} {path}, which the case protects", path)

    def hidden(self, hidden: str) -> None:
        """Find files that the submission adds to the directory of hidden files."""
        own = self.trees.own.entries
        for path, entry in self.trees.laid.entries.items() if hidden in own else ():
            if path.partition("/")[0] != hidden or entry.kind is EntryKind.DIRECTORY or not self._changed(path):
                continue
            if differs(own.get(path), entry):
                what = f"added {path}, where the case keeps its hidden files"
                self._report(TamperingKind.PROTECTED_FILE_CHANGED, what, path)

    def configuration(self) -> None:
        """Find files that configure a test runner or an interpreter that the case uses."""
        entries = self.trees.laid.entries
        found = [
            path
            for path, entry in entries.items()
            if entry.kind is not EntryKind.DIRECTORY
            and (basename(path) in _MANIFESTS or control_file(path) is not None)
            and not self._is_allowed(path)
            and self._changed(path)
            and not _is_installed(path, entries)
        ]
        # If there are too many, the files at the top of the project are read.
        for path in sorted(found, key=lambda path: path.count("/")):
            entry = entries[path]
            kind = None if basename(path) in _MANIFESTS else control_file(path)
            if kind is None:
                self._manifest(path, entry)
            elif kind.tool in self.commands.tools and self._takes(entry):
                self._report_telling(path, self._told_by(path, entry, kind))

    def removed_manifests(self) -> None:
        """Restore removed files that decide how tests run; honest work may have moved their content."""
        gone = (path for path in self.trees.workspace.entries if path not in self.trees.laid.entries)
        for path in gone if self.configurations else ():
            decides = basename(path) in _MANIFESTS and not self._is_allowed(path)
            if decides and any(each.decides(path) for each in self.configurations.values()):
                self._undo(path)

    def modules(self) -> None:
        """Find files that would replace a Python runner's own modules, or load as its plugins."""
        names = {module for runner in runners().values() for module in runner.modules}
        if not any(runner.modules for runner in self._used()):
            return
        entries = self.trees.laid.entries
        places = python_modules.places(self.commands.directories, entries)
        # A setup that runs the candidate's code may still create what is missing now.
        could = python_modules.paths_of(sorted(names), places)
        self.removed += [path for path in could if path not in entries and not self._is_allowed(path)]
        # An `__init__.py` would turn the workspace into a package, which pytest imports before the tests below it.
        if "__init__.py" not in self.trees.workspace.entries and not self._is_allowed("__init__.py"):
            self.removed += ["__init__.py"] if "__init__.py" not in self.trees.solution else []
        for path, entry in entries.items():
            # The workspace of a case about a test runner contains that runner.
            if path in self.trees.workspace.entries and path.endswith(".py"):
                continue
            is_loaded = python_modules.is_loaded(path, entry, names, places, self._read)
            if is_loaded and self._changed(path) and not self._is_allowed(path):
                self._report_telling(path, endings(self.commands.text(entry)))
                self._undo(path)

    def styles(self) -> None:
        """Restore files that a runner in use would load besides the tests. Honest builds use such files, too."""
        entries = self.trees.laid.entries
        globs = [glob for runner in self._used() for glob in runner.loads]
        for path in entries if globs else ():
            if matches(basename(path), globs) and not _is_installed(path, entries):
                self._undo_unasked(path)

    def mocks(self) -> None:
        """Undo mocks of what tests of the case import by its name: a runner in use would put them in place unasked."""
        marks = [f"/{runner.mocks}/" for runner in self._used() if runner.mocks]
        found = [(path, mark) for mark in marks for path in self.trees.laid.entries if mark in f"/{path}"]
        tests = (entry for entry in self.trees.workspace.entries.values() if is_test_file(entry.path))
        texts = map(self.commands.text, chain(self.trees.own.entries.values(), tests) if found else ())
        names = {name for text in texts for name in _BETWEEN_QUOTES.findall(text)}
        for path, mark in found:
            if splitext(f"/{path}".rpartition(mark)[2])[0] in names:
                self._undo_unasked(path)

    def bounds(self) -> None:
        """Remove files that the submission adds and by which a runner in use would pass over tests of the case."""
        names = {name for runner in self._used() for name in runner.bounds}
        before = self.trees.workspace.entries
        around = {place for path in before if names and is_test_file(path) for place in parents(path)}
        for path in self.trees.laid.entries if around else ():
            if basename(path) in names and dirname(path) in around and path not in before:
                self._undo_unasked(path)

    def implicit(self) -> None:
        """Restore files that steer a program although no command names them."""
        for program, names in IMPLICIT_FILES.items():
            if not self.commands.runs(program):
                continue
            for place in {dirname(path) for path in self.trees.workspace.entries if basename(path) in names}:
                for path in (f"{place}/{name}".lstrip("/") for name in names):
                    self._undo_unasked(path)

    def _takes(self, entry: ArchiveEntry) -> bool:
        """Return whether one more file may be read, and count it."""
        self.files += 1
        self.bytes += entry.size
        return entry.size <= manifests.MAX_BYTES and self.files <= _READ_FILES and self.bytes <= _READ_BYTES

    def _read(self, entry: ArchiveEntry) -> str | None:
        return self.commands.text(entry) if self._takes(entry) else None

    def _used(self) -> list[Runner]:
        return [runner for name, runner in runners().items() if name in self.commands.tools]

    def _told_by(self, path: str, entry: ArchiveEntry, kind: ControlFile) -> frozenset[str]:
        """Return the lines of a control file that no honest project would write, and that the case's file lacks."""
        configuration = self.configurations.get(kind.tool)
        if configuration and basename(path) in runners()[kind.tool].settings_files:
            return configuration.tells(path, entry)
        if kind.tells is None or (configuration and not self.commands.reaches(path)):
            return frozenset()
        now, before = map(self.commands.text, (entry, self.trees.workspace.entries.get(path)))
        return kind.tells(now) - kind.tells(before)

    def _manifest(self, path: str, entry: ArchiveEntry) -> None:
        if entry.kind is EntryKind.LINK:
            # The runner follows the link in the sandbox; the host never follows links.
            self._undo(path)
        elif basename(path) == "package.json":
            self._package(path, entry)
        elif self.configurations:
            each_of = self.configurations.values()
            if not (readable := self._takes(entry)) or any(each.must_be_undone(path, entry) for each in each_of):
                self._undo(path)
            for each in each_of if readable else ():
                self._report_telling(path, each.tells(path, entry))

    def _package(self, path: str, entry: ArchiveEntry) -> None:
        """Restore the case's scripts and runner settings in a package.json; the candidate may change dependencies."""
        if path in self.trees.solution or not {"node", "bun"} & self.commands.tools:
            return
        before = self.trees.workspace.entries.get(path)
        mine = manifests.package(self.commands.text(entry)) if self._takes(entry) else None
        case = manifests.package(self.commands.text(before)) or {}
        if mine is None:
            # Some runtimes and runners accept more than JSON, for example comments.
            self._undo(path)
            return
        merged = manifests.with_settings_of(case, mine, [key for runner in self._used() for key in runner.package_keys])
        if merged == mine:
            return
        text = json.dumps(merged, indent=2) + "\n"
        self.restored.append(file_entry(path, text.encode(), mode=entry.mode))

    def _only_dependencies(self, before: ArchiveEntry, after: ArchiveEntry) -> bool:
        if before.kind is not EntryKind.FILE or after.kind is not EntryKind.FILE:
            return False
        texts = (self.commands.text(entry) for entry in (before, after))
        return manifests.same_but_for_dependencies(basename(before.path), *texts)

    def _is_allowed(self, path: str) -> bool:
        # A protected file has been checked already.
        return matches(path, self.trees.allow) or matches(path, self.trees.protect)

    def _changed(self, path: str) -> bool:
        return differs(self.trees.workspace.entries.get(path), self.trees.laid.entries.get(path))

    def _is_directory(self, path: str) -> bool:
        """Return whether a path is a directory in all trees; a directory in place of a file changes that file."""
        entries = (self.trees.workspace.entries.get(path), self.trees.laid.entries.get(path))
        return all(entry is None or entry.kind is EntryKind.DIRECTORY for entry in entries)

    def _undo_unasked(self, path: str) -> None:
        if path not in self.trees.solution and not self._is_allowed(path) and self._changed(path):
            self._undo(path)

    def _undo(self, path: str) -> None:
        before = self.trees.workspace.entries.get(path)
        if before is None:
            self.removed.append(path)
        else:
            self.restored.append(before)

    def _report(self, kind: TamperingKind, what: str, path: str) -> None:
        self.tampering.append(Tampering(kind, what, path))

    def _report_telling(self, path: str, lines: frozenset[str]) -> None:
        if lines:
            what = f"added or changed {path}, in which `{min(lines)}` decides results in place of the tests"
            what += f"; to permit this, add {path} to `allow:`"
            self._report(TamperingKind.RUNNER_CONFIGURATION_ADDED, what, path)


def _is_installed(path: str, entries: Container[str]) -> bool:
    return any(basename(place) in _INSTALLED or f"{place}/pyvenv.cfg" in entries for place in parents(path))
