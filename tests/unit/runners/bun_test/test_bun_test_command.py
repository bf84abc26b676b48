"""ScannedCommands of Bun's test runner."""

from __future__ import annotations

import pytest
from recognition import adapted

from gradebox.graders.runners.adapter import recognise

BUN = "bun --config=/dev/null --tsconfig-override=/dev/null -e bun_test_adapter.ts -- bun_test_preload.mjs bun test"
TAKEN = {"bun test": BUN, "bun test tests/a.test.ts -t name": f"{BUN} tests/a.test.ts -t name"}
LEFT = [
    "bun run test", "bun x.ts", "./bun test", "bun test --parallel=2", "bun test --isolate", "bun test --watch",
]  # fmt: skip


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None


def test_no_file_is_delivered() -> None:
    found = recognise(["bun", "test"])
    assert found is not None
    assert (found.runner.name, found.delivered()) == ("bun-test", ())
