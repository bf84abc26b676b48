"""`Check`: the base class of every type of check.

A type of check is one class in one file. The class is a frozen pydantic model: it validates the check in a document,
and is also its definition in the JSON Schema. Its ``stages`` returns what must run in the sandbox; its ``judge`` turns
the evidence into a result. `registry` finds the classes, so nothing else names them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self

from pydantic import AfterValidator, BeforeValidator, ValidationInfo, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from gradebox.graders.documents.diagnostics import DocumentPath
from gradebox.graders.documents.entries import Entry, WrittenAs, optional
from gradebox.graders.documents.fields import (
    Env,
    Flag,
    Fraction,
    Listed,
    Name,
    Seconds,
    Text,
    Weight,
    WorkspacePath,
    truth,
)
from gradebox.graders.documents.reader import Reader
from gradebox.graders.documents.validators import refused
from gradebox.graders.model.case import Case, CaseCheck, CommandSpec, Place
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.judgment import Question
from gradebox.graders.model.plan import Role, Stage, Step
from gradebox.graders.model.verdict import DEFAULT_SHOWN, CheckResult, Seen, Visibility, seen
from gradebox.sandbox.records import dataclass

NOWHERE = Place(Path())


class CheckPlanner(Protocol):
    """The functions that a check needs to plan its stages."""

    @property
    def submission_data(self) -> Mapping[str, Any]:
        """What is known about the submission: its answer, transcript and changed files."""

    def stage(self, name: str, steps: Iterable[Step], check: str | None = None, *, apart: bool = False) -> Stage:
        """Return a stage with a fresh user and the files that its steps name; `apart` if its steps are graders."""

    def step(
        self, role: Role, name: str, command: CommandSpec, *, check: CaseCheck | None = None, stdin: bytes = b""
    ) -> Step:
        """Return the step that runs a command of the case."""

    def runs_candidate(self, command: CommandSpec, check: CaseCheck) -> bool:
        """Return whether a program that a command runs lies in the submission and not in the case."""

    def cwd(self, relative: str) -> str:
        """Return a working directory as an absolute path in the sandbox."""

    def about(self, submission_data: Mapping[str, Any]) -> CheckPlanner:
        """Return a planner whose checks get other data about the submission."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The values of a case that its checks inherit."""

    # For items.
    language: str | None = None
    imports: tuple[str, ...] = ()
    # The case's values for fields that a check leaves out, by the type of the check.
    defaults: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """The context in which one check is read from a document."""

    reader: Reader
    path: DocumentPath
    # Whether the check's type or its command has an old name, which implies another protocol.
    old_name: bool
    surroundings: Surroundings
    read_members: Callable[[Iterable[Any], DocumentPath], tuple[Check, ...]]  # Reads a list of checks inside this one.

    def error(self, at: DocumentPath, message: str, hint: str = "") -> None:
        """Report an error at a path within the check."""
        self.reader.error((*self.path, *at), message, hint)

    def warning(self, at: DocumentPath, message: str, hint: str = "") -> None:
        """Report a warning at a path within the check."""
        self.reader.warning((*self.path, *at), message, hint)

    def nothing_requested(self, names: Iterable[str]) -> None:
        """Report a check with none of these fields, although it needs one."""
        hint = f"Write one of {', '.join(f'`{name}`' for name in names)}."
        self.error((), "the check asks for nothing", hint)


def _required(value: Any, info: ValidationInfo) -> bool | float:
    scalar = truth(value, info)
    if isinstance(scalar, bool):
        return scalar
    if not isinstance(scalar, (int, float)):
        raise refused("must be true, false or the score that is needed", "Write `true`, or a number such as 0.8.")
    if not 0 <= scalar <= 1:
        raise refused(f"must lie between 0 and 1, not at {scalar:g}", "Write `true`, or a number such as 0.8.")
    return float(scalar)


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise refused("must be one line of printable text", "Write a shorter name.")
    return text


_Required = Annotated[Any, BeforeValidator(_required), WithJsonSchema({"type": ["boolean", "number"]})]
_CheckName = Annotated[Name, AfterValidator(_one_line)]


class Visible(Entry):
    """The fields of a document that say what a candidate may see."""

    visibility: Literal["visible", "after", "hidden"] | None = optional(
        "When reports for candidates show it; `after`: only with `--after`."
    )
    show: Listed[Literal["name", "verdict", "input", "output", "expected", "message"]] | None = optional(
        "Which parts of it a candidate may see. Default: all parts if `visibility` is given."
    )

    def seen(self, around: Seen | None = None) -> Seen:
        """Return what a candidate may see of it; `around` is the same for its check or group, None without one."""
        return seen(self.visibility, self.show, around)


