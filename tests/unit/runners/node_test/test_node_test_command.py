"""ScannedCommands of the test runner of Node.js."""

from __future__ import annotations

import pytest
from recognition import adapted

from gradebox.graders.runners.adapter import recognise

NODE = "node --test-reporter /workspace/.gradebox/node_test_adapter.mjs"
TAKEN = {
    "node --test": f"{NODE} --test",
    "node --no-warnings --test tests": f"{NODE} --no-warnings --test tests",
    "node --test --test-reporter=tap": (
        f"{NODE} --test-reporter-destination=stderr --test-reporter-destination=stdout --test --test-reporter=tap"
    ),
    "node --test-reporter tap --test-reporter-destination out.tap --test": (
        f"{NODE} --test-reporter-destination=stderr --test-reporter tap --test-reporter-destination out.tap --test"
    ),
}
LEFT = [
    "node test.js", "node --test --watch", "node --test --test-isolation=none", "node -e 1 --test", "bin/node --test",
    "node --test --test-reporter=tap --test-reporter=dot --test-reporter-destination=stdout",
]  # fmt: skip


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None


def test_its_files_are_roots_and_out_of_the_way() -> None:
    found = recognise(["node", "--test"])
    assert found is not None
    assert [entry.path for entry in found.delivered()] == [
        ".gradebox",
        ".gradebox/node_test_adapter.mjs",
        ".gradebox/node_test_preload.cjs",
    ]
