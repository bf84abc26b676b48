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

_OWN_COPY = "Has no effect: each case has its own copy of the workspace."
# Marks a field that does not affect grading: lists, verdicts and reports show it, and `--where` selects by it. Do not
# use it for data that candidates must not see, since reports are passed on.
KEPT = object()


class AboutEntry(Entry):
    """The fields about the origin of a case, or of every case of a suite."""

    author: Annotated[Texts, KEPT] = optional("Who wrote it.", default=())
    license: Annotated[WrittenText, KEPT] = optional("The terms of use.", default="")
    requires: Annotated[Free, KEPT] = optional("Requirements, for people.")
    governance: Annotated[FreeMapping, KEPT] = optional("Owner, risks and similar facts.", default_factory=dict)
    dataset: Annotated[WrittenText, KEPT] = optional("The data set that it belongs to.", "suite", default="")
    evaluator: Text = optional("Has no effect: a case is judged by its checks.", default="")
    preprocessors: list[PreprocessorEntry] = optional(
        "Commands that convert files named in messages to text.", default_factory=list
    )

    def about(self) -> dict[str, Any]:
        """Return the fields marked with KEPT that the file has, by name."""
        return {name: getattr(self, name) for name in _kept(type(self)) if name in self.model_fields_set}


@cache
def _kept(model: type[AboutEntry]) -> tuple[str, ...]:
    return tuple(name for name, field in model.model_fields.items() if KEPT in field.metadata)


# The surroundings of a case


class DockerEntry(Entry):
    """The mapping `workspace.docker`; its fields are other names of `image` and `limits`."""

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        return spelled_in("workspace.docker")


_HOOKS_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    f"hooks.{when}": (when,) for when in HooksEntry.model_fields if when != "enabled"
}


class WorkspaceEntry(Entry):
    """The files that a case starts from, and its hooks and environment."""

    elsewhere = _HOOKS_ELSEWHERE

    template: Name | None = optional("A directory.")
    path: Name | None = optional("Another name of `template`, for `mode: static`.")
    isolation: Literal["per_case", "per_test", "shared"] | None = optional(_OWN_COPY)
    mode: Literal["pooled", "temp", "static"] | None = optional(_OWN_COPY)
    scope: Literal["suite", "attempt"] | None = optional(_OWN_COPY)
    repos: list[Free] = optional("Repositories; this version does not fetch them.", default_factory=list)
    hooks: HooksEntry | None = optional("Commands that run before and after cases.")
    docker: DockerEntry | None = optional("Other names of the image and the limits.")
    env: Env = optional("Variables that are added to the environment of every command.", default_factory=dict)


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

    id: Id | None = optional("Unique in the suite. Default: the directory's name.")
    criteria: Texts = optional("What a successful solution does, in words.", "expected_outcome", "outcome", default=())
    vars: FreeMapping = optional(
        "Values that replace `{{name}}` in the texts of this case; unknown names stay as they are.",
        default_factory=dict,
    )
    input: Input | None = optional("The task.", "input_messages")
    input_files: Texts = optional("Files that precede the task in the input, if `input` is one text.", default=())
    expected_output: Annotated[Any, Late(ExpectedOutput)] | None = optional(
        "The reference answer.", "expected_messages", "reference_answer"
    )
    mode: Literal["conversation"] | None = optional("`conversation` for a case with `turns`.")
    turns: Annotated[Any, Late(Annotated[list[TurnEntry], Field(min_length=1)])] | None = optional(
        "The user's messages in order, with checks of each answer."
    )
    aggregation: Literal["mean", "min", "max"] = optional("How the scores of the turns are combined.", default="mean")
    on_turn_failure: Literal["continue", "stop"] = optional(
        "Whether the turns after a failed one are judged.", default="continue"
    )
    window_size: Annotated[Count, Field(ge=1)] | None = optional(
        "How many of the last turns a judge reads. Default: all."
    )
    assertions: list[Any] = optional(
        "The checks.", "assert", "execution.assertions", "execution.evaluators", "evaluators", default_factory=list
    )
    rubrics: Annotated[Any, Late(RubricList)] | None = optional("Criteria for a judge, or for commands and checks.")
    examples: ItemList | None = optional(
        "Pieces of source code that must run without an error, each in its own process."
    )
    examples_setup: Sources = optional("Runs before each example; loads the candidate's code.", default=())
    examples_teardown: Sources = optional("Runs after each example.", default=())
    unit_tests: ItemList | None = optional("Like `examples`, but as a separate check.")
    unit_tests_setup: Sources = optional("Runs before each unit test; loads the candidate's code.", default=())
    unit_tests_teardown: Sources = optional("Runs after each unit test.", default=())
    imports: Sources = optional("Modules that examples and unit tests import; the image must contain them.", default=())
    language: Language | None = optional(
        "Language of programs, examples and unit tests. It selects the image if `image` is missing."
    )
    setup: Annotated[Any, Late(Setup)] | None = optional("Commands that run in the sandbox before the first check.")
    teardown: Annotated[Any, Late(Commands)] | None = optional("Commands that run after the last check.")
    workspace: Annotated[Any, Late(Workspace)] | None = optional(
        "The files that the case starts from. Default: `workspace/` beside the case, else the suite's."
    )
    protect: Globs = optional("Globs of workspace files that are restored before every check.", default=())
    allow: Globs = optional(
        "Globs of files that a submission may bring although they configure test runners.", default=()
    )
    answer_file: WorkspaceFile | None = optional(
        "The file that gets the code of an answer without a file name. Default: by language, such as `solution.py`."
    )
    isolation: Literal["apart", "in-process", "auto"] | None = optional(
        "`apart`: graders run as another user than the submission and start it with `candidate`. `auto`: tests run"
        " apart if the reference passes that way. Default: the suite's, otherwise `auto`."
    )
    contract: Literal["recorded", "exact", "none"] | None = optional(
        "`recorded`: tests that run apart may request of a submission only what they requested of the reference. "
        "`exact`: a test also passes only with the answers that the reference gave. `none`: they may request anything. "
        "Default: the suite's, otherwise `recorded`."
    )
    env: Env = optional("Variables that are added to the environment of every command.", default_factory=dict)
    image: WrittenImage | None = optional(
        "The image of the sandbox. Default: by the language.", "workspace.docker.image"
    )
    services: Annotated[Any, Late(Services)] | None = optional(
        "Programs in their own containers, such as a database; the sandbox reaches them by name."
    )
    execution: ExecutionEntry | None = optional("How the case is run.")
    limits: LimitsEntry | None = optional("Resource limits of the sandbox.", "execution.limits")
    reference_solution: Source | None = optional(
        "The author's solution: a path, or its text. Default: `reference/` beside the case."
    )
    conversation_id: Annotated[WrittenText | None, KEPT] = optional("For people and other programs.")
    description: Annotated[Text, KEPT] = optional("For people.", default="")
    note: Text = optional("For judges and people; never for the candidate.", default="")
    category: Text = optional("Shown in lists and reports.", default="")
    tags: Texts = optional("For `--tag` and `--exclude-tag`.", default=())
    metadata: Annotated[FreeMapping, KEPT] = optional("Any other data to keep with the case.", default_factory=dict)
    depends_on: Listed[Id] = optional("Ids of the cases that must be graded before this one.", default=())
    on_dependency_failure: Literal["skip", "fail", "run"] = optional(
        "What happens to the case if one of `depends_on` does not pass.", default="skip"
    )
    expect_untouched: Literal["fail", "pass"] = optional(
        "The verdict that `grade check` expects of the untouched workspace.", default="fail"
    )
    exclusive: Flag = optional("Whether the run grades nothing else while it grades this case.", default=False)
    judge: Any = optional("Who judges criteria in words: a judge, a list of judges, or `judges` and `reduce`.")


