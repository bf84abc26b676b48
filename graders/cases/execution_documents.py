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
    """A command that runs before or after cases."""

    command: CommandLine | None = optional(
        "A list of words, or a line for `sh -c`. Without a command, nothing runs.", "script"
    )
    timeout_seconds: Seconds | None = optional("Time limit of the hook.")
    timeout_ms: Annotated[Number, Field(gt=0, le=86_400_000)] | None = optional(
        "The same in milliseconds.", "timeoutMs"
    )
    cwd: WorkspacePath | None = optional("Where it runs, relative to the workspace.")
    env: Env = optional("Variables that are added to its environment.", default_factory=dict)
    reset: Literal["none", "fast", "strict"] | None = optional(
        "Has no effect: each case starts from its own copy of the workspace."
    )


Hook = Annotated[
    Annotated[ShellText, Tag("|text")] | Annotated[Argv, Tag("|list")] | Annotated[HookEntry, Tag("|mapping")],
    by_shape("must be a command", "text", "list", "mapping"),
]


class HooksEntry(Entry):
    """Commands that run before and after all cases, and before and after each case."""

    enabled: Flag = optional("Whether the hooks run.", default=True)
    before_all: Hook | None = optional("Runs before the first case.")
    before_each: Hook | None = optional("Runs before each case is judged.")
    after_each: Hook | None = optional("Runs after each case was judged.")
    after_all: Hook | None = optional("Runs after the last case.")


class TargetEntry(Entry):
    """A target that a suite or a case is run with."""

    name: Name = Field(description="Shown in reports.")
    use_target: Text | None = optional("The name of the target definition, if it differs from `name`.")
    hooks: HooksEntry | None = optional("Commands that run before and after its cases.")


Targets = list[
    Annotated[
        Annotated[Name, Tag("|text")] | Annotated[TargetEntry, Tag("|mapping")],
        by_shape("must be a name or a mapping", "text", "mapping"),
    ]
]


class TrialsEntry(Entry):
    """How often a case is tried, and how the tries are combined."""

    count: Annotated[Count, Field(ge=1, le=1000)] = Field(description="The number of tries.")
    strategy: Literal["pass_at_k", "pass_all", "mean", "confidence_interval"] = optional(
        "How tries are combined: the best, the worst, the mean, or the lower end of the mean's 95 % interval.",
        default="pass_at_k",
    )
    cost_limit_usd: Dollars | None = optional(
        "No further try starts once the tries have cost this much.", "costLimitUsd"
    )


class ExecutionEntry(Entry):
    """How a case is run."""

    timeout_seconds: Annotated[Seconds, Field(ge=1, le=3600)] | None = optional(
        "Time limit of the whole case. A command counts its processor time, or half of its wall time if that is more."
    )
    threshold: Fraction | None = optional("The score from which it passes.")
    target: Name | None = optional("The only target to run with.")
    targets: Annotated[Any, Late(Targets)] | None = optional("The targets to run with; each gets its own verdict.")
    skip_defaults: Flag | None = optional("Whether the suite's checks and input are left out.")
    trials: TrialsEntry | None = optional("How often each case is tried.", "repeat")
    cache: Free = optional("Has no effect: use `--reuse` to take earlier verdicts.")
    fail_on_error: Free = optional("Has no effect: an error never counts as a score.", "failOnError")
    budget_usd: Dollars | None = optional(
        "Has no effect: each target limits its own spending.", "budgetUsd", "total_budget_usd", "totalBudgetUsd"
    )

    @classmethod
    def known_keys(cls) -> tuple[str, ...]:
        return (*super().known_keys(), *spelled_in("execution"))


class SuiteExecutionEntry(ExecutionEntry):
    """How the cases of a suite are run."""

    workers: Annotated[Count, Field(ge=1, le=256)] | None = optional(
        "How many cases run at the same time, if the engine's memory allows it. `--jobs` overrides it."
    )
