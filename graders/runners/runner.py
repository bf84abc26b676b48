"""The description of one test runner: its command, its adapter, its control files. Data, with the related protocols."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

from gradebox.graders.languages.bundle import bundle, compressed
from gradebox.graders.languages.language import ControlFile
from gradebox.graders.model.tree import Tree
from gradebox.sandbox.archive import ArchiveEntry
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import WORKSPACE

_LONG = 100_000


@dataclass(frozen=True, slots=True)
class SourceText:
    """A word of a command that is the source text of some files."""

    files: tuple[Path, ...]  # The files to bundle.

    def text(self) -> str:
        """Return the source text, compressed if it would be too long for an argument."""
        text = bundle(*self.files)
        return compressed(text) if self.files[-1].suffix == ".py" and len(text) > _LONG else text


@dataclass(frozen=True, slots=True)
class File:
    """A word that is the absolute path of a source file, which root owns in the workspace while the step runs."""

    source: SourceText  # The file's content.
    path: str  # Relative to the workspace, below `.gradebox/`.


@dataclass(frozen=True, slots=True)
class ApartOnly:
    """A word that the command has only if the submission runs in another process."""

    word: str


Word = str | SourceText | File | ApartOnly


@dataclass(frozen=True, slots=True)
class Head:
    """The replacement of the first words of a command; the other words follow unchanged."""

    count: int  # How many of the author's words are replaced, from the program on.
    words: tuple[Word, ...]  # The words that replace them.
    # New names, by their old names, of environment variables that must not affect the start of our adapter. The adapter
    # renames them back before it loads anything else.
    renamed: Mapping[str, str] = field(default_factory=dict)
    files: tuple[File, ...] = ()  # Files that the adapter loads besides those in `words`.
    mentions: tuple[str, ...] = ()  # Paths that occur in source text within the author's words.


# Takes the words of a command, its program first, and returns the replacement of the first words. Returns None if the
# command is not (or not evidently) the runner's, or if it runs no tests (``--help``, ``--version``, listing tests).
# The words of a shell line are unquoted but not expanded; the words that a head replaces hold no expansions.
Recogniser = Callable[[Sequence[str]], Head | None]


@dataclass(frozen=True, slots=True)
class Trees:
    """The files of a case and of a submission."""

    workspace: Tree  # The case's workspace.
    own: Tree  # The files beside the case that can be delivered.
    laid: Tree  # The workspace with the submission's files on top.
    solution: frozenset[str] = frozenset()  # Paths that the reference changes or adds.
    # The globs of the same names in the case.
    protect: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()


class ScannedCommands(Protocol):
    """What the commands of a case reveal about its test runners."""

    @property
    def tests(self) -> frozenset[str]:
        """The paths of the tests that the commands run; "" for the whole workspace."""

    @property
    def is_apart(self) -> bool:
        """Whether only hidden tests run, and they cannot load modules of the workspace."""

    def reaches(self, path: str) -> bool:
        """Return whether the runner could find configuration at this path."""

    def text(self, entry: ArchiveEntry | None) -> str:
        """Return the content of a file, "" if it is missing or too large to be configuration."""


class Configuration(Protocol):
    """A test runner's settings in files that also hold other settings, such as ``pyproject.toml``."""

    def tells(self, path: str, entry: ArchiveEntry) -> frozenset[str]:
        """Return the lines of a file that no honest project would have and that the case does not have."""

    def must_be_undone(self, path: str, entry: ArchiveEntry) -> bool:
        """Return whether this file would make the runner act differently. Honest work may do so: it is no tampering."""

    def decides(self, path: str) -> bool:
        """Return whether a file of the case has settings that decide something, so that it must not be deleted."""


@dataclass(frozen=True, slots=True)
class Runner:
    """A test runner."""

    name: str  # Its name in a case's `adapter`.
    language: str  # The language whose interpreter runs it.
    recognise: Recogniser  # Finds it in a command.
    shape: str  # How a command must look to be recognised, for messages.
    words: str  # A pattern that matches its names in a command line.
    sources: tuple[SourceText, ...]  # All sources that its adapter runs inside a sandbox.
    # To run the submission in another process: the source that replaces the first one, or a file that the adapter loads
    # in addition; None if the runner does not support that.
    apart: SourceText | File | None = None
    control_files: tuple[ControlFile, ...] = ()  # The files that configure it.
    # Reads its settings in files that it shares with other tools, and in `settings_files`.
    configuration: Callable[[Trees, ScannedCommands], Configuration] | None = None
    # Control files whose settings are mostly harmless, so that `configuration` reads them.
    settings_files: frozenset[str] = frozenset()
    # The Python modules of the runner. A module of such a name in a directory of modules would be loaded instead.
    modules: tuple[str, ...] = ()
    # Globs of files that it loads as programs beside the tests. Honest projects have such files, too.
    loads: tuple[str, ...] = ()
    # Keys of its settings that name modules which it loads beside the tests.
    loading_keys: tuple[str, ...] = ()
    # Name of directories whose modules it puts in place of packages with their names, without being asked.
    mocks: str = ""
    package_keys: tuple[str, ...] = ()  # Keys of package.json that have the same effect.
    # Names of files that take the tests beside and below them out of a run that begins further up.
    bounds: tuple[str, ...] = ()
    # Whether its test report and its adapter count tests alike. Other reports count a test marked "todo" as passed, or
    # count the parts of a test.
    counts_as_its_report: bool = False


def snapshots_of(path: str) -> tuple[str, ...]:
    """Return the files in which runners of JavaScript keep what a test file expects: they read them as code."""
    place, _, name = path.rpartition("/")
    if not _JAVASCRIPT.search(name):
        return ()
    return f"{path}.snapshot", f"{place}/__snapshots__/{name}.snap".lstrip("/")


def is_installed(program: str) -> bool:
    """Return whether a program is found in PATH or outside the workspace; one inside may be the candidate's."""
    return "/" not in program or (program.startswith("/") and not program.startswith(f"{WORKSPACE}/"))


# File names that test runners look for, and directories that hold tests by convention.
_TEST_NAMES = ("test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "runtests.*")
_JAVASCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_TEST_DIRECTORIES = frozenset({"test", "tests", "__tests__", "spec", "specs"})


def has_test_name(path: str) -> bool:
    """Return whether the file name of a path is that of a test."""
    return any(fnmatchcase(path.rpartition("/")[2], glob) for glob in _TEST_NAMES)


def is_test_file(path: str) -> bool:
    """Return whether a path has a test's file name, or lies in a directory of tests."""
    return not _TEST_DIRECTORIES.isdisjoint(path.split("/")[:-1]) or has_test_name(path)