class Check(Visible):
    """The fields that every check may have."""

    type: ClassVar[str]  # The type as a case spells it, with hyphens.
    spellings: ClassVar[tuple[str, ...]] = ()  # Other names of the type.
    negatable: ClassVar[bool] = False  # Whether `not-` before the type inverts the score.
    authored: ClassVar[bool] = True  # Whether authors can write it in a case; if not, only foreign formats produce it.
    # Whether its command itself reports what the case and the image lack, so its output is not searched for that.
    reports_errors: ClassVar[bool] = False
    free: ClassVar[bool] = False  # Whether unknown keys become its `config`.
    internal = frozenset({"place"})

    place: SkipJsonSchema[Annotated[Place, WrittenAs(Any)]] = NOWHERE
    name: _CheckName = optional("Unique in the case. Default: the type.", "metric", "id", default_factory=str)
    description: Text = optional("For people.", default="")
    weight: Weight = optional("Weight of the check in the score; any scale, such as points.", "points", default=1.0)
    required: Annotated[bool, WrittenAs(_Required)] = optional(
        "Whether the verdict fails if the check does not pass; or the score that it needs.", default=False
    )
    min_score: Fraction | None = optional("The score from which a required check counts as passed.")
    negate: Flag = optional("Whether its score is inverted (1 - score).", default=False)
    timeout_seconds: Seconds | None = optional("Limit of processor time for each of its commands.")
    exclusive: Flag = optional("Whether the run grades nothing else during this check.", default=False)
    env: Env = optional("Variables that are added to the environment of its commands.", default_factory=dict)
    cwd: Annotated[str, WrittenAs(WorkspacePath)] = optional(
        "Where its commands run, relative to the workspace.", default_factory=str
    )

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        """Return every key that may be written, under all its names."""
        return ("type", *super().known_keys())

    def completed(self, _reading: Reading) -> Self | None:
        """Return the check as read from a document, completed with the values of its surroundings.

        Returns None after reporting an error. A type that needs nothing from the surroundings does not override this.
        """
        return self

    def stages(self, _case: Case, _planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return what must run in the sandbox to judge the check itself, after the stages of its members."""
        return ()

    @abstractmethod
    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        """Turn the evidence into the check's result."""

    def questions(self, _case: Case, _evidence: Evidence) -> Iterator[Question]:
        """Yield the check's own question to a judge, if it has one; called after its commands have run.

        Raises OSError if a file that the question quotes cannot be read.
        """
        yield from ()

    def seen(self, around: Seen | None = None) -> Seen:
        """Return what a candidate may see of the check and its tests; the members of a check stay hidden."""
        own = seen(self.visibility, self.show, around, own=Seen(Visibility.VISIBLE, DEFAULT_SHOWN))
        if self.members():
            # The check's message would name the members.
            return own.only(*DEFAULT_SHOWN)
        written = None if self.visibility is None else own
        tests, groups = self.seen_parts(written)
        return own.with_parts(tests=tests, groups=groups)

    def seen_parts(self, _around: Seen | None) -> tuple[Mapping[str, Seen], Mapping[str, Seen]]:
        """Return what a candidate may see of the tests and the groups of tests, each by name."""
        return {}, {}

    @property
    def lacks_answers(self) -> bool:
        """Whether running the reference must still produce the expected outputs."""
        return False

    def asks_judge(self) -> bool:
        """Return whether the check itself asks a judge."""
        return not self.members() and self.is_in_words()

    def is_in_words(self) -> bool:
        """Return whether the check or one of its members needs a judge."""
        return any(member.is_in_words() for member in self.members())

    def is_apart(self, _case: Case) -> bool | None:
        """Return whether its commands run apart from the submission; None if the case cannot choose that."""
        return None

    def commands(self) -> Iterator[CommandSpec]:
        """Yield the commands that it runs itself."""
        yield from ()

    def reads_workspace(self, case: Case) -> bool:
        """Return whether it judges files of the workspace, as any command may."""
        return case.workspace is not None and any(self.commands())

    def members(self) -> tuple[Check, ...]:
        """Return the checks that this check consists of."""
        return ()

    def planned_within(self, case: Case, planner: CheckPlanner) -> tuple[Case, CheckPlanner]:
        """Return the case and the planner for its members."""
        return case, planner

    def judged_within(self, case: Case, evidence: Evidence) -> tuple[Case, Evidence]:
        """Return the case and the evidence for its members."""
        return case, evidence

    def references(self) -> Iterator[str]:
        """Yield the names of the other checks of the case whose results this check uses."""
        for member in self.members():
            yield from member.references()


class ApartCheck(Check):
    """The fields of a check whose commands can run apart from the submission."""

    contract: Literal["recorded", "exact", "none"] | None = optional(
        "`recorded`, `exact` or `none`, in place of the case's `contract`."
    )
