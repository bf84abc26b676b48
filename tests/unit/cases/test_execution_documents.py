"""Hooks, trials and `execution` as other tools write them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gradebox.graders.cases import Loaded
from gradebox.graders.cases.execution_documents import SuiteExecutionEntry
from gradebox.graders.model.case import Case, CommandSpec, Hook, Trials

CHECK = "assertions: [{type: code-grader, command: [make, test]}]\n"


@pytest.mark.parametrize(
    ("written", "trials"),
    [
        ("{count: 3}", Trials(3)),
        ("{count: 3, strategy: mean, cost_limit_usd: 1.5}", Trials(3, "mean", 1.5)),
        ("{count: 1, strategy: confidence_interval, costLimitUsd: 2}", Trials(1, "confidence_interval", 2)),
    ],
)
def test_a_case_says_how_often_it_is_tried(written: str, trials: Trials, case_of: Callable[..., Case]) -> None:
    assert case_of(f"{CHECK}execution: {{trials: {written}}}\n").trials == trials


def test_without_a_word_about_it_a_case_is_tried_once(case_of: Callable[..., Case]) -> None:
    assert case_of(CHECK).trials is None


def test_a_number_of_trials_below_one_is_a_mistake(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text(f"{CHECK}execution: {{trials: {{count: 0}}}}\n")
    assert ["at least 1" in found.message for found in loaded.errors] == [True]


def test_hooks_have_a_deadline_in_milliseconds_and_may_only_reset(case_of: Callable[..., Case]) -> None:
    case = case_of(
        f"{CHECK}workspace:\n  hooks:\n    before_all: {{script: [sh, x.sh], timeout_ms: 1500, reset: fast}}\n"
        "    after_each: {reset: strict}\n"
    )
    command = CommandSpec(("sh", "x.sh"), timeout_seconds=1.5)
    assert case.hooks == (Hook("before_all", "workspace", command, case.directory),)


def test_hooks_may_stand_in_the_workspace_itself(case_of: Callable[..., Case]) -> None:
    case = case_of(f"{CHECK}workspace: {{before_each: {{script: [make], timeout_ms: 5000, cwd: .}}}}\n")
    assert [(hook.when, hook.command) for hook in case.hooks] == [
        ("before_each", CommandSpec(("make",), timeout_seconds=5))
    ]


def test_hooks_can_be_switched_off(case_of: Callable[..., Case]) -> None:
    assert case_of(f"{CHECK}workspace: {{hooks: {{enabled: false, before_each: [make]}}}}\n").hooks == ()


def test_fields_without_an_effect_are_pointed_out(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text(f"{CHECK}execution: {{cache: true, failOnError: true, total_budget_usd: 2}}\n")
    assert [found.message for found in loaded.warnings] == [
        "`cache` has no effect here",
        "`fail_on_error` has no effect here",
        "`budget_usd` has no effect here",
    ]


def test_every_field_of_old_is_known() -> None:
    assert {"trials", "repeat", "budgetUsd", "workers", "evaluators"} <= set(SuiteExecutionEntry.known_keys())
