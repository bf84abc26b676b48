"""Commands that run Rust's tests."""

from __future__ import annotations

import pytest
from recognition import adapted

ADAPTER = "sh -c cargo_test_adapter.sh cargo /workspace/.gradebox/gradebox_main.c"
TAKEN = {"cargo test": ADAPTER, "cargo t --test sum -- --nocapture": f"{ADAPTER} --test sum -- --nocapture"}
LEFT = [
    "cargo",
    "cargo build",
    "cargo test --no-run",
    "cargo test -- --list",
    "cargo test --config x=1",
    "cargo test --target=wasm32",
    "./cargo test",
]


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None
