"""ScannedCommands of Jest."""

from __future__ import annotations

import pytest
from recognition import adapted

from gradebox.graders.runners.adapter import recognise

JEST = "jest --reporters /workspace/.gradebox/jest_adapter.cjs"
TAKEN = {
    "jest a.test.js": f"{JEST} --reporters=default --ci --logHeapUsage=false a.test.js",
    "jest --reporters=default --ci": f"{JEST} --logHeapUsage=false --reporters=default --ci",
}
LEFT = [
    "npx tsc jest", "jest --listTests", "jest --watch",
]  # fmt: skip


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None


@pytest.mark.parametrize("launcher", ["npx", "npx --no-install", "npx -y --", "npm exec --", "pnpm exec"])
def test_a_launcher_that_would_close_the_report_is_left_out(launcher: str) -> None:
    found = recognise(f"{launcher} jest a".split())
    assert found is not None
    shell, option, line, *words = found.argv()
    assert (shell, option, words[:1], words[-1]) == ("sh", "-c", ["jest"], "a")
    assert 'exec "$0" "$@"' in line


def test_its_reporter_is_roots_and_out_of_the_way() -> None:
    found = recognise(["jest"])
    assert found is not None
    assert [entry.path for entry in found.delivered()] == [".gradebox", ".gradebox/jest_adapter.cjs"]
