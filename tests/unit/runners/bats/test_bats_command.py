"""Commands that run bats."""

from __future__ import annotations

import pytest
from recognition import adapted

TAKEN = {
    "bats grading": "sh -c bats_adapter.sh bats grading",
    "/usr/bin/bats --timing a.bats": "sh -c bats_adapter.sh /usr/bin/bats --timing a.bats",
}
LEFT = ["bats --version", "bats -F pretty a.bats", "./bats a.bats", "bash a.bats"]


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
