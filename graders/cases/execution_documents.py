"""The pydantic models for running cases: hooks, targets, trials and `execution`.

Hooks and fields that have no effect here are also accepted, because files of other tools have them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Tag

from gradebox.graders.documents.commands import Argv, CommandLine
from gradebox.graders.documents.entries import Entry, Late, by_shape, optional, spelled_in
from gradebox.graders.documents.fields import (
    Count,
    Env,
    Flag,
    Fraction,
    Free,
    Name,
    Number,
    Seconds,
    ShellText,
    Text,
    WorkspacePath,
)

Dollars = Annotated[Number, Field(ge=0)]


class HookEntry(Entry):
    """A command around cases."""

    command: CommandLine | None = optional("Words, or a line for `sh -c`; nothing runs without.", "script")
    timeout_seconds: Seconds | None = optional("Its own deadline.")
    timeout_ms: Annotated[Number, Field(gt=0, le=86_400_000)] | None = optional(
        "The same in milliseconds.", "timeoutMs"
    )
    cwd: WorkspacePath | None = optional("Where it runs, relative to the workspace.")
    env: Env = optional("Added to its environment.", default_factory=dict)
    reset: Literal["none", "fast", "strict"] | None = optional(
        "Each case starts from its own copy of the workspace, whatever is written here."
    )


Hook = Annotated[
    Annotated[ShellText, Tag("|text")] | Annotated[Argv, Tag("|list")] | Annotated[HookEntry, Tag("|mapping")],
    by_shape("must be a command", "text", "list", "mapping"),
]


class HooksEntry(Entry):
    """Commands around all cases and around each."""

    enabled: Flag = optional("Whether they run.", default=True)
    before_all: Hook | None = optional("Before the first case.")
    before_each: Hook | None = optional("Before each case is judged.")
    after_each: Hook | None = optional("After each case was judged.")
    after_all: Hook | None = optional("After the last case.")


class TargetEntry(Entry):
    """A target that a suite or a case is run with."""

    name: Name = Field(description="Shown in reports.")
    use_target: Text | None = optional("The definition that it stands for, where that has another name.")
    hooks: HooksEntry | None = optional("Commands around its cases.")


Targets = list[
    Annotated[
        Annotated[Name, Tag("|text")] | Annotated[TargetEntry, Tag("|mapping")],
        by_shape("must be a name or a mapping", "text", "mapping"),
    ]
]


class TrialsEntry(Entry):
    """How often a case is tried, and what its tries come to."""

    count: Annotated[Count, Field(ge=1, le=1000)] = Field(description="How many tries there are.")
    strategy: Literal["pass_at_k", "pass_all", "mean", "confidence_interval"] = optional(
        "The best try, the worst, their mean, or the lower end of the 95 % interval of the mean.", default="pass_at_k"
    )
    cost_limit_usd: Dollars | None = optional("The tries end when they have cost this much.", "costLimitUsd")


class ExecutionEntry(Entry):
    """How a case is run."""

    timeout_seconds: Annotated[Seconds, Field(ge=1, le=3600)] | None = optional(
        "Processor time of the whole case; half of the time in which it waits counts."
    )
    threshold: Fraction | None = optional("The score at which it passes.")
    target: Name | None = optional("The one target that it is run with.")
    targets: Annotated[Any, Late(Targets)] | None = optional(
        "The targets that it is run with, each with a verdict of its own."
    )
    skip_defaults: Flag | None = optional("Whether the suite's checks and input are left out.")
    trials: TrialsEntry | None = optional("How often it is tried.", "repeat")
    cache: Free = optional("Has no effect: `--reuse` takes earlier verdicts.")
    fail_on_error: Free = optional("Has no effect: an error is never a score.", "failOnError")
    budget_usd: Dollars | None = optional(
        "Has no effect: what a target spends is its own limit.", "budgetUsd", "total_budget_usd", "totalBudgetUsd"
    )

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        return (*super().known_keys(), *spelled_in("execution"))


class SuiteExecutionEntry(ExecutionEntry):
    """How the cases of a suite are run."""

    workers: Annotated[Count, Field(ge=1, le=256)] | None = optional(
        "Cases at a time, as far as the engine's memory goes, unless `--jobs` says."
    )
