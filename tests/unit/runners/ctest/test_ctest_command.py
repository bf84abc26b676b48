"""Commands that run CTest."""

from __future__ import annotations

import pytest
from recognition import adapted

TAKEN = {
    "ctest --test-dir build": "sh -c ctest_adapter.sh ctest /workspace/.gradebox/gradebox_main.c --test-dir build",
    "ctest -R sum": "sh -c ctest_adapter.sh ctest /workspace/.gradebox/gradebox_main.c -R sum",
}
LEFT = ["ctest -N", "ctest --show-only=json-v1", "ctest -Q", "ctest --version", "./ctest", "cmake --build build"]


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
