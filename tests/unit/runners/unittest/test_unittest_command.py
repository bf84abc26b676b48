"""ScannedCommands of unittest."""

from __future__ import annotations

import pytest
from recognition import adapted

MODULE = "-c unittest_adapter.py -m unittest"
TAKEN = {
    "python3 -m unittest discover -s t": f"python3 {MODULE} discover -s t",
    "timeout -k 5 60 python3 -m unittest": f"timeout -k 5 60 python3 {MODULE}",
}
LEFT = [
    "python3 -m unittest -h", "unittest", "python3 -m unittest2", "bin/python3 -m unittest",
]  # fmt: skip


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
