"""Commands that run PHPUnit."""

from __future__ import annotations

import pytest
from recognition import adapted

TAKEN = {
    "phpunit grading": "php -r phpunit_adapter.php -- phpunit grading",
    "/usr/bin/phpunit --filter Sum tests": "php -r phpunit_adapter.php -- /usr/bin/phpunit --filter Sum tests",
}
LEFT = ["phpunit --version", "phpunit --list-tests", "vendor/bin/phpunit tests", "php tests/SumTest.php"]


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
