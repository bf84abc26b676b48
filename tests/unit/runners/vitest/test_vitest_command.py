"""ScannedCommands of Vitest."""

from __future__ import annotations

import pytest
from recognition import adapted

from gradebox.graders.runners.adapter import recognise

VITEST = "vitest run --reporter /workspace/.gradebox/vitest_adapter.mjs"
TAKEN = {
    "vitest run": f"{VITEST} --reporter=default",
    "node_modules/.bin/vitest run --reporter=dot a": f"node_modules/.bin/{VITEST} --reporter=dot a",
    "vitest --run": f"{VITEST} --reporter=default --run".replace(" run", "", 1),
}
LEFT = [
    "vitest", "vitest list", "vitest run --help", "vitest watch", "npx vite", "yarn vitest run", "bunx vitest run",
]  # fmt: skip


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_of_it_runs_through_the_adapter(command: str) -> None:
    assert adapted(command) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_runs_no_tests_or_is_another_program_is_run_as_it_is(command: str) -> None:
    assert adapted(command) is None


@pytest.mark.parametrize("launcher", ["npx", "npx --no-install", "npx -y --", "npm exec --", "pnpm exec"])
def test_a_launcher_that_would_close_the_report_is_left_out(launcher: str) -> None:
    found = recognise(f"{launcher} vitest run a".split())
    assert found is not None
    shell, option, line, *words = found.argv()
    assert (shell, option, words[:2], words[-1]) == ("sh", "-c", ["vitest", "run"], "a")
    assert 'exec "$0" "$@"' in line


def test_its_reporter_is_roots_and_out_of_the_way() -> None:
    found = recognise(["vitest", "run"])
    assert found is not None
    assert [entry.path for entry in found.delivered()] == [".gradebox", ".gradebox/vitest_adapter.mjs"]
