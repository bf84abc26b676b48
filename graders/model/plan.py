"""The plan for one case and one submission: files, and steps in stages. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from gradebox.graders.model.case import Case
from gradebox.graders.model.crossing import ContractRule
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
    """The user that a command runs as."""

    # Grader and candidate are one user.
    SHARED = "shared"
    # It judges, and starts the candidate through the program `candidate`.
    GRADER = "grader"
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class ItemToken:
    """One item of a check. The runner writes the token to the report channel when the item has run to its end."""

    name: str
    token: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a stage."""

    role: Role
    name: str  # For people; for an item, the item's name.
    argv: tuple[str, ...]
    cwd: str  # Absolute.
    limit_seconds: float  # Its time limit (`model.time_limit`).
    env: Mapping[str, str] = field(default_factory=dict)  # Added to the sandbox's environment.
    stdin: bytes = b""
    input: Content | None = None  # Replaces `stdin`; if it is a file, the file is read when the step runs.
    report: bool = False  # Whether it gets the report channel.
    artifact: str = ""  # The file that it makes for the judge, relative to the workspace; empty for none.
    # Whether the case or the image provides the program, so that a missing program is not the candidate's fault.
    program_is_ours: bool = True
    mentions: tuple[str, ...] = ()  # Texts that are searched for file names of the case.
    # New names of variables of the whole environment, by their old names (`graders.runners.runner.Head`).
    renamed: Mapping[str, str] = field(default_factory=dict)
    token: str = ""  # For a runner, the token of the program that it runs; otherwise empty.
    items: tuple[ItemToken, ...] = ()  # The items of that program.
    # The author's command if `argv` is another command that replaces it; otherwise empty.
    shown: tuple[str, ...] = ()
    # Files present while the stage runs, besides those of the case; read-only, owned by root.
    brought: tuple[ArchiveEntry, ...] = ()
    fills: str = ""  # The placeholder on the stdin of later steps that its output replaces; empty for none.
    user: User = User.SHARED
    shielded: bool = False  # Whether other processes of its user are kept from it, as from a check or a control.
    # Whether only the grader may write to stdout; the candidate's stdout then goes to stderr.
    own_stdout: bool = False
    capture_bytes: int = 256 * KIB  # How many bytes of each output stream are kept.
    output_bytes: int | None = None  # How many bytes it may print to one stream; None for the case's limit.
    forks: bool = False  # Whether its program can be loaded once for many steps (`gradebox.sandbox.types.Command`).

    @property
    def command(self) -> tuple[str, ...]:
        """The command for people."""
        return self.shown or self.argv

    @property
    def reads_file(self) -> bool:
        """Whether its stdin is a file, as in `program < input`, and no pipe."""
        return self.role is Role.TEST and self.user is User.CANDIDATE


@dataclass(frozen=True, slots=True)
class Stage:
    """One or more steps that share one state of the sandbox."""

    name: str
    user: int  # The number of the sandbox user that its commands run as.
    delivered: tuple[ArchiveEntry, ...]  # Files of the case for its steps; read-only, owned by root.
    steps: tuple[Step, ...]
    check: str | None = None  # The check that it is part of; None for the case's own setup and teardown.
    # What the contract with the reference allows its tests, if they run apart.
    contract: ContractRule = ContractRule.RECORDED
    given: tuple[ArchiveEntry, ...] = ()  # Files owned by the user that runs its steps.
    # Later stages of the same check with `built` start from the state that a stage with `builds` leaves. Without that
    # state they do not run.
    builds: bool = False
    built: bool = False
    expected: Expectation | None = None  # The output that its step must print.
    # A directory of the grader. Files left there are passed on to the next stage that has a `next_input`.
    feedback: str = ""
    left: tuple[ArchiveEntry, ...] = ()  # The files that the stage before left there.
    # The path at which this stage gets the NEXT_INPUT that the stage before left in its `feedback`. Without such a
    # file, the stage does not run.
    next_input: str = ""
    # The path at which this stage gets the output of the stage before, which is also its stdin; empty for nowhere.
    output_path: str = ""
    accepts: int = 0  # The exit status by which its step accepts.
    # A name shared by stages of a check: after one fails, the others do not run. Empty for none.
    stops_with: str = ""
    beside: str = ""  # The service beside which it runs, without the submission; empty for the sandbox.

    @property
    def apart(self) -> bool:
        """Whether grader and candidate are two users; only the grader can then read the delivered files."""
        return any(step.user is not User.SHARED for step in self.steps)

    @property
    def is_of_items(self) -> bool:
        """Whether it runs items: then no interpreter starts after the candidate's code."""
        return self.steps[0].role is Role.ITEM


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """How a service is started."""

    service: Service
    # The command of the service, its readiness and reset commands if any, and the files that they need.
    stage: Stage

    def step(self, role: Role) -> Step | None:
        """Return the step with a role; None if there is none."""
        return next((step for step in self.stage.steps if step.role is role), None)


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a case that a plan can deliver, by their path in the workspace."""

    workspace: Tree = Tree()  # The tree that the case starts from.
    # Files beside the case (and its suite) that commands may name, including hidden files; never the reference, the
    # submissions or the case file.
    own: Tree = Tree()
    # Paths that the reference changes or adds.
    solution: frozenset[str] = frozenset()
    # For each file, the paths of the files that are delivered with it.
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The absolute paths that replace certain words of commands, by word.
    places: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that will be done for one case and one submission. With the defaults, nothing is done."""

    case: Case
    submission: Submission = UNTOUCHED  # Includes the code of its answer as files.
    image: str = ""
    limits: Limits = Limits()
    files: Files = Files()
    record: bool = False  # Whether to record how the submission, here the reference, crosses the boundary.
    reword: int = 0  # How to replace the texts of its exceptions there: 1, each by another text; 2, all by one.
    laid: Tree = Tree()  # The workspace with the submission laid over it.
    problem: str = ""  # Why it could not be laid over the workspace, by the candidate's fault.
    moved: str = ""  # Which submitted files were moved to expected paths, for people.
    misfit: str = ""  # Why no submitted file has a path that the case expects; empty if one has.
    changes: str = ""  # The submission's changes to the workspace, as a diff.
    notes: tuple[str, ...] = ()  # Facts that a reader of the verdict must know, a sentence each.
    restored: tuple[ArchiveEntry, ...] = ()  # Files of the case's workspace that are restored before every stage.
    removed_globs: tuple[str, ...] = ()  # Globs of file names that are removed from the workspace.
    kept_files: tuple[str, ...] = ()  # Paths that match these globs but are kept.
    removed_paths: tuple[str, ...] = ()  # Further paths that are removed.
    tampering: tuple[Tampering, ...] = ()  # How the submission tampered with the files of its grader.
    services: tuple[ServicePlan, ...] = ()
    setup: Stage | None = None
    stages: tuple[Stage, ...] = ()
    teardown: Stage | None = None

    @property
    def workspace(self) -> Tree:
        """The case's workspace, without the submission."""
        return self.files.workspace

    @property
    def every_stage(self) -> tuple[Stage, ...]:
        """Setup if any, the stages of checks, and teardown if any."""
        return tuple(stage for stage in (self.setup, *self.stages, self.teardown) if stage is not None)