class SuiteEntry(AboutEntry):
    """Cases that share a workspace, checks, hooks and settings."""

    elsewhere = _ELSEWHERE

    name: WrittenText = optional("For people; not used otherwise.", default="")
    description: Text = optional("For people; not used otherwise.", default="")
    version: WrittenText = optional("For people; not used otherwise.", default="")
    category: Text = optional("Category of each of its cases that has none.", default="")
    tags: Texts = optional("Tags that are added to each of its cases.", default=())
    metadata: Annotated[FreeMapping, KEPT] = optional("Merged into the metadata of each case.", default_factory=dict)
    schema_url: Text = optional("The JSON Schema for editors.", "$schema", default="")
    defaults: Free = optional("Has no effect: a place to define YAML anchors.")
    workspace: Annotated[Any, Late(Workspace)] | None = optional("The files that its cases start from.")
    image: WrittenImage | None = optional("The image of their sandboxes.", "workspace.docker.image")
    language: Language | None = optional("Language of their examples and unit tests.")
    isolation: Literal["apart", "in-process", "auto"] | None = optional("The value for cases that do not set it.")
    contract: Literal["recorded", "exact", "none"] | None = optional("The value for cases that do not set it.")
    env: Env = optional("Variables that are added to the environment of every command.", default_factory=dict)
    execution: SuiteExecutionEntry | None = optional("How its cases are run.", "experiment")
    limits: LimitsEntry | None = optional("Resource limits of their sandboxes.", "execution.limits")
    input: Input | None = optional("Messages before those of each case.", "input_messages")
    input_files: Texts = optional("Files for each case that has no `input_files`.", default=())
    hooks: HooksEntry | None = optional("Commands that run before and after its cases.")
    assertions: list[Any] = optional(
        "Checks that follow each case's own. Those under `execution` are replaced by a case's own checks under "
        "`execution`.",
        "assert",
        "execution.assertions",
        "execution.evaluators",
        "evaluators",
        default_factory=list,
    )
    judge: Any = optional("Who judges criteria in words: a judge, a list of judges, or `judges` and `reduce`.")
    tests: Any = Field(
        validation_alias=also("evalcases", "eval_cases", "cases"),
        description="The cases: a list, a file, a glob, or a directory of case directories.",
    )
