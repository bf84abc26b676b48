"""The description of one language: its image, its code in answers, its item runner, its control files. Data only."""

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
"""The directory of files that run inside a sandbox for every language."""
MODULES = "GRADEBOX_MODULES"
"""The variable that names the case's modules to our Python programs: see `own_modules.py`."""
LABEL_START = "io.gradebox.start."
"""Start of an image label; an interpreter's name follows. Its value is a program that starts items faster."""


def inside(language: str) -> Path:
    """Return the directory of the programs that run inside a sandbox for one of our languages."""
    return Path(__file__).parent / language / "inside"


def started(argv: tuple[str, ...], labels: Mapping[str, str]) -> tuple[str, ...]:
    """Return the command for items, with the faster start of its interpreter if the image's labels name one."""
    return (labels.get(LABEL_START + argv[0], argv[0]), *argv[1:])


@dataclass(frozen=True, slots=True)
class ControlFile:
    """A kind of file that configures a test runner or an interpreter."""

    glob: str  # Matches the last component of its path.
    tool: str = ""  # The interpreter or test runner that reads it, if its content can be tampering.
    # Returns the lines of such a file that no honest project would write; None if there are no such lines. Rewording
    # such a line does not help a submission: the file is removed anyway.
    tells: Callable[[str], frozenset[str]] | None = None


@dataclass(frozen=True, slots=True)
class CallRunner:
    """How functions of a language are called for a check that compares on the host."""

    # Returns the source text of a value, on one line without tabs. Raises ValueError with a clause as its message if
    # the language has no such value.
    literal: Callable[[Any], str]
    files: tuple[Path, ...]  # The program that makes the calls; `inside/calls.sh` describes it.
    # Returns the source text of keyword arguments; None if the language has none.
    keywords: Callable[[Mapping[str, Any]], str] | None = None
    is_text: bool = False  # Whether all arguments and results are text.
    after: tuple[str, ...] = ()  # Words of the command after the source of the program.
    # The other fields say how values are read from the trees that docs/explanation/boundary.md describes.
    dialect: str = ""  # The language whose kinds of containers the values have; empty for this one.
    one_number: bool = False  # Whether a number may look like an integer of any size.
    has_moments: bool = False  # Whether a date is a moment: without a time it is midnight, without a zone UTC.
    has_library: bool = False  # Whether values may be frozen sets or come from Python's standard library.
    nulls: tuple[str, ...] = ()  # Constants that mean null, besides null itself.
    scalars: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # Functions that make a value, by its name.
    sibling_errors: frozenset[str] = frozenset()  # Error classes, none of which is derived from another.


def written_by(language: str, table: Mapping[type, Callable[[Any], str]]) -> Callable[[Any], str]:
    """Return a function that writes a value in a language; `table` has a writer for each type."""

    def literal(value: Any) -> str:
        if type(value) not in table:
            raise ValueError(f"{language} has no {type(value).__name__}")
        return table[type(value)](value)

    return literal


@dataclass(frozen=True, slots=True)
class Language:
    """A language in which cases have programs and, if it has an item runner, examples and unit tests."""

    name: str  # The name that cases use.
    image: str  # The image with its interpreter: one of ours, or the full name of another one.
    programs: tuple[str, ...]  # Commands that run one of these programs are run in this image.
    answer_file: str  # The file for the code of an answer if neither the answer nor the case names one.
    fences: frozenset[str]  # Names of the language in markdown fences, in lower case, including file suffixes.
    # Larger images of ours, by the program for which they are needed.
    fuller: Mapping[str, str] = field(default_factory=dict)
    # The interpreter of items and its options. The source of the item runner comes after them.
    command: tuple[str, ...] = ()
    # The files that make up the item runner, or the main one of a Python package; none for a language without items.
    runner: tuple[Path, ...] = ()
    composed: Composed = iter  # Converts the parts of a program on the host, for this runner.
    # The files of the item runner that runs the submission in another process; none if there is no such runner.
    apart: tuple[Path, ...] = ()
    calls: CallRunner | None = None  # How its functions are called; None if they cannot be.
    forks: bool = False  # Whether its item runners can be fork servers: loaded once for all items of a check.
    interpreter: str = ""  # The tool that runs its code. Languages may share one.
    # Tools that run its code or its tests, each with a pattern that matches their names in commands.
    tools: Mapping[str, str] = field(default_factory=dict)
    # The command that compiles a file, once, and the command that runs the result. `{file}` stands for the file,
    # `{stem}` for its name without a suffix.
    build: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    # The commands that run a file which is named without a program, by its suffix.
    starts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Whether it is a shell: its code names files and programs as command lines do, and every image has it.
    is_shell: bool = False
    control_files: tuple[ControlFile, ...] = ()  # The files that configure it.
    # Paths below HOME from which its programs load code at their start. They are kept empty, and nobody can write
    # them; anybody can write the rest of HOME. A directory ends with a slash.
    home_files: tuple[str, ...] = ()
    # Added to the environment of every command, so that its programs load no code from such places.
    env: Mapping[str, str] = field(default_factory=dict)
    item_env: Mapping[str, str] = field(default_factory=dict)  # The same, for items and test runners only.
    # Patterns for messages of its programs and test runners about something missing or broken. Each matches from the
    # start of a line, after its indentation. `complaints.py` describes their groups.
    complaints: tuple[str, ...] = ()
    # Yields the index of each source that is not a valid program, and why; None if the host cannot check this.
    mistakes: Callable[[Sequence[str]], Iterable[tuple[int, str]]] | None = None
    title: str = ""  # Its name in prose, if that differs from `name`.
    package: str = ""  # The Python package of its folder, if it has one; see `folder` and `cheating`.

    def folder(self, name: str) -> Path | None:
        """Return a subdirectory of the language's folder, None if there is none.

        ``template`` is the case that ``grade init`` creates; ``cheats`` holds programs of ``grade attack``.
        """
        path = Path(import_module(self.package).__path__[0], name) if self.package else None
        return path if path is not None and path.is_dir() else None

    def cheating(self) -> Any:
        """Return the module that turns the programs in `cheats/` into sources; None if there is none.

        `definitions.py` describes its contents.
        """
        return self._module("cheating")

    def mutations(self) -> MutationTable | None:
        """Return the changes that `grade mutants` makes, from the folder's module ``mutations`` if there is one."""
        found: MutationTable | None = getattr(self._module("mutations"), "TABLE", None)
        return found

    def recipes(self) -> tuple[Recipe, ...]:
        """Return the recipes of its images.

        They are ``RECIPES`` in the folder's module ``recipe``. Without that module, a Dockerfile in ``image/`` builds
        on a newer Debian, when the image is first needed.
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
        """Return the command that compiles a file to a program; empty if none is needed."""
        return _filled(self.build, file)

    def running(self, file: str) -> tuple[str, ...]:
        """Return the command that runs a file as a program after its build; empty if there is none."""
        return _filled(self.program, file)

    def argv(self, *, apart: bool = False) -> tuple[str, ...]:
        """Return the command that runs the items on its stdin, with the submission in another process if `apart`."""
        source = bundle(*(self.apart if apart else self.runner))
        serves = apart and self.forks and self.apart[-1].suffix == ".py"
        return (*self.command, compiled_elsewhere(source) if serves else source)


def _filled(words: tuple[str, ...], file: str) -> tuple[str, ...]:
    stem = PurePosixPath(file).stem
    return tuple(word.replace("{stem}", stem).replace("{file}", file) for word in words)
