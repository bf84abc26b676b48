"""What one test runner is to gradebox: its command, its control files, its words. Data, and the protocols around it."""

from __future__ import annotations

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

    files: tuple[Path, ...]  # What is bundled.

    def text(self) -> str:
        """Return the source text, which may be an argument."""
        text = bundle(*self.files)
        return compressed(text) if self.files[-1].suffix == ".py" and len(text) > _LONG else text


@dataclass(frozen=True, slots=True)
class File:
    """A word that is the absolute path of a source: a file that root owns, in the workspace while the step runs."""

    source: SourceText  # Its content.
    path: str  # Relative to the workspace, below `.gradebox/`.


Word = str | SourceText | File


@dataclass(frozen=True, slots=True)
class Head:
    """What is run in place of the first words of a command; the words after them follow as they are."""

    count: int  # How many of the author's words are replaced, from the program on.
    words: tuple[Word, ...]  # What comes instead.
    # Environment variables that must not act on the start of our adapter: new names by old ones. The adapter restores
    # them before it loads anything else.
    renamed: Mapping[str, str] = field(default_factory=dict)
    files: tuple[File, ...] = ()  # What the adapter loads besides the files among the words.
    mentions: tuple[str, ...] = ()  # Paths that the author's words name within source text.


# Gets the words of a command, its program first, and returns what to run in place of the first of them; None when the
# command is not (or not evidently) the runner's, or when it runs no tests (``--help``, ``--version``, listing tests).
# Of a shell line the words are as they are written, unquoted but unexpanded; those that a head replaces are plain.
Recogniser = Callable[[Sequence[str]], Head | None]


@dataclass(frozen=True, slots=True)
class Trees:
    """The files of a case and of a submission."""

    workspace: Tree  # As the case has it.
    own: Tree  # The files beside the case that can be delivered.
    laid: Tree  # The workspace with the submission laid over it.
    solution: frozenset[str] = frozenset()  # Paths that the reference changes or adds.
    # The globs of the case.
    protect: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()


class ScannedCommands(Protocol):
    """What the commands of a case say of its test runners."""

    @property
    def tests(self) -> frozenset[str]:
        """The places of the tests that are run; "" for everywhere."""

    @property
    def is_apart(self) -> bool:
        """Whether hidden tests run alone, and nothing lets them load modules of the workspace."""

    def reaches(self, path: str) -> bool:
        """Return whether the runner could find configuration at this path."""

    def text(self, entry: ArchiveEntry | None) -> str:
        """Return the content of a file; nothing for one that is too large to be configuration."""


class Configuration(Protocol):
    """What a test runner reads in files that hold other settings too, such as ``pyproject.toml``."""

    def tells(self, path: str, entry: ArchiveEntry) -> frozenset[str]:
        """Return what a file says that no honest project would, and the case does not."""

    def must_be_undone(self, path: str, entry: ArchiveEntry) -> bool:
        """Return whether the runner would act differently with this file. Honest work may do that: no tampering."""

    def decides(self, path: str) -> bool:
        """Return whether a file of the case decides anything, so that it must not be gone."""


@dataclass(frozen=True, slots=True)
class Runner:
    """A test runner."""

    name: str  # As a case names it in `adapter`.
    language: str  # The language whose interpreter runs it.
    recognise: Recogniser  # Finds it in a command.
    shape: str  # What a command must look like to be recognised, for messages.
    words: str  # Matches the words by which a command line names it.
    sources: tuple[SourceText, ...]  # All that its adapter runs inside a sandbox.
    # What runs in place of the first source where the submission runs in another process, or a file that the adapter
    # then loads besides; None if nothing can.
    apart: SourceText | File | None = None
    control_files: tuple[ControlFile, ...] = ()  # The files that configure it.
    # Reads settings in files that are not its own alone, and in those of `settings_files`.
    configuration: Callable[[Trees, ScannedCommands], Configuration] | None = None
    # Control files of which most settings decide nothing, so that `configuration` reads them.
    settings_files: frozenset[str] = frozenset()
    # Python modules that it is made of. One of that name in a directory of modules is loaded in its place.
    modules: tuple[str, ...] = ()
    # Globs of file names that it loads as programs beside the tests. Honest projects have them, too.
    loads: tuple[str, ...] = ()
    package_keys: tuple[str, ...] = ()  # Keys of package.json that have the same effect.
    # Whether its test report counts tests as its adapter does. Other reports have a test that is to be done as one that
    # passed, or count the parts of a test.
    counts_as_its_report: bool = False


def is_installed(program: str) -> bool:
    """Return whether a program is looked up or named outside the workspace: one in there may be the candidate's."""
    return "/" not in program or (program.startswith("/") and not program.startswith(f"{WORKSPACE}/"))


# Names that test runners look for, and directories that hold tests by convention.
_TEST_NAMES = ("test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "runtests.*")
_TEST_DIRECTORIES = frozenset({"test", "tests", "__tests__", "spec", "specs"})


def has_test_name(path: str) -> bool:
    """Return whether the last component of a path is the name of a test."""
    return any(fnmatchcase(path.rpartition("/")[2], glob) for glob in _TEST_NAMES)


def is_test_file(path: str) -> bool:
    """Return whether a path has the name of a test, or lies in a directory of tests."""
    return not _TEST_DIRECTORIES.isdisjoint(path.split("/")[:-1]) or has_test_name(path)
