"""ScannedCommands that run Julia's tests."""

from __future__ import annotations

import pytest
from recognition import adapted

JULIA = "--startup-file=no --history-file=no -e julia_test_adapter.jl --"
TAKEN = {
    "julia test/runtests.jl": f"julia {JULIA} test/runtests.jl",
    "julia --project=. -t 2 test/runtests.jl x": f"julia --project=. -t 2 {JULIA} test/runtests.jl x",
}
LEFT = [
    "julia", "julia main.jl", "julia -e 1 test/runtests.jl", "julia -L x.jl test/runtests.jl",
    "julia -p 2 test/runtests.jl", "./julia test/runtests.jl",
]  # fmt: skip


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
