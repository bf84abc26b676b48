"""The pydantic models of case files, where data from a file becomes typed.

The models only say what is accepted; `case_file.py` converts them into a `Case`. The names of fields are the first
names. Other spellings and descriptions are beside them, for the schema and the reference of the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, Tag

from gradebox.graders.cases.case_limits import LimitsEntry
from gradebox.graders.cases.containers.image_documents import WrittenImage
from gradebox.graders.cases.containers.service_documents import Services
from gradebox.graders.cases.execution_documents import ExecutionEntry, HooksEntry, SuiteExecutionEntry
from gradebox.graders.cases.message_documents import ExpectedOutput, Input, PreprocessorEntry
from gradebox.graders.checks.items import ItemList, Language
from gradebox.graders.checks.rubric import RubricList
from gradebox.graders.documents.commands import Commands, Setup
from gradebox.graders.documents.entries import Entry, Late, also, by_shape, optional, spelled_in
from gradebox.graders.documents.fields import (
    Count,
    Env,
    Flag,
    Free,
    FreeMapping,
    Globs,
    Id,
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
# Marks a field that does not affect grading: lists, verdicts and reports show it, and `--where` selects by it. Do not
# use it for data that candidates must not see, since reports are passed on.
KEPT = object()


class AboutEntry(Entry):
    """Where a case, or every case of a suite, comes from."""

    author: Annotated[Texts, KEPT] = optional("Who wrote it.", default=())
    license: Annotated[WrittenText, KEPT] = optional("Under which terms it may be used.", default="")
    requires: Annotated[Free, KEPT] = optional("What it needs, for people.")
    governance: Annotated[FreeMapping, KEPT] = optional("Owner, risks and so on.", default_factory=dict)
    dataset: Annotated[WrittenText, KEPT] = optional("The set that it belongs to.", "suite", default="")
    evaluator: Text = optional("Has no effect: what judges a case are its checks.", default="")
    preprocessors: list[PreprocessorEntry] = optional(
        "Commands that make text of files which messages name.", default_factory=list
    )

    def about(self) -> dict[str, Any]:
        """Return the fields marked with KEPT that the file has, by name."""
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

    template: Name | None = optional("A directory.")
    path: Name | None = optional("Another name of the template, of `mode: static`.")
    isolation: Literal["per_case", "per_test", "shared"] | None = optional(_OWN_COPY)
    mode: Literal["pooled", "temp", "static"] | None = optional(_OWN_COPY)
    scope: Literal["suite", "attempt"] | None = optional(_OWN_COPY)
    repos: list[Free] = optional("Repositories; not fetched by this version.", default_factory=list)
    hooks: HooksEntry | None = optional("Commands around cases.")
    docker: DockerEntry | None = optional("The image and its limits under other names.")
    env: Env = optional("Added to the environment of every command.", default_factory=dict)


Workspace = Annotated[
    Annotated[Name, Tag("|text")] | Annotated[WorkspaceEntry, Tag("|mapping")],
    by_shape("must be a path or a mapping", "text", "mapping"),
]


# Other places of fields, for cases and suites.
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
    expected_output: Annotated[Any, Late(ExpectedOutput)] | None = optional("The reference answer to it.")
    assertions: list[Any] = optional("Checks of the answer to it.", "assert", default_factory=list)


class CaseEntry(AboutEntry):
    """A case."""

    elsewhere = _ELSEWHERE

    id: Id | None = optional("Unique in the suite; the directory's name where it is not given.")
    criteria: Texts = optional("What success is, in words.", "expected_outcome", "outcome", default=())
    vars: FreeMapping = optional(
        "What stands for `{{name}}` in the texts of this case; others stay.", default_factory=dict
    )
    input: Input | None = optional("The task.", "input_messages")
    input_files: Texts = optional("Files that come before a task which is one text.", default=())
    expected_output: Annotated[Any, Late(ExpectedOutput)] | None = optional(
        "The reference answer.", "expected_messages", "reference_answer"
    )
    mode: Literal["conversation"] | None = optional("Of a case with `turns`.")
    turns: Annotated[Any, Late(Annotated[list[TurnEntry], Field(min_length=1)])] | None = optional(
        "What the user says one after the other, with checks of each answer."
    )
    aggregation: Literal["mean", "min", "max"] = optional("How the scores of the turns become one.", default="mean")
    on_turn_failure: Literal["continue", "stop"] = optional(
        "Whether the turns after a failed one are judged.", default="continue"
    )
    window_size: Annotated[Count, Field(ge=1)] | None = optional(
        "How many of the last turns a judge reads; all where it is not given."
    )
    assertions: list[Any] = optional(
        "The checks.", "assert", "execution.assertions", "execution.evaluators", "evaluators", default_factory=list
    )
    rubrics: Annotated[Any, Late(RubricList)] | None = optional("Criteria in words, or judged by commands and checks.")
    examples: ItemList | None = optional(
        "Pieces of source that must run without an error, each in a process of its own."
    )
    examples_setup: Sources = optional("Runs before each example; loads the candidate's code.", default=())
    examples_teardown: Sources = optional("Runs after each example.", default=())
    unit_tests: ItemList | None = optional("As `examples`, a check of its own.")
    unit_tests_setup: Sources = optional("Runs before each unit test; loads the candidate's code.", default=())
    unit_tests_teardown: Sources = optional("Runs after each unit test.", default=())
    imports: Sources = optional("What examples and unit tests import; the image must have it.", default=())
    language: Language | None = optional("Of programs, examples and unit tests; chooses the image where none is named.")
    setup: Annotated[Any, Late(Setup)] | None = optional("Commands that run in the sandbox before the first check.")
    teardown: Annotated[Any, Late(Commands)] | None = optional("Commands that run after the last check.")
    workspace: Annotated[Any, Late(Workspace)] | None = optional(
        "The tree that it starts from; without it `workspace/` beside the case, else the suite's."
    )
    protect: Globs = optional("Globs of workspace files that are put back before every check.", default=())
    allow: Globs = optional("Globs of files that steer test runners and that submissions may bring.", default=())
    answer_file: WorkspaceFile | None = optional(
        "Where the code of an answer goes that names no file; `solution.py` and so on by default."
    )
    isolation: Literal["apart", "in-process", "auto"] | None = optional(
        "`apart`: graders are another user than the submission, which they start with `candidate`. "
        "`auto`: tests run apart if the reference passes so. Default: the suite's, otherwise `auto`."
    )
    contract: Literal["recorded", "none"] | None = optional(
        "`none`: tests that run apart ask of a submission whatever they like, and not only what they asked of the "
        "reference. Default: the suite's, otherwise `recorded`."
    )
    env: Env = optional("Added to the environment of every command.", default_factory=dict)
    image: WrittenImage | None = optional(
        "What the sandbox is made from; by the language where it is not given.", "workspace.docker.image"
    )
    services: Annotated[Any, Late(Services)] | None = optional(
        "Programs in containers of their own that its sandbox reaches by name, such as a database."
    )
    execution: ExecutionEntry | None = optional("How it is run.")
    limits: LimitsEntry | None = optional("What its sandbox may use.", "execution.limits")
    reference_solution: Source | None = optional(
        "The author's solution: a path, or its text; without it `reference/` beside the case."
    )
    conversation_id: Annotated[WrittenText | None, KEPT] = optional("For people and other programs.")
    description: Annotated[Text, KEPT] = optional("For people.", default="")
    note: Text = optional("For judges and people; never for the candidate.", default="")
    category: Text = optional("Shown in lists and reports.", default="")
    tags: Texts = optional("For `--tag` and `--exclude-tag`.", default=())
    metadata: Annotated[FreeMapping, KEPT] = optional("Whatever else is to be kept.", default_factory=dict)
    depends_on: Listed[Id] = optional("Ids of cases that come before it.", default=())
    on_dependency_failure: Literal["skip", "fail", "run"] = optional(
        "What happens to it when one of them does not pass.", default="skip"
    )
    expect_untouched: Literal["fail", "pass"] = optional(
        "What the workspace gets as it is, for `grade check`.", default="fail"
    )
    exclusive: Flag = optional("Whether nothing else of its run may run meanwhile.", default=False)
    judge: Any = optional("Who judges words: a judge, a list of them, or `judges` and `reduce`.")


class SuiteEntry(AboutEntry):
    """Cases that share a workspace, checks, hooks and settings."""

    elsewhere = _ELSEWHERE

    name: WrittenText = optional("For people; not used otherwise.", default="")
    description: Text = optional("For people; not used otherwise.", default="")
    version: WrittenText = optional("For people; not used otherwise.", default="")
    category: Text = optional("Of each of its cases that has none.", default="")
    tags: Texts = optional("Of each of its cases, too.", default=())
    metadata: Annotated[FreeMapping, KEPT] = optional("Merged into that of each case.", default_factory=dict)
    schema_url: Text = optional("For editors.", "$schema", default="")
    defaults: Free = optional("Whatever YAML anchors are defined in.")
    workspace: Annotated[Any, Late(Workspace)] | None = optional("The tree that its cases start from.")
    image: WrittenImage | None = optional("What their sandboxes are made from.", "workspace.docker.image")
    language: Language | None = optional("Of their examples and unit tests.")
    isolation: Literal["apart", "in-process", "auto"] | None = optional("Of cases that do not say it.")
    contract: Literal["recorded", "none"] | None = optional("Of cases that do not say it.")
    env: Env = optional("Added to the environment of every command.", default_factory=dict)
    execution: SuiteExecutionEntry | None = optional("How its cases are run.", "experiment")
    limits: LimitsEntry | None = optional("What their sandboxes may use.", "execution.limits")
    input: Input | None = optional("Messages before those of each case.", "input_messages")
    input_files: Texts = optional("Those of each case that names none.", default=())
    hooks: HooksEntry | None = optional("Commands around its cases.")
    assertions: list[Any] = optional(
        "Checks after each case's own; under `execution`, a case that has checks there replaces them.",
        "assert",
        "execution.assertions",
        "execution.evaluators",
        "evaluators",
        default_factory=list,
    )
    judge: Any = optional("Who judges words: a judge, a list of them, or `judges` and `reduce`.")
    tests: Any = Field(
        validation_alias=also("evalcases", "eval_cases", "cases"),
        description="The cases: a list, a file, a glob, or a directory of case directories.",
    )
