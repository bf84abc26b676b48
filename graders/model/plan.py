"""What will be done for one case and one submission: files, and steps in stages. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from gradebox.graders.model.case import Case
from gradebox.graders.model.expectation import Content, Expectation
from gradebox.graders.model.service import Service
from gradebox.graders.model.submission import UNTOUCHED, Submission
from gradebox.graders.model.tampering import Tampering
from gradebox.graders.model.tree import Tree
from gradebox.sandbox.archive import ArchiveEntry
from gradebox.sandbox.limits import KIB, Limits
from gradebox.sandbox.records import dataclass

NEXT_INPUT = "nextpass.in"
"""The file of a feedback directory that asks for a further pass."""


class Role(StrEnum):
    """Why a command runs."""

    TARGET = "target"
    HOOK = "hook"
    SETUP = "setup"
    CHECK_SETUP = "check setup"
    CHECK = "check"
    ITEM = "item"
    BUILD = "build"
    TEST = "test"
    CHECKER = "checker"
    CONTROL = "control"
    CHECK_TEARDOWN = "check teardown"
    TEARDOWN = "teardown"
    SERVICE = "service"
    READY = "ready"
    RESET = "reset"


class User(StrEnum):
    """As whom a command runs."""

    # Grader and candidate are one user.
    SHARED = "shared"
    # It judges, and starts the candidate by the program `candidate`.
    GRADER = "grader"
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class ItemToken:
    """One item of a check; its runner writes the token to the report channel when the item has come to its end."""

    name: str
    token: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a stage."""

    role: Role
    name: str  # For people; of an item, its name.
    argv: tuple[str, ...]
    cwd: str  # Absolute.
    limit_seconds: float  # Its limit of time (`model.time_limit`).
    env: Mapping[str, str] = field(default_factory=dict)  # Added to the sandbox's environment.
    stdin: bytes = b""
    input: Content | None = None  # What it reads on stdin, in place of `stdin`; a file of it is read when it runs.
    report: bool = False  # Whether it gets the report channel.
    artifact: str = ""  # The file that it makes for the judge, relative to the workspace; empty for none.
    # Whether the case or the image brings the program, so that its absence is not the candidate's.
    program_is_ours: bool = True
    mentions: tuple[str, ...] = ()  # The text in which file names of the case are looked for.
    token: str = ""  # Of the program that its runner runs; empty unless it is a runner.
    items: tuple[ItemToken, ...] = ()  # The items of that program.
    # The command as the author wrote it, where another is run in its place; empty where it is `argv`.
    shown: tuple[str, ...] = ()
    # Files that are there while the stage runs, root's and read-only, besides those of the case.
    brought: tuple[ArchiveEntry, ...] = ()
    fills: str = ""  # What its output takes the place of on the stdin of the steps after it; empty for nothing.
    user: User = User.SHARED
    # Whether its stdout is the grader's alone: what the candidate would print there goes to stderr.
    own_stdout: bool = False
    capture_bytes: int = 256 * KIB  # How much of each of its streams is kept.
    output_bytes: int | None = None  # How much it may print to one stream, None for as much as the case allows.
    forks: bool = False  # Whether its program can be loaded once for many steps (`gradebox.sandbox.types.Command`).

    @property
    def command(self) -> tuple[str, ...]:
        """The command for people."""
        return self.shown or self.argv


