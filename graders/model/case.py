"""The case: the data that every loader produces and every later stage uses.

All paths are absolute, all defaults are filled in, and every alias is replaced by its main name. This module reads no
files, does not know YAML, and holds no results of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

from gradebox.graders.model.crossing import ContractRule, Crossing, Isolation
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
    """A place in a document: the file, 1-based line and column (0 if unknown), and the path within the document."""

    file: Path
    line: int = 0
    column: int = 0
    path: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else str(self.file)


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A command of a case."""

    argv: tuple[str, ...]  # Program and arguments. A command written as one string is `("sh", "-c", string)`.
    shell: bool = False  # Whether the author wrote the command as one string.
    cwd: str = ""  # Relative to the workspace; empty for the workspace itself.
    env: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: float | None = None  # Time limit of this command; None for the case's command timeout.


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
    """How often a case is tried, and how its tries become one verdict."""

    count: int  # The number of tries, at least 1.
    # `pass_at_k` (the best try), `pass_all` (the worst), `mean`, or `confidence_interval` (the lower end of the 95 %
    # interval of the mean).
    strategy: str = "pass_at_k"
    cost_limit_usd: float | None = None  # No further try starts once the tries have cost this much; None for no limit.


@dataclass(frozen=True, slots=True)
class Preprocessor:
    """A command that converts files of one type (a suffix or a media type) to text."""

    type: str
    command: CommandSpec


@dataclass(frozen=True, slots=True)
class Hook:
    """A command of the suite, the workspace or a target that runs around a case."""

    when: str  # `before_all`, `before_each`, `after_each` or `after_all`.
    origin: str  # Who defined the hook, for people: `suite`, `workspace`, `target NAME`.
    command: CommandSpec
    directory: Path  # The command's relative file names are resolved here.


class CaseCheck(Protocol):
    """One check of a case: the properties that checks of all types share.

    Attributes:
        type: The type as a case spells it, with hyphens.
        name: Unique in the case; by default the type, numbered if necessary.
        weight: The check's share of the score, zero or more.
        min_score: The score that a required check needs; None for the case's threshold.
        negate: Whether the score is inverted (1 - score). An error stays an error.
        timeout_seconds: Time limit of each of the check's commands; None for the case's.
        exclusive: Whether nothing else in the run may run meanwhile.
        lacks_answers: Whether the reference must still produce expected outputs.
        env: Added to the environment of the check's commands.
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
    """One turn of a conversation: the user's messages, and the checks of the answer."""

    input: tuple[Message, ...]
    checks: tuple[CaseCheck, ...] = ()
    expected_output: tuple[Message, ...] | str | Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to grade.

    Attributes:
        id: Unique in its suite; safe as a file name.
        directory: The base of the case's relative paths.
        checks: At least one, in order; the case's own first, then the suite's. In a conversation they judge the whole,
            and may be absent if its turns have checks.
        roots: Directories searched for the relative file names of commands, first match wins: the case's, then the
            suite's. The workspace comes after them.
        workspace: The tree that the case starts from; None for an empty one.
        grading: The directory of hidden files.
        reference: The author's solution: a directory, a diff or an answer file.
        reference_text: The author's solution, written in the case itself.
        setup, teardown: Commands before the first and after the last check.
        setup_gradable: Whether a failing setup is the candidate's failure instead of an error of the case.
        protect: Globs of workspace files restored over the submission.
        allow: Globs of test-runner control files that the submission may bring.
        answer_file: Path for the code of an answer that names no path; None for ``solution`` in the case's language.
        isolation: The default for its checks; None means `AUTO`.
        contract: What the contract with the reference allows tests that run apart.
        crossing: How submissions are judged, as the reference has shown; None if not known.
        strict_layout: Whether a submission fails without being run if no file has a path that the case expects.
        unreadable_is_error: Whether input that is no submission is an error instead of a failure.
        whole_answer: Whether checks read the complete text of an answer, so no code is extracted.
        image: The image's name, or how it is built; None for the language's default.
        command_seconds: Default time limit of one command; `timeout_seconds` is the limit of the whole case
            (`model.time_limit` defines time limits).
        time_factor: This run multiplies all time limits of the case by this.
        suite: The name of the suite, or of its file; empty for a case without a suite.
        target: The name under which the case is run and reported if the suite or case has targets.
        expect_untouched: The expected verdict of the unchanged workspace: ``fail`` or ``pass``.
        reversed_files: Whether files are unpacked in another order, for `grade check`.
        exclusive: Whether nothing else in the run may run at the same time; a check may require this, too.
        use_target: The name of the target's definition; None if it equals `target`.
        target_place: The place in a document that names the target.
        trials: How often the case is tried; None for once.
        turns: The turns of a conversation; empty for every other kind of case.
        aggregation: How the scores of the turns become one: ``mean``, ``min`` or ``max``.
        on_turn_failure: Whether the turns after a failed one are judged: ``continue`` or ``stop``.
        window_size: How many of the last turns a judge reads; None for all.
        about: Fields that are only kept and shown, such as `metadata`.
        judge: The judges for checks in words; None for no judge.
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
    contract: ContractRule = ContractRule.RECORDED
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
        """The time limit of the whole case in this run, in seconds."""
        return self.timeout_seconds * self.time_factor

    @property
    def memory_bytes(self) -> int:
        """The sum of the memory limits of the sandbox and the services."""
        return self.limits.memory_bytes + sum(service.limits.memory_bytes for service in self.services)

    @property
    def is_open(self) -> bool:
        """Whether the reference decides how tests are judged, since neither case nor suite decides it."""
        return self.isolation in (None, Isolation.AUTO)

    @property
    def has_reference(self) -> bool:
        """Whether the author's solution exists."""
        return self.reference is not None or self.reference_text is not None

    def is_apart(self, own: str | None, *, by_runner: bool) -> bool:
        """Return whether a check is judged apart.

        `own` is the check's `isolation`. `by_runner` states that one of our runners loads the submission in another
        process. Only the author knows whether other commands do.
        """
        said = own or self.isolation or Isolation.AUTO
        if said != Isolation.AUTO:
            return said == Isolation.APART
        return by_runner and self.crossing is not None and self.crossing.isolation is Isolation.APART

    def limit_seconds(self, *own: float | None, times: int = 1, default: float = DEFAULT_COMMAND_SECONDS) -> float:
        """Return the time limit of a command in this run, in seconds: the first of `own`, otherwise the case's.

        `own` are the command's limits, the most specific first; `times` is the number of its items. `default` applies
        if neither the command nor the case has a limit.
        """
        written = next(filter(None, (*own, self.command_seconds)), default)
        return min(written * times, self.timeout_seconds) * self.time_factor
