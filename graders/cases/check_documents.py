"""How checks are written in a case file: what all of them have in common, and the fields of each type."""

from __future__ import annotations

from posixpath import normpath
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, WithJsonSchema

from graders.checks import patterns
from graders.cases.command_documents import Commands, OneCommand
from graders.cases.documents import Items, Language
from graders.documents.entries import Entry
from graders.documents.fields import (
    Count,
    Env,
    Flag,
    Fraction,
    FreeMapping,
    Name,
    Seconds,
    Sources,
    Text,
    Texts,
    Weight,
    WorkspaceFile,
    WorkspacePath,
    refused,
    truth,
)


def _required(value: Any, info: ValidationInfo) -> bool | float:
    scalar = truth(value, info)
    if isinstance(scalar, bool):
        return scalar
    if not isinstance(scalar, (int, float)):
        raise refused("must be true, false or the score that is needed", "Write `true`, or a number such as 0.8.")
    if not 0 <= scalar <= 1:
        raise refused(f"must lie between 0 and 1, not at {scalar:g}", "Write `true`, or a number such as 0.8.")
    return float(scalar)


def _regex(text: str) -> str:
    try:
        patterns.compiled(text)
    except patterns.PatternFault as fault:
        raise refused(f"is not a regular expression: {fault.__cause__}", "Check brackets and backslashes.") from None
    return text


def _one_line(text: str) -> str:
    if not text.isprintable():
        raise refused("must be one line of printable text", "Write a shorter name.")
    return text


Required = Annotated[Any, BeforeValidator(_required), WithJsonSchema({"type": ["boolean", "number"]})]
Regex = Annotated[Text, AfterValidator(_regex)]
CheckName = Annotated[Name, AfterValidator(_one_line)]


class CheckEntry(Entry):
    """What every check may say."""

    kind: ClassVar[str] = "check"

    type: Text
    name: CheckName | None = Field(default=None, description="Unique in the case; the type where it is not given.")
    weight: Weight = Field(default=1.0, description="Its share of the score.")
    required: Required = Field(default=False, description="Whether missing it fails the verdict; or the score needed.")
    min_score: Fraction | None = Field(default=None, description="The score at which a required check is met.")
    negate: Flag = Field(default=False, description="Whether its score is turned round.")
    timeout_seconds: Seconds | None = Field(default=None, description="Deadline of each of its commands.")
    env: Env = Field(default_factory=dict, description="Added to the environment of its commands.")
    cwd: WorkspacePath | None = Field(default=None, description="Where its commands run, relative to the workspace.")


class ExpectEntry(Entry):
    """What narrows "exit status 0"."""

    exit_code: Annotated[Count, Field(ge=0, le=255)] = 0
    stdout: Text | None = None
    stderr: Text | None = None
    stdout_regex: Regex | None = None


def _writable(path: str) -> str:
    if path.partition("/")[0] == "grading":
        raise refused("must not lie in `grading`, where no command can write", "Write it to the workspace itself.")
    return path


ReportPath = Annotated[WorkspaceFile, AfterValidator(normpath), AfterValidator(_writable)]


class ReportEntry(Entry):
    """A report on each test, which the command writes."""

    format: Literal["junit", "ctrf", "tap"]
    path: ReportPath
    must_pass: Texts = Field(default_factory=list, description="The tests that count; each of them is a gate, too.")
    must_exist: Texts = Field(default_factory=list, description="Tests that have failed if they did not run.")


class CodeGraderEntry(CheckEntry):
    """A command that judges the workspace."""

    kind: ClassVar[str] = "code-grader"

    command: OneCommand
    setup: Commands | None = None
    teardown: Commands | None = None
    protocol: Literal["exit", "json"] | None = None
    expect: ExpectEntry | None = None
    control: OneCommand | None = Field(default=None, description="A command that must fail in the same state.")
    report: ReportEntry | None = None
    adapter: Literal["auto", "none", "pytest", "unittest", "bun-test", "node-test", "vitest", "jest", "julia-test"] = (
        "auto"
    )
    config: FreeMapping = Field(default_factory=dict, description="Given to the command as `config`.")


class ItemsEntry(CheckEntry):
    """Examples or unit tests; what is not said here is the case's."""

    kind: ClassVar[str] = "items"

    items: Items | None = None
    language: Language | None = None
    setup: Sources | None = None
    teardown: Sources | None = None
    imports: Sources | None = None
    isolation: Literal["process", "shared"] = "process"
