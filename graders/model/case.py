"""A case, as every loader delivers it and every later stage takes it.

All paths are absolute, all defaults are filled in, all names are the first of their aliases. Nothing here reads a
file, knows YAML, or knows what happened when the case was run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

from gradebox.graders.model.crossing import Crossing, Isolation
from gradebox.graders.model.judgment import Panel
from gradebox.graders.model.own_image import OwnImage
from gradebox.graders.model.service import Service
from gradebox.graders.model.verdict import Seen
from gradebox.sandbox.limits import Limits
from gradebox.sandbox.records import dataclass

DEFAULT_TIMEOUT_SECONDS = 300.0
DEFAULT_COMMAND_SECONDS = 60.0
# An item is one assertion, and a case may have hundreds.
DEFAULT_ITEM_SECONDS = 10.0
DEFAULT_THRESHOLD = 0.8


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was written: a file, 1-based line and column (0 where unknown), and the path in the document."""

    file: Path
    line: int = 0
    column: int = 0
    path: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else str(self.file)


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A command as a case writes it."""

    argv: tuple[str, ...]  # Program and arguments. A command written as one string is `("sh", "-c", string)`.
    shell: bool = False  # Whether it was written as one string.
    cwd: str = ""  # Relative to the workspace; empty for the workspace itself.
    env: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: float | None = None  # Its own limit of time, None for the case's command timeout.


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the task or of the reference answer; `content` is text or a list of content blocks."""

    role: str
    content: str | tuple[Mapping[str, Any], ...]
    name: str | None = None
    tool_call_id: str | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Trials:
    """How often a case is tried, and what its tries come to."""

    count: int  # How many tries there are, at least 1.
    # `pass_at_k` (the best try), `pass_all` (the worst), `mean` or `confidence_interval` (the lower end of the 95 %
    # interval of the mean).
    strategy: str = "pass_at_k"
    cost_limit_usd: float | None = None  # The tries end when they have cost this much; None for no limit.


@dataclass(frozen=True, slots=True)
class Preprocessor:
    """A command that makes text of files of one type, which is a suffix or a media type."""

    type: str
    command: CommandSpec


@dataclass(frozen=True, slots=True)
class Hook:
    """A command of the suite, the workspace or a target that runs around a case."""

    when: str  # `before_all`, `before_each`, `after_each` or `after_all`.
    origin: str  # Whose hook it is, for people: `suite`, `workspace`, `target NAME`.
    command: CommandSpec
    directory: Path  # Where relative file names of the command are looked up.


