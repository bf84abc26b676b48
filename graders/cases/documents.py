"""What a case file holds, as pydantic models: the edge, where text from a file becomes typed data.

The models say what is accepted and nothing more; turning them into a `Case` is `case_file.py`. Field names are the
first names; other spellings and descriptions stand beside them, for the schema and the reference of the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, Tag

from graders.cases.execution_documents import ExecutionEntry, HooksEntry, LimitsEntry, SuiteExecutionEntry
from graders.cases.message_documents import ExpectedOutput, Input, PreprocessorEntry
from graders.checks.items import ItemList, Language
from graders.checks.rubric import RubricList
from graders.documents.commands import Commands, Setup
from graders.documents.entries import Entry, Late, also, by_shape, spelled_in
from graders.documents.fields import (
    Count,
    Env,
    Free,
    FreeMapping,
    Globs,
    Id,
    Image,
    Listed,
    Name,
    Source,
    Sources,
    Text,
    Texts,
    WorkspaceFile,
    WrittenText,
)

_OWN_COPY = "Each case has its own copy, whatever is written here."
# Marks a field that decides nothing: lists, verdicts and reports show it, and `--where` selects by it. Not for what a
# candidate must not see: people hand reports on.
KEPT = object()


class AboutEntry(Entry):
    """Where a case, or every case of a suite, comes from."""

    author: Annotated[Texts, KEPT] = Field(default=(), description="Who wrote it.")
    license: Annotated[WrittenText, KEPT] = Field(default="", description="Under which terms it may be used.")
    requires: Annotated[Free, KEPT] = Field(default=None, description="What it needs, for people.")
    governance: Annotated[FreeMapping, KEPT] = Field(default_factory=dict, description="Owner, risks and so on.")
    dataset: Annotated[WrittenText, KEPT] = Field(
        default="", validation_alias=also("suite"), description="The set that it belongs to."
    )
    evaluator: Text = Field(default="", description="Has no effect: what judges a case are its checks.")
    preprocessors: list[PreprocessorEntry] = Field(
        default_factory=list, description="Commands that make text of files which messages name."
    )

    def about(self) -> dict[str, Any]:
        """Return the fields that are kept and were written, by name."""
        return {name: getattr(self, name) for name in _kept(type(self)) if name in self.model_fields_set}


@cache
def _kept(model: type[AboutEntry]) -> tuple[str, ...]:
    return tuple(name for name, field in model.model_fields.items() if KEPT in field.metadata)


# The surroundings of a case


class DockerEntry(Entry):
    """What `workspace.docker` says; its fields are other names of `image` and `limits`."""

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        return spelled_in("workspace.docker")


_HOOKS_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    f"hooks.{when}": (when,) for when in HooksEntry.model_fields if when != "enabled"
}


class WorkspaceEntry(Entry):
    """The tree that a case starts from, and what surrounds it."""

    elsewhere = _HOOKS_ELSEWHERE

    template: Name | None = Field(default=None, description="A directory.")
    path: Name | None = Field(default=None, description="Another name of the template, of `mode: static`.")
    isolation: Literal["per_case", "per_test", "shared"] | None = Field(default=None, description=_OWN_COPY)
    mode: Literal["pooled", "temp", "static"] | None = Field(default=None, description=_OWN_COPY)
    scope: Literal["suite", "attempt"] | None = Field(default=None, description=_OWN_COPY)
    repos: list[Free] = Field(default_factory=list, description="Repositories; not fetched by this version.")
    hooks: HooksEntry | None = Field(default=None, description="Commands around cases.")
    docker: DockerEntry | None = Field(default=None, description="The image and its limits under other names.")
    env: Env = Field(default_factory=dict, description="Added to the environment of every command.")


Workspace = Annotated[
    Annotated[Name, Tag("|text")] | Annotated[WorkspaceEntry, Tag("|mapping")],
    by_shape("must be a path or a mapping", "text", "mapping"),
]


# Of a case and of a suite.
_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "execution.target": ("target",),
    "execution.threshold": ("threshold",),
    "limits.memory": ("execution.memory", "workspace.docker.memory"),
    "limits.cpus": ("execution.cpus", "workspace.docker.cpus"),
    "limits.pids": ("execution.pids",),
    "limits.disk": ("execution.disk",),
    "limits.output": ("execution.output",),
    "limits.network": ("execution.network",),
    "limits.command_timeout_seconds": ("execution.command_timeout_seconds", "workspace.docker.timeout"),
}


class TurnEntry(Entry):
    """One turn of a conversation."""

    input: Input = Field(description="What the user says.")
    expected_output: Annotated[Any, Late(ExpectedOutput)] | None = Field(
        default=None, description="The reference answer to it."
    )
    assertions: list[Any] = Field(
        validation_alias=also("assert"), default_factory=list, description="Checks of the answer to it."
    )


class CaseEntry(AboutEntry):
    """A case."""

    elsewhere = _ELSEWHERE

    id: Id | None = Field(default=None, description="Unique in the suite; the directory's name where it is not given.")
    criteria: Texts = Field(
        validation_alias=also("expected_outcome", "outcome"), default=(), description="What success is, in words."
    )
    vars: FreeMapping = Field(
        default_factory=dict, description="What stands for `{{name}}` in the texts of this case; others stay."
    )
    input: Input | None = Field(validation_alias=also("input_messages"), default=None, description="The task.")
    input_files: Texts = Field(default=(), description="Files that come before a task which is one text.")
    expected_output: Annotated[Any, Late(ExpectedOutput)] | None = Field(
        validation_alias=also("expected_messages", "reference_answer"),
        default=None,
        description="The reference answer.",
    )
    mode: Literal["conversation"] | None = Field(default=None, description="Of a case with `turns`.")
    turns: Annotated[Any, Late(Annotated[list[TurnEntry], Field(min_length=1)])] | None = Field(
        default=None, description="What the user says one after the other, with checks of each answer."
    )
    aggregation: Literal["mean", "min", "max"] = Field(
        default="mean", description="How the scores of the turns become one."
    )
    on_turn_failure: Literal["continue", "stop"] = Field(
        default="continue", description="Whether the turns after a failed one are judged."
    )
    window_size: Annotated[Count, Field(ge=1)] | None = Field(
        default=None, description="How many of the last turns a judge reads; all where it is not given."
    )
    assertions: list[Any] = Field(
        validation_alias=also("assert", "execution.assertions", "execution.evaluators", "evaluators"),
        default_factory=list,
        description="The checks.",
    )
    rubrics: Annotated[Any, Late(RubricList)] | None = Field(
        default=None, description="Criteria in words, or judged by commands and checks."
    )
    examples: ItemList | None = Field(
        default=None, description="Pieces of source that must run without an error, each in a process of its own."
    )
    examples_setup: Sources = Field(default=(), description="Runs before each example; loads the candidate's code.")
    examples_teardown: Sources = Field(default=(), description="Runs after each example.")
    unit_tests: ItemList | None = Field(default=None, description="As `examples`, a check of its own.")
    unit_tests_setup: Sources = Field(default=(), description="Runs before each unit test; loads the candidate's code.")
    unit_tests_teardown: Sources = Field(default=(), description="Runs after each unit test.")
    imports: Sources = Field(default=(), description="What examples and unit tests import; the image must have it.")
    language: Language | None = Field(
        default=None, description="Of examples and unit tests; chooses the image where none is named."
    )
    setup: Annotated[Any, Late(Setup)] | None = Field(
        default=None, description="Commands that run in the sandbox before the first check."
    )
    teardown: Annotated[Any, Late(Commands)] | None = Field(
        default=None, description="Commands that run after the last check."
    )
    workspace: Annotated[Any, Late(Workspace)] | None = Field(
        default=None,
        description="The tree that it starts from; without it `workspace/` beside the case, else the suite's.",
    )
    protect: Globs = Field(default=(), description="Globs of workspace files that are put back before every check.")
    allow: Globs = Field(
        default=(), description="Globs of files that steer test runners and that submissions may bring."
    )
    answer_file: WorkspaceFile | None = Field(
        default=None,
        description="Where the code of an answer goes that names no file; `solution.py` and so on by default.",
    )
    isolation: Literal["apart", "in-process"] | None = Field(
        default=None,
        description="`apart`: graders are another user than the submission, which they start with `candidate`. "
        "Default: the suite's, otherwise `in-process`.",
    )
    env: Env = Field(default_factory=dict, description="Added to the environment of every command.")
    image: Image | None = Field(
        validation_alias=also("workspace.docker.image"),
        default=None,
        description="What the sandbox is made from; by the language where it is not given.",
    )
    execution: ExecutionEntry | None = Field(default=None, description="How it is run.")
    limits: LimitsEntry | None = Field(
        validation_alias=also("execution.limits"), default=None, description="What its sandbox may use."
    )
    reference_solution: Source | None = Field(
        default=None, description="The author's solution: a path, or its text; without it `reference/` beside the case."
    )
    conversation_id: Annotated[WrittenText | None, KEPT] = Field(
        default=None, description="For people and other programs."
    )
    description: Annotated[Text, KEPT] = Field(default="", description="For people.")
    note: Text = Field(default="", description="For judges and people; never for the candidate.")
    category: Text = Field(default="", description="Shown in lists and reports.")
    tags: Texts = Field(default=(), description="For `--tag` and `--exclude-tag`.")
    metadata: Annotated[FreeMapping, KEPT] = Field(default_factory=dict, description="Whatever else is to be kept.")
    depends_on: Listed[Id] = Field(default=(), description="Ids of cases that come before it.")
    on_dependency_failure: Literal["skip", "fail", "run"] = Field(
        default="skip", description="What happens to it when one of them does not pass."
    )
    expect_untouched: Literal["fail", "pass"] = Field(
        default="fail", description="What the workspace gets as it is, for `grade check`."
    )
    judge: Any = Field(default=None, description="Who judges words: a judge, a list of them, or `judges` and `reduce`.")


class SuiteEntry(AboutEntry):
    """Cases that share a workspace, checks, hooks and settings."""

    elsewhere = _ELSEWHERE

    name: WrittenText = Field(default="", description="For people; not used otherwise.")
    description: Text = Field(default="", description="For people; not used otherwise.")
    version: WrittenText = Field(default="", description="For people; not used otherwise.")
    category: Text = Field(default="", description="Of each of its cases that has none.")
    tags: Texts = Field(default=(), description="Of each of its cases, too.")
    metadata: Annotated[FreeMapping, KEPT] = Field(default_factory=dict, description="Merged into that of each case.")
    schema_url: Text = Field(default="", validation_alias=also("$schema"), description="For editors.")
    defaults: Free = Field(default=None, description="Whatever YAML anchors are defined in.")
    workspace: Annotated[Any, Late(Workspace)] | None = Field(
        default=None, description="The tree that its cases start from."
    )
    image: Image | None = Field(
        validation_alias=also("workspace.docker.image"), default=None, description="What their sandboxes are made from."
    )
    language: Language | None = Field(default=None, description="Of their examples and unit tests.")
    isolation: Literal["apart", "in-process"] | None = Field(default=None, description="Of cases that do not say it.")
    env: Env = Field(default_factory=dict, description="Added to the environment of every command.")
    execution: SuiteExecutionEntry | None = Field(
        default=None, validation_alias=also("experiment"), description="How its cases are run."
    )
    limits: LimitsEntry | None = Field(
        validation_alias=also("execution.limits"), default=None, description="What their sandboxes may use."
    )
    input: Input | None = Field(
        validation_alias=also("input_messages"), default=None, description="Messages before those of each case."
    )
    input_files: Texts = Field(default=(), description="Those of each case that names none.")
    hooks: HooksEntry | None = Field(default=None, description="Commands around its cases.")
    assertions: list[Any] = Field(
        validation_alias=also("assert", "execution.assertions", "execution.evaluators", "evaluators"),
        default_factory=list,
        description="Checks after each case's own; under `execution`, a case that has checks there replaces them.",
    )
    judge: Any = Field(default=None, description="Who judges words: a judge, a list of them, or `judges` and `reduce`.")
    tests: Any = Field(
        validation_alias=also("evalcases", "eval_cases", "cases"),
        description="The cases: a list, a file, a glob, or a directory of case directories.",
    )
