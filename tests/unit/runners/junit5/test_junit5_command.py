"""Commands that run tests by JUnit 5."""

from __future__ import annotations

import pytest
from recognition import adapted

TAKEN = {
    "junit src grading": "sh -c junit_adapter.sh junit src grading",
    "/usr/local/bin/junit --reports-dir=out .": "sh -c junit_adapter.sh /usr/local/bin/junit --reports-dir=out .",
}


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", ["junit --help", "./junit src", "java -jar junit.jar", "javac src/Sum.java"])
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
