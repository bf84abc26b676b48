"""`Check`: what every type of check is made of.

A type of check is one class in one file: a frozen pydantic model, which is at once what a document says, what is
planned and judged, and a part of the JSON Schema; ``stages`` says what must run in the sandbox to judge it; ``judge``
turns the evidence into a result. `registry` finds the classes, so nothing else names them.
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
    """What a check needs to plan its stages."""

    @property
    def submission_data(self) -> Mapping[str, Any]:
        """What is known of the submission: answer, transcript, changes of files."""

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
        """Return this planner for checks that read something else of the submission."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a check takes from its case."""

    # Of the items.
    language: str | None = None
    imports: tuple[str, ...] = ()
    # What the case says for checks of a type that leave it out, by the type.
    defaults: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """One check while it is read from a document."""

    reader: Reader
    path: DocumentPath
    # Whether its type or its command has an old name, which implies another protocol.
    old_name: bool
    surroundings: Surroundings
    read_members: Callable[[Iterable[Any], DocumentPath], tuple[Check, ...]]  # Reads a list of checks inside this one.

    def error(self, at: DocumentPath, message: str, hint: str = "") -> None:
        """Report an error at a path below the check's."""
        self.reader.error((*self.path, *at), message, hint)

    def warning(self, at: DocumentPath, message: str, hint: str = "") -> None:
        """Report something doubtful at a path below the check's."""
        self.reader.warning((*self.path, *at), message, hint)

    def nothing_requested(self, names: Iterable[str]) -> None:
        """Report a check that has none of the fields of which it needs one."""
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
    """What a document says of what a candidate may see."""

    visibility: Literal["visible", "after", "hidden"] | None = optional(
        "When a candidate may see it in reports for candidates; `after` needs `--after`."
    )
    show: Listed[Literal["name", "verdict", "input", "output", "expected", "message"]] | None = optional(
        "What of it a candidate may see; everything where `visibility` alone is given."
    )

    def seen(self, around: Seen | None = None) -> Seen:
        """Return what a candidate may see of it; `around` is what its check or group says, None for nothing."""
        return seen(self.visibility, self.show, around)


class Check(Visible):
    """What every check may say."""

    type: ClassVar[str]  # The type as it is written in a case, with hyphens.
    spellings: ClassVar[tuple[str, ...]] = ()  # Other names of the type.
    negatable: ClassVar[bool] = False  # Whether `not-` before the type inverts its score.
    authored: ClassVar[bool] = True  # Whether a case can be written with it; others are made from foreign formats.
    # Whether its own command reports what the case and the image lack, so that nothing is concluded from its output.
    reports_errors: ClassVar[bool] = False
    free: ClassVar[bool] = False  # Whether keys that it does not know are its `config`.
    internal = frozenset({"place"})

    place: SkipJsonSchema[Annotated[Place, WrittenAs(Any)]] = NOWHERE
    name: _CheckName = optional(
        "Unique in the case; the type where it is not given.", "metric", "id", default_factory=str
    )
    description: Text = optional("For people.", default="")
    weight: Weight = optional("Its share of the score, in points if you like.", "points", default=1.0)
    required: Annotated[bool, WrittenAs(_Required)] = optional(
        "Whether missing it fails the verdict; or the score needed.", default=False
    )
    min_score: Fraction | None = optional("The score at which a required check is met.")
    negate: Flag = optional("Whether its score is inverted (1 - score).", default=False)
    timeout_seconds: Seconds | None = optional("Processor time of each of its commands.")
    exclusive: Flag = optional("Whether nothing else of the run may run meanwhile.", default=False)
    env: Env = optional("Added to the environment of its commands.", default_factory=dict)
    cwd: Annotated[str, WrittenAs(WorkspacePath)] = optional(
        "Where its commands run, relative to the workspace.", default_factory=str
    )

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        """Return every key that may be written, under all its names."""
        return ("type", *super().known_keys())

    def completed(self, _reading: Reading) -> Self | None:
        """Return the check that was read from a document with what its surroundings add.

        None if something is wrong, which is then reported. A type whose fields say all that they need to say leaves
        this as it is.
        """
        return self

    def stages(self, _case: Case, _planner: CheckPlanner) -> tuple[Stage, ...]:
        """Return what must run in the sandbox to judge the check; that of its members comes before it."""
        return ()

    @abstractmethod
    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        """Turn the evidence into the check's result."""

    def questions(self, _case: Case, _evidence: Evidence) -> Iterator[Question]:
        """Yield what it asks of a judge, once its commands have run: one question at most, apart from its members'.

        Raises OSError if a file that the question quotes cannot be read.
        """
        yield from ()

    def seen(self, around: Seen | None = None) -> Seen:
        """Return what a candidate may see of it and of its tests; the members of a check stay hidden."""
        own = seen(self.visibility, self.show, around, own=Seen(Visibility.VISIBLE, DEFAULT_SHOWN))
        if self.members():
            # What a check says of its members would name them.
            return own.only(*DEFAULT_SHOWN)
        written = None if self.visibility is None else own
        tests, groups = self.seen_parts(written)
        return own.with_parts(tests=tests, groups=groups)

    def seen_parts(self, _around: Seen | None) -> tuple[Mapping[str, Seen], Mapping[str, Seen]]:
        """Return what a candidate may see of its tests and of their groups, by their names."""
        return {}, {}

    @property
    def lacks_answers(self) -> bool:
        """Whether expected outputs are still to come from the reference."""
        return False

    def asks_judge(self) -> bool:
        """Return whether it asks a judge itself."""
        return not self.members() and self.is_in_words()

    def is_in_words(self) -> bool:
        """Return whether a judge is needed for it, or for one of its members."""
        return any(member.is_in_words() for member in self.members())

    def is_apart(self, _case: Case) -> bool | None:
        """Return whether its commands run apart from the submission; None if the case has no say in that."""
        return None

    def commands(self) -> Iterator[CommandSpec]:
        """Yield the commands that it runs itself."""
        yield from ()

    def reads_workspace(self, case: Case) -> bool:
        """Return whether it judges files of the workspace: a command may where the case has one."""
        return case.workspace is not None and any(self.commands())

    def members(self) -> tuple[Check, ...]:
        """Return the checks that it is made of."""
        return ()

    def planned_within(self, case: Case, planner: CheckPlanner) -> tuple[Case, CheckPlanner]:
        """Return what its members are planned by."""
        return case, planner

    def judged_within(self, case: Case, evidence: Evidence) -> tuple[Case, Evidence]:
        """Return what its members are judged by."""
        return case, evidence

    def references(self) -> Iterator[str]:
        """Yield the names of the other checks of the case whose results it takes."""
        for member in self.members():
            yield from member.references()


class ApartCheck(Check):
    """What a check may say whose commands can run apart from the submission."""

    contract: Literal["recorded", "none"] | None = optional(
        "`none`: tests that run apart ask of a submission whatever they like. In place of the case's."
    )