class CaseCheck(Protocol):
    """One assertion of a case: what all checks have in common, whatever their type.

    Attributes:
        type: As it is written in a case, with hyphens.
        name: Unique in the case; the type, numbered where needed, when the author gave none.
        weight: Its share of the score, zero or more.
        min_score: The score at which a required check is met; None for the case's threshold.
        negate: Whether its score is inverted (1 - score). An error stays an error.
        timeout_seconds: Limit of time of each of its commands, None for the case's.
        exclusive: Whether nothing else of the run may run meanwhile.
        lacks_answers: Whether expected outputs are still to come from the reference.
        env: Added to the environment of its commands.
        cwd: Their working directory, relative to the workspace.
    """

    @property
    def type(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def place(self) -> Place: ...
    @property
    def weight(self) -> float: ...
    @property
    def required(self) -> bool: ...
    @property
    def min_score(self) -> float | None: ...
    @property
    def negate(self) -> bool: ...
    @property
    def timeout_seconds(self) -> float | None: ...
    @property
    def exclusive(self) -> bool: ...
    @property
    def lacks_answers(self) -> bool: ...
    @property
    def env(self) -> Mapping[str, str]: ...
    @property
    def cwd(self) -> str: ...
    def seen(self) -> Seen: ...


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation: what the user says, and the checks of the answer to it."""

    input: tuple[Message, ...]
    checks: tuple[CaseCheck, ...] = ()
    expected_output: tuple[Message, ...] | str | Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to grade.

    Attributes:
        id: Unique in its suite; safe as a file name.
        directory: Where its relative paths start.
        checks: At least one, in order; the case's own first, then the suite's. A conversation may have only checks of
            its turns. Otherwise these judge the whole of it.
        roots: Directories in which relative file names of commands are looked up, first match wins: the case's, then
            the suite's. The workspace comes after them.
        workspace: The tree that the case starts from, None for an empty one.
        grading: Hidden material.
        reference: The author's solution: a directory, a diff or an answer file.
        reference_text: The same, written in the case itself.
        setup, teardown: Run before the first and after the last check.
        setup_gradable: Whether a failing setup is the candidate's failure instead of an error of the case.
        protect: Globs of workspace files restored over the submission.
        allow: Globs of test-runner control files that the submission may bring.
        answer_file: Where the code of an answer goes that names no path, None for ``solution`` in the case's language.
        isolation: Of its checks that do not say it themselves; None, where nobody says it, means `AUTO`.
        contract: Whether tests that run apart ask of a submission only what the reference was asked for.
        crossing: What its reference has shown of judging apart; None if that is not known.
        strict_layout: Whether a submission of which nothing lies where the case looks for work fails without being run.
        unreadable_is_error: Whether what is not a submission at all is an error instead of a failure.
        whole_answer: Whether checks read an answer as it was written, so that no code is taken out of it.
        image: Its name, or how it is built; None for the language's default.
        command_seconds: Default limit of time of one command; `timeout_seconds` is that of the whole case
            (`model.time_limit` says what a limit means).
        time_factor: By which all of its limits of time are multiplied in this run.
        suite: The name of its suite, or that of the suite's file; empty for a case without one.
        target: The name under which it is run and reported, where a suite or case has targets.
        expect_untouched: What the workspace gets as it is: ``fail``, or ``pass`` where the task starts so.
        reversed_files: Whether its files are unpacked in another order, for `grade check`.
        exclusive: Whether nothing else of its run may run meanwhile; a check may say it as well.
        use_target: The definition of the target, None where it goes by the same name.
        target_place: Where the target is named.
        trials: How often it is tried, None for once.
        turns: Those of a conversation, none for a case of any other kind.
        aggregation: How the scores of the turns become one: ``mean``, ``min`` or ``max``.
        on_turn_failure: Whether the turns after a failed one are judged: ``continue`` or ``stop``.
        window_size: How many of the last turns a judge reads, None for all.
        about: Fields as they are written that are kept and shown, and decide nothing; `metadata` is one of them.
        judge: Who judges what only reading can decide; None for nobody.
    """

    id: str
    place: Place
    directory: Path
    checks: tuple[CaseCheck, ...]
    roots: tuple[Path, ...] = ()
    criteria: str = ""
    input: tuple[Message, ...] = ()
    expected_output: tuple[Message, ...] | str | Mapping[str, Any] | None = None
    language: str | None = None
    image: str | OwnImage | None = None
    workspace: Path | None = None
    grading: Path | None = None
    reference: Path | None = None
    reference_text: str | None = None
    setup: tuple[CommandSpec, ...] = ()
    teardown: tuple[CommandSpec, ...] = ()
    setup_gradable: bool = False
    hooks: tuple[Hook, ...] = ()
    preprocessors: tuple[Preprocessor, ...] = ()
    protect: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    answer_file: str | None = None
    isolation: Isolation | None = None
    contract: bool = True
    crossing: Crossing | None = None
    strict_layout: bool = False
    unreadable_is_error: bool = False
    whole_answer: bool = False
    env: Mapping[str, str] = field(default_factory=dict)
    services: tuple[Service, ...] = ()
    limits: Limits = field(default_factory=Limits)
    output_bytes: int = 64 * 1024 * 1024
    command_seconds: float | None = None
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    time_factor: float = 1.0
    threshold: float = DEFAULT_THRESHOLD
    suite: str = ""
    target: str | None = None
    use_target: str | None = None
    target_place: Place | None = None
    description: str = ""
    note: str = ""
    category: str = ""
    conversation_id: str = ""
    tags: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    on_dependency_failure: str = "skip"
    expect_untouched: str = "fail"
    exclusive: bool = False
    reversed_files: bool = False
    trials: Trials | None = None
    turns: tuple[Turn, ...] = ()
    aggregation: str = "mean"
    on_turn_failure: str = "continue"
    window_size: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    judge: Panel | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def whole_seconds(self) -> float:
        """The limit of time of the whole case in this run."""
        return self.timeout_seconds * self.time_factor

    @property
    def memory_bytes(self) -> int:
        """The limits of memory of its sandbox and its services together."""
        return self.limits.memory_bytes + sum(service.limits.memory_bytes for service in self.services)

    @property
    def is_open(self) -> bool:
        """Whether neither it nor its suite says how its tests are judged, so that its reference decides."""
        return self.isolation in (None, Isolation.AUTO)

    @property
    def has_reference(self) -> bool:
        """Whether its author's solution is there."""
        return self.reference is not None or self.reference_text is not None

    def is_apart(self, own: str | None, *, by_runner: bool) -> bool:
        """Return whether a check is judged apart.

        `own` is what it says itself; `by_runner` says that a runner of ours loads the submission elsewhere. Whether
        other commands start the submission as the candidate is not known, so only their author can say it.
        """
        said = own or self.isolation or Isolation.AUTO
        if said != Isolation.AUTO:
            return said == Isolation.APART
        return by_runner and self.crossing is not None and self.crossing.isolation is Isolation.APART

    def limit_seconds(self, *own: float | None, times: int = 1, default: float = DEFAULT_COMMAND_SECONDS) -> float:
        """Return the limit of time of a command in this run: the first of its own, otherwise the case's.

        `own` are those that are written for it, the closest first; `times` is how many items it runs. `default` holds
        if neither the command nor the case has a limit.
        """
        written = next(filter(None, (*own, self.command_seconds)), default)
        return min(written * times, self.timeout_seconds) * self.time_factor
