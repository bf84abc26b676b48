"""The vocabulary of a plan: steps and stages. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sandbox.archive import Entry
from sandbox.types import Outcome


class Role(StrEnum):
    """Why a command runs."""

    TARGET = "target"
    HOOK = "hook"
    SETUP = "setup"
    CHECK_SETUP = "check setup"
    CHECK = "check"
    ITEM = "item"
    CONTROL = "control"
    CHECK_TEARDOWN = "check teardown"
    TEARDOWN = "teardown"


@dataclass(frozen=True, slots=True)
class ItemToken:
    """One item of a check, as its runner reports it.

    Attributes:
        name: For people.
        token: What the runner writes to the report channel when the item has come to its end.
        weight: Its share of the check.
    """

    name: str
    token: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a stage.

    Attributes:
        role: Why it runs.
        name: For people; of an item, its name.
        argv: Program and arguments.
        cwd: Absolute.
        wall_seconds: Its deadline.
        env: Added to the sandbox's environment.
        stdin: What it can read.
        report: Whether it gets the report channel.
        artifact: The file that it makes for the judge, relative to the workspace; empty for none.
        program_is_ours: Whether the case or the image brings the program, so that its absence is not the candidate's.
        mentions: The text in which file names of the case are looked for.
        token: Of the program that its runner runs; empty unless it is a runner.
        items: The items of that program.
        shown: The command as the author wrote it, where another is run in its place; empty where it is `argv`.
        brought: Files that are there while the stage runs, root's and read-only, besides those of the case.
    """

    role: Role
    name: str
    argv: tuple[str, ...]
    cwd: str
    wall_seconds: float
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    report: bool = False
    artifact: str = ""
    program_is_ours: bool = True
    mentions: tuple[str, ...] = ()
    token: str = ""
    items: tuple[ItemToken, ...] = ()
    shown: tuple[str, ...] = ()
    brought: tuple[Entry, ...] = ()

    @property
    def command(self) -> tuple[str, ...]:
        """The command for people."""
        return self.shown or self.argv


@dataclass(frozen=True, slots=True)
class Stage:
    """Steps that share one state.

    Attributes:
        name: For people.
        user: Which of the sandbox's users its commands run as.
        delivered: Files of the case that are there, root's and read-only.
        steps: At least one.
        check: The check that it is part of, None for the case's own setup and teardown.
    """

    name: str
    user: int
    delivered: tuple[Entry, ...]
    steps: tuple[Step, ...]
    check: str | None = None


@dataclass(frozen=True, slots=True)
class Artifact:
    """What was at the place of the file when the command had ended.

    Attributes:
        data: Its content; empty where there is no such file.
        problem: Why there is none, a clause; empty when there is one.
        missing: Whether that is because nobody wrote it, rather than because it is not to be read.
    """

    data: bytes = b""
    problem: str = ""
    missing: bool = False


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """A step, and what happened to it.

    Attributes:
        cut_off: Whether the candidate kept it from running, or from ending by itself, by using up what the whole case
            has: the time was over before its own was, or no memory was left.
        artifact: What there was of the file that it had to make; None where none was asked for, or it did not end by
            itself.
    """

    step: Step
    outcome: Outcome
    cut_off: bool = False
    artifact: Artifact | None = None
