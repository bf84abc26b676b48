"""Commands that run RSpec."""

from __future__ import annotations

import pytest
from recognition import adapted

TAKEN = {
    "rspec": "ruby -e rspec_adapter.rb --",
    "rspec --format doc spec/sum_spec.rb": "ruby -e rspec_adapter.rb -- --format doc spec/sum_spec.rb",
}


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", ["rspec --version", "rspec --bisect=1", "bin/rspec", "ruby spec/sum_spec.rb"])
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
