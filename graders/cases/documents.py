"""What a case file holds, as pydantic models: the edge, where text from a file becomes typed data.

The models say what is accepted and nothing more; turning them into a `Case` is `case_file.py`. Field names are the
first names of `aliases.py`, and the descriptions are what the reference of the format prints.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, Tag

from graders.documents import aliases
from graders.cases.command_documents import Commands, OneCommand, Setup
from graders.documents.entries import Entry, by_shape
from graders.documents.fields import (
    Bytes,
    Count,
    Env,
    Flag,
    Fraction,
    Free,
    FreeMapping,
    Globs,
    Id,
    Image,
    Name,
    Pids,
    Processors,
    Seconds,
    Source,
    SourceItem,
    Sources,
    Text,
    Texts,
    Weight,
    WorkspaceFile,
    WrittenText,
    listed,
)
from graders.cases.message_documents import ExpectedOutput, Input
from graders.cases.rubric_documents import Rubrics

Language = Literal["python", "julia", "bash", "javascript", "typescript"]


class ItemEntry(Entry):
    """One example or unit test."""

    name: Name | None = None
    code: SourceItem
    weight: Weight = 1.0
    setup: Source = ""
    teardown: Source = ""


Items = list[
    Annotated[
        Annotated[SourceItem, Tag("|text")] | Annotated[ItemEntry, Tag("|mapping")],
        by_shape("must be source text or a mapping with `code`", "text", "mapping"),
    ]
]

# The surroundings of a case


class DockerEntry(Entry):
    """What `workspace.docker` says; its fields are other names of `image` and `limits`."""

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        return aliases.spelled_in("workspace.docker")


class HooksEntry(Entry):
    """Commands around all cases and around each."""

    before_all: OneCommand | None = None
    before_each: OneCommand | None = None
    after_each: OneCommand | None = None
    after_all: OneCommand | None = None


class WorkspaceEntry(Entry):
    """The tree that a case starts from, and what surrounds it."""

    template: Name | None = Field(default=None, description="A directory.")
    isolation: Literal["per_case", "per_test", "shared"] | None = None
    repos: list[Free] = Field(default_factory=list)
    hooks: HooksEntry | None = None
    docker: DockerEntry | None = None
    env: Env = Field(default_factory=dict)


Workspace = Annotated[
    Annotated[Name, Tag("|text")] | Annotated[WorkspaceEntry, Tag("|mapping")],
    by_shape("must be a path or a mapping", "text", "mapping"),
]


class LimitsEntry(Entry):
    """What the sandbox of a case may use."""

    memory: Annotated[Bytes, Field(ge=6 * 1024 * 1024)] | None = Field(
        default=None, description="Of the whole container."
    )
    cpus: Processors | None = Field(default=None, description="Processors.")
    pids: Pids | None = Field(default=None, description="Processes and threads.")
    disk: Bytes | None = Field(default=None, description="Size of the workspace.")
    output: Bytes | None = Field(
        default=None, description="What a command may print to one stream before it is killed."
    )
    command_timeout_seconds: Seconds | None = Field(default=None, description="Deadline of one command.")
    network: Literal["none", "setup", "bridge"] | None = Field(
        default=None,
        description="What can be reached: nothing, the network while `setup` runs, or always. Loopback always can.",
    )


class TargetEntry(Entry):
    """A target that a suite or a case is run with."""

    name: Name
    use_target: Text | None = None
    hooks: HooksEntry | None = None


Targets = list[
    Annotated[
        Annotated[Name, Tag("|text")] | Annotated[TargetEntry, Tag("|mapping")],
        by_shape("must be a name or a mapping", "text", "mapping"),
    ]
]


class ExecutionEntry(Entry):
    """How a case is run."""

    timeout_seconds: Annotated[Seconds, Field(ge=1, le=3600)] | None = Field(
        default=None, description="Of the whole case."
    )
    threshold: Fraction | None = Field(default=None, description="The score at which it passes.")
    target: Name | None = None
    targets: Targets | None = None
    skip_defaults: Flag | None = Field(default=None, description="Whether the suite's checks and input are left out.")

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        return (*super().known_keys(), *aliases.spelled_in("execution"))


class CaseEntry(Entry):
    """A case."""

    kind: ClassVar[str] = "case"

    id: Id | None = Field(default=None, description="Unique in the suite; the directory's name where it is not given.")
    criteria: Texts = Field(default_factory=list, description="What success is, in words.")
    input: Input | None = Field(default=None, description="The task.")
    expected_output: ExpectedOutput | None = Field(default=None, description="The reference answer.")
    assertions: list[Any] = Field(default_factory=list, description="The checks.")
    rubrics: Rubrics | None = Field(default=None, description="Criteria in words, or judged by commands and checks.")
    examples: Items | None = None
    examples_setup: Sources = Field(default_factory=list)
    examples_teardown: Sources = Field(default_factory=list)
    unit_tests: Items | None = None
    unit_tests_setup: Sources = Field(default_factory=list)
    unit_tests_teardown: Sources = Field(default_factory=list)
    imports: Sources = Field(default_factory=list)
    language: Language | None = None
    setup: Setup | None = None
    teardown: Commands | None = None
    workspace: Workspace | None = None
    protect: Globs = Field(default_factory=list)
    allow: Globs = Field(default_factory=list)
    answer_file: WorkspaceFile | None = Field(
        default=None,
        description="Where the code of an answer goes that names no file; `solution.py` and so on by default.",
    )
    env: Env = Field(default_factory=dict)
    image: Image | None = None
    execution: ExecutionEntry | None = None
    limits: LimitsEntry | None = None
    reference_solution: Source | None = None
    conversation_id: WrittenText | None = None
    description: Text = ""
    note: Text = ""
    category: Text = ""
    tags: Texts = Field(default_factory=list)
    metadata: FreeMapping = Field(default_factory=dict)
    depends_on: Annotated[list[Id], BeforeValidator(listed)] = Field(default_factory=list)
    on_dependency_failure: Literal["skip", "fail", "run"] = "skip"


class SuiteExecutionEntry(ExecutionEntry):
    """How the cases of a suite are run."""

    workers: Annotated[Count, Field(ge=1, le=256)] | None = Field(
        default=None, description="Cases at a time, as far as the engine's memory goes, unless `--jobs` says."
    )


class SuiteEntry(Entry):
    """Cases that share a workspace, checks, hooks and settings."""

    kind: ClassVar[str] = "suite"

    name: WrittenText = ""
    description: Text = ""
    version: WrittenText = ""
    tags: Texts = Field(default_factory=list)
    metadata: FreeMapping = Field(default_factory=dict)
    workspace: Workspace | None = None
    image: Image | None = None
    language: Language | None = None
    env: Env = Field(default_factory=dict)
    execution: SuiteExecutionEntry | None = None
    limits: LimitsEntry | None = None
    input: Input | None = None
    hooks: HooksEntry | None = None
    assertions: list[Any] = Field(default_factory=list)
    tests: Any
