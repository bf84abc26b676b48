"""What one language is to gradebox: its image, its code in answers, its item runner, its control files. Data only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from gradebox.graders.languages.bundle import bundle, compiled_elsewhere
from gradebox.graders.languages.item_protocol import Composed
from gradebox.sandbox.records import dataclass

if TYPE_CHECKING:
    from gradebox.graders.languages.mutation_table import MutationTable
    from gradebox.sandbox.images.recipes import Recipe

INSIDE = Path(__file__).parent / "inside"
"""What runs inside a sandbox, whatever the language."""
MODULES = "GRADEBOX_MODULES"
"""The variable that tells programs of ours in Python which modules the case has: see `own_modules.py`."""
LABEL_START = "io.gradebox.start."
"""Followed by an interpreter: the label of an image with the program that starts this for items, in less time."""


def inside(language: str) -> Path:
    """Return the directory of what runs inside a sandbox for one of our languages."""
    return Path(__file__).parent / language / "inside"


def started(argv: tuple[str, ...], labels: Mapping[str, str]) -> tuple[str, ...]:
    """Return the command of items as an image with these labels starts its interpreter."""
    return (labels.get(LABEL_START + argv[0], argv[0]), *argv[1:])


@dataclass(frozen=True, slots=True)
class ControlFile:
    """A kind of file that configures a test runner or an interpreter."""

    glob: str  # Matches the last component of its path.
    tool: str = ""  # The interpreter or test runner that reads it, where what it says can be tampering.
    # Returns the lines of such a file that no honest project would write; None where there can be none. To say the same
    # in other words gains nothing: the file is removed in any case.
    tells: Callable[[str], frozenset[str]] | None = None


@dataclass(frozen=True, slots=True)
class CallRunner:
    """How functions of a language are called for a check that compares on the host."""

    # Returns the source text of a value, on one line without tabs. Raises ValueError, with a clause, if the language
    # has no such value.
    literal: Callable[[Any], str]
    files: tuple[Path, ...]  # The program that makes the calls; `inside/calls.sh` says how.
    # The same for keyword arguments; None if the language has none.
    keywords: Callable[[Mapping[str, Any]], str] | None = None
    is_text: bool = False  # Whether all that goes in and comes out is text.
    after: tuple[str, ...] = ()  # Words of the command after the source of the program.
    # How its values are read from the trees of docs/explanation/boundary.md.
    dialect: str = ""  # The language whose kinds of containers they have; empty for its own.
    one_number: bool = False  # Whether a number may look like an integer of any size.
    has_moments: bool = False  # Whether a date is a moment: one with no time is midnight, in UTC where no zone is told.
    has_library: bool = False  # Whether they may be frozen sets, and values of the library of the host, Python's.
    nulls: tuple[str, ...] = ()  # Constants that mean nothing, beside null.
    scalars: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # What makes a value, by its name.
    sibling_errors: frozenset[str] = frozenset()  # Classes of errors of which none is derived from another.


def written_by(language: str, table: Mapping[type, Callable[[Any], str]]) -> Callable[[Any], str]:
    """Return what writes a value in a language, by its type."""

    def literal(value: Any) -> str:
        if type(value) not in table:
            raise ValueError(f"{language} has no {type(value).__name__}")
        return table[type(value)](value)

    return literal


@dataclass(frozen=True, slots=True)
class Language:
    """A language of cases: its programs, and, with an item runner, its examples and unit tests."""

    name: str  # As a case names it.
    image: str  # One of our images, or the full name of another one, that has its interpreter.
    programs: tuple[str, ...]  # Programs that this image is for: a command that runs one of them is run in it.
    answer_file: str  # Where the code of an answer goes when neither the answer nor the case says it.
    fences: frozenset[str]  # What markdown calls the language, in lower case; file suffixes among them.
    # Images of ours that have more than that image, by the program that they are for.
    fuller: Mapping[str, str] = field(default_factory=dict)
    # The interpreter of items and its options. The source of the item runner comes after them.
    command: tuple[str, ...] = ()
    # The files that make up the item runner, or the main one of a Python package; none for a language without items.
    runner: tuple[Path, ...] = ()
    composed: Composed = iter  # What the host makes of the parts of a program for this runner.
    # Those of the item runner that runs the submission in another process; none if there is no such runner.
    apart: tuple[Path, ...] = ()
    calls: CallRunner | None = None  # How its functions are called; None if they cannot be.
    forks: bool = False  # Whether its item runners can be fork servers: loaded once for all items of a check.
    interpreter: str = ""  # The tool that runs its code. Languages may share one.
    # Tools that run its code or its tests, each with a pattern of the words by which commands name it.
    tools: Mapping[str, str] = field(default_factory=dict)
    # What makes a file a program, once, and what runs it. `{file}` stands for the file, `{stem}` for its name without
    # a suffix.
    build: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    # What runs a file that is named without a program, by its suffix.
    starts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Whether it is a shell: its code names files and programs as command lines do, and every image has it.
    is_shell: bool = False
    control_files: tuple[ControlFile, ...] = ()  # The files that configure it.
    # Places below HOME from which its programs load code when they start, empty and closed to everybody. A directory
    # ends with a slash. All else below HOME is anybody's to write.
    home_files: tuple[str, ...] = ()
    # Added to the environment of every command, so that its programs load no code from such places.
    env: Mapping[str, str] = field(default_factory=dict)
    item_env: Mapping[str, str] = field(default_factory=dict)  # The same, of items and test runners alone.
    # Match what its programs and test runners print about something that is missing or broken. Each begins with a line,
    # without its indentation. `complaints.py` describes its groups.
    complaints: tuple[str, ...] = ()
    # Yields the number of each of several sources that is not a program, and why; None where the host cannot say.
    mistakes: Callable[[Sequence[str]], Iterable[tuple[int, str]]] | None = None
    title: str = ""  # As prose names it, where that is another word.
    package: str = ""  # The package that is its folder, if it has one: see `folder` and `cheating`.

    def folder(self, name: str) -> Path | None:
        """Return a directory of its folder, None if there is none.

        ``template`` is the case that ``grade init`` creates; ``cheats`` holds programs of ``grade attack``.
        """
        path = Path(import_module(self.package).__path__[0], name) if self.package else None
        return path if path is not None and path.is_dir() else None

    def cheating(self) -> Any:
        """Return the module that makes programs of `cheats/` into sources; None if there is none.

        `definitions.py` says what it has.
        """
        return self._module("cheating")

    def mutations(self) -> MutationTable | None:
        """Return what `grade mutants` changes in it, from the module ``mutations`` of its folder, if there is one."""
        found: MutationTable | None = getattr(self._module("mutations"), "TABLE", None)
        return found

    def recipes(self) -> tuple[Recipe, ...]:
        """Return the recipes of its images.

        They are ``RECIPES`` of the module ``recipe`` of its folder. Without that, a Dockerfile in ``image/`` stands on
        a younger Debian, and is built when the image is first needed.
        """
        if recipe := self._module("recipe"):
            return tuple(recipe.RECIPES)
        from gradebox.sandbox.images.recipes import TRIXIE, Recipe  # noqa: PLC0415 - most commands need no recipe

        directory = self.folder("image")
        return (Recipe(self.image, TRIXIE.name, directory, on_demand=True),) if directory else ()

    def _module(self, name: str) -> Any:
        name = f"{self.package}.{name}"
        return import_module(name) if self.package and find_spec(name) else None

    def building(self, file: str) -> tuple[str, ...]:
        """Return the command that makes a file a program; empty where none is needed."""
        return _filled(self.build, file)

    def running(self, file: str) -> tuple[str, ...]:
        """Return the command that runs a file as a program, once it is built; empty where there is none."""
        return _filled(self.program, file)

    def argv(self, *, apart: bool = False) -> tuple[str, ...]:
        """Return the command that runs items, apart from the submission or not: they come on its stdin."""
        source = bundle(*(self.apart if apart else self.runner))
        serves = apart and self.forks and self.apart[-1].suffix == ".py"
        return (*self.command, compiled_elsewhere(source) if serves else source)


def _filled(words: tuple[str, ...], file: str) -> tuple[str, ...]:
    stem = PurePosixPath(file).stem
    return tuple(word.replace("{stem}", stem).replace("{file}", file) for word in words)
