"""What the recognisers of test runners are told and return, and what they all ask of a program. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sandbox.types import WORKSPACE


class Adapter(StrEnum):
    """Which test runner a command of a code-grader is, as a case names it."""

    AUTO = "auto"
    NONE = "none"
    PYTEST = "pytest"
    UNITTEST = "unittest"
    BUN_TEST = "bun-test"
    NODE_TEST = "node-test"
    VITEST = "vitest"
    JEST = "jest"
    JULIA_TEST = "julia-test"


@dataclass(frozen=True, slots=True)
class Source:
    """A word that is the text of a runner.

    Attributes:
        name: Under which `adapters.SOURCES` says what file of ``images/`` it is.
    """

    name: str


@dataclass(frozen=True, slots=True)
class File:
    """A word that is the absolute path of a runner: a file that root owns, in the workspace while the step runs.

    Attributes:
        name: As that of a `Source`.
        path: Relative to the workspace, below ``.gradebox/``.
    """

    name: str
    path: str


Word = str | Source | File


@dataclass(frozen=True, slots=True)
class Head:
    """What is run in place of the first words of a command; the words after them follow as they are.

    Attributes:
        count: How many of the author's words are replaced, from the program on.
        words: What comes instead.
        renamed: Variables of the environment that must not act on the runner's own start: by which names it finds
            them, to give them their own back before anything else is loaded.
        files: What the runner loads besides the files among the words.
    """

    count: int
    words: tuple[Word, ...]
    renamed: Mapping[str, str] = field(default_factory=dict)
    files: tuple[File, ...] = ()


# Gets the words of a command, its program first, and returns what to run in place of the first of them; None when the
# command is not (or not evidently) the runner's, or when it runs no tests (``--help``, ``--version``, listing tests).
# Of a shell line the words are as they are written, unquoted but unexpanded; those that a head replaces are plain.
Recogniser = Callable[[Sequence[str]], Head | None]


def is_installed(program: str) -> bool:
    """Say whether a program is looked up or named outside the workspace: one in there may be the candidate's."""
    return "/" not in program or (program.startswith("/") and not program.startswith(f"{WORKSPACE}/"))
