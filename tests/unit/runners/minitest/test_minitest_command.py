"""Commands that run minitest's tests."""

from __future__ import annotations

import pytest
from recognition import adapted

ADAPTER = "ruby -e minitest_adapter.rb --"
TAKEN = {
    "ruby test/test_sum.rb": f"{ADAPTER} test/test_sum.rb",
    "ruby -Ilib -I test -w sum_test.rb -n adds": f"{ADAPTER} -Ilib -I test -w sum_test.rb -n adds",
}
LEFT = ["ruby", "ruby sum.rb", "ruby -e 1 sum_test.rb", "ruby sum_test.rb --help", "bin/ruby sum_test.rb", "ruby -I"]


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
