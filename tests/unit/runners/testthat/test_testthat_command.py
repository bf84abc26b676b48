"""Commands that run testthat."""

from __future__ import annotations

import pytest
from recognition import adapted

from gradebox.graders.model.plan import Role, Step
from gradebox.graders.runners.adapter import AUTO, adapt
from gradebox.sandbox.types import WORKSPACE

ADAPTER = "sh -c testthat_adapter.sh Rscript"
CALLS = ['testthat::test_dir("grading")', "library(testthat); test_file('grading/test-a.R', reporter = 'tap')"]
LEFT = [
    ["Rscript", "-e", "testthat::test_dir('a'); quit()"],
    ["Rscript", "-e", "print(1)"],
    ["Rscript", "tests/testthat.R"],
    ["Rscript", "--version", "-e", CALLS[0]],
    ["Rscript", "-e", "1", "-e", CALLS[0]],
    ["bin/Rscript", "-e", CALLS[0]],
    ["Rscript"],
]


@pytest.mark.parametrize("call", CALLS)
def test_a_command_of_it_runs_through_the_adapter(call: str) -> None:
    assert adapted(["Rscript", "-e", call]) == f"{ADAPTER} /dev/fd/8 {call}"
    assert adapted(["Rscript", "--vanilla", "-e", call]) == f"{ADAPTER} --vanilla /dev/fd/8 {call}"


def test_the_tests_that_a_call_names_are_delivered() -> None:
    step = Step(Role.CHECK, "check", ("Rscript", "-e", CALLS[1]), WORKSPACE, 1.0, mentions=("x",))
    assert adapt(step, AUTO).mentions == ("x", "grading/test-a.R")


def test_a_line_of_the_shell_runs_through_the_adapter() -> None:
    assert adapted(["sh", "-c", f"cd grading && Rscript -e '{CALLS[0]}'"]) is not None


@pytest.mark.parametrize("words", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(words: list[str]) -> None:
    assert adapted(words) is None
