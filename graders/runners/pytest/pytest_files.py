"""Compares the settings of pytest in a submission with those of the case. Pure.

A setting that makes pytest run no test at all is tampering. Any other may be honest work; at most it is undone.
"""

from __future__ import annotations

from functools import cached_property
from posixpath import basename

from gradebox.graders.runners.pytest import pytest_options, python_modules
from gradebox.graders.runners.pytest.pytest_options import PytestOptions
from gradebox.graders.runners.runner import ScannedCommands, Trees, is_test_file
from gradebox.sandbox.archive import ArchiveEntry


class PytestFiles:
    """The files of a submission that may configure pytest."""

    def __init__(self, trees: Trees, commands: ScannedCommands) -> None:
        self._trees = trees
        self._commands = commands

    def tells(self, path: str, entry: ArchiveEntry) -> frozenset[str]:
        """Return the options by which a file makes pytest run no test, without those of the case."""
        was, now = self._options_before(path), self._options(path, entry)
        if now is None or not self._is_read(path):
            return frozenset()
        return now.no_tests - (was.no_tests if was else frozenset())

    def must_be_undone(self, path: str, entry: ArchiveEntry) -> bool:
        """Return whether pytest would load other code, or run or judge tests differently; True for unknown settings."""
        now = self._options(path, entry)
        if now is None or not self._is_read(path):
            return now is None
        was = self._options_before(path)
        if was and (was.deciding != now.deciding or (was.strict and was.strict != now.strict)):
            return True
        if now.loading and now.loading != (was.loading if was else {}):
            return True
        if now.pythonpath and now.pythonpath != (was.pythonpath if was else "") and self._commands.is_apart:
            return True
        if now.import_mode and now.import_mode != (was.import_mode if was else ()):
            return self._lie_beside_tests
        if "" not in self._commands.tests or (was and was.testpaths == now.testpaths):
            return False
        return pytest_options.skips_tests(now.testpaths, self._tests)

    def decides(self, path: str) -> bool:
        """Return whether a file of the case has settings that affect results, so that it must not be removed."""
        was = self._options_before(path) if self._is_read(path) else None
        return was is not None and bool(was.deciding or was.strict)

    def _is_read(self, path: str) -> bool:
        return path not in self._trees.solution and self._commands.reaches(path)

    def _options(self, path: str, entry: ArchiveEntry | None) -> PytestOptions | None:
        return pytest_options.read(basename(path), self._commands.text(entry))

    def _options_before(self, path: str) -> PytestOptions | None:
        return self._options(path, self._trees.workspace.entries.get(path))

    @cached_property
    def _tests(self) -> tuple[str, ...]:
        return tuple(path for path in self._trees.workspace.entries if path.endswith(".py") and is_test_file(path))

    @cached_property
    def _lie_beside_tests(self) -> bool:
        return python_modules.lie_beside_tests((*self._trees.workspace.entries, *self._trees.own.entries))