@dataclass(frozen=True, slots=True)
class Stage:
    """Steps, at least one, that share one state."""

    name: str
    user: int  # Which of the sandbox's users its commands run as.
    delivered: tuple[ArchiveEntry, ...]  # Files of the case that are there, root's and read-only.
    steps: tuple[Step, ...]
    check: str | None = None  # The check that it is part of, None for the case's own setup and teardown.
    contract: bool = True  # Whether tests that run apart in it ask only what the reference was asked for.
    given: tuple[ArchiveEntry, ...] = ()  # Files that belong to who runs its steps.
    # Whether the stages after it, which are of the same check and say `built`, begin from the state that it leaves.
    # Without that state they do not run.
    builds: bool = False
    built: bool = False
    expected: Expectation | None = None  # What its step is to print.
    # A directory that belongs to the grader. What is left there is there in the next stage that has a `next_input`.
    feedback: str = ""
    left: tuple[ArchiveEntry, ...] = ()  # What the stage before it has left there.
    # Where the input is delivered that the stage before it has left as NEXT_INPUT in its `feedback`. Without one, the
    # stage does not run.
    next_input: str = ""
    # Where the output of the stage before it is delivered, which is its stdin, too; empty for nowhere.
    output_path: str = ""
    accepts: int = 0  # The exit status by which its step says yes.
    # Stages of the same check that do not run after one of them has failed; empty for none.
    stops_with: str = ""
    beside: str = ""  # The service beside which it runs, without the submission; empty for the sandbox.

    @property
    def apart(self) -> bool:
        """Whether grader and candidate are two users; what is delivered is then for the grader alone."""
        return any(step.user is not User.SHARED for step in self.steps)

    @property
    def is_of_items(self) -> bool:
        """Whether its runner starts no interpreter after the candidate's code."""
        return self.steps[0].role is Role.ITEM


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """How a service is started."""

    service: Service
    # Its command, and those that show that it is ready and bring it into its first state, as far as there are any; with
    # what all of them need.
    stage: Stage

    def step(self, role: Role) -> Step | None:
        """Return its step of a role, None if it has none."""
        return next((step for step in self.stage.steps if step.role is role), None)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a case that a plan can deliver, by their path in the workspace."""

    workspace: Tree = Tree()  # The tree that the case starts from.
    # Files beside the case (and its suite) that commands may name, hidden ones included; never the reference, the
    # submissions or the case file.
    own: Tree = Tree()
    # Paths of the workspace that the reference changes, and of the files that it adds.
    solution: frozenset[str] = frozenset()
    # The paths of the files that are delivered with a file.
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Words of commands, and the absolute path that each is replaced by.
    places: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that will be done for one case and one submission; with nothing but these two, nothing can be done."""

    case: Case
    submission: Submission = UNTOUCHED  # With the code of its answer as files.
    image: str = ""
    limits: Limits = Limits()
    files: Files = Files()
    record: bool = False  # Whether it is recorded how the submission, which is the reference, crosses the boundary.
    laid: Tree = Tree()  # The workspace with the submission laid over it.
    problem: str = ""  # Why the submission could not be laid over it, by the candidate's fault.
    moved: str = ""  # Which files of it were moved to where they belong, for people.
    misfit: str = ""  # Why nothing of it lies where the case looks for work; empty if something does.
    changes: str = ""  # What the submission changes of the workspace, as a diff.
    notes: tuple[str, ...] = ()  # What a reader of the verdict must know, a sentence each.
    restored: tuple[ArchiveEntry, ...] = ()  # Files of the case's workspace that are restored before every stage.
    removed_globs: tuple[str, ...] = ()  # Names of files that are removed from the workspace.
    kept_files: tuple[str, ...] = ()  # Paths that are not removed though they match.
    removed_paths: tuple[str, ...] = ()  # Further paths that are removed.
    tampering: tuple[Tampering, ...] = ()  # What the submission did to the files of its grader.
    services: tuple[ServicePlan, ...] = ()
    setup: Stage | None = None
    stages: tuple[Stage, ...] = ()
    teardown: Stage | None = None

    @property
    def workspace(self) -> Tree:
        """The workspace as the case has it."""
        return self.files.workspace

    @property
    def every_stage(self) -> tuple[Stage, ...]:
        """Setup, the stages of checks, and teardown, as far as there are any."""
        return tuple(stage for stage in (self.setup, *self.stages, self.teardown) if stage is not None)
