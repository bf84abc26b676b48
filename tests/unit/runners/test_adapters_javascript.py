"""Which commands are test runners of JavaScript and Julia, and what they become."""

from __future__ import annotations

import pytest
from graders.runners.adapter_heads import Adapter
from graders.runners.adapters import SOURCES, recognise

RUNNERS = {name: name.upper() for name in (f"adapter {source}" for source in SOURCES)}
BUN = "bun --config=/dev/null -e ADAPTER BUN-TEST -- ADAPTER BUN-TEST PRELOAD bun test"
NODE = "node --test-reporter /workspace/.gradebox/node_test_adapter.mjs"
VITEST = "vitest run --reporter /workspace/.gradebox/vitest_adapter.mjs"
JEST = "jest --reporters /workspace/.gradebox/jest_adapter.cjs"
JULIA = "--startup-file=no --history-file=no -e ADAPTER JULIA-TEST --"
TAKEN = {
    "bun test": BUN,
    "bun test tests/a.test.ts -t name": f"{BUN} tests/a.test.ts -t name",
    "node --test": f"{NODE} --test",
    "node --no-warnings --test tests": f"{NODE} --no-warnings --test tests",
    "node --test --test-reporter=tap": (
        f"{NODE} --test-reporter-destination=stderr --test-reporter-destination=stdout --test --test-reporter=tap"
    ),
    "node --test-reporter tap --test-reporter-destination out.tap --test": (
        f"{NODE} --test-reporter-destination=stderr --test-reporter tap --test-reporter-destination out.tap --test"
    ),
    "vitest run": f"{VITEST} --reporter=default",
    "node_modules/.bin/vitest run --reporter=dot a": f"node_modules/.bin/{VITEST} --reporter=dot a",
    "vitest --run": f"{VITEST} --reporter=default --run".replace(" run", "", 1),
    "jest a.test.js": f"{JEST} --reporters=default --logHeapUsage=false a.test.js",
    "jest --reporters=default --ci": f"{JEST} --logHeapUsage=false --reporters=default --ci",
    "julia test/runtests.jl": f"julia {JULIA} test/runtests.jl",
    "julia --project=. -t 2 test/runtests.jl x": f"julia --project=. -t 2 {JULIA} test/runtests.jl x",
}
LEFT = [
    "bun run test", "bun x.ts", "./bun test", "bun test --parallel=2", "bun test --isolate", "bun test --watch",
    "node test.js", "node --test --watch", "node --test --test-isolation=none", "node -e 1 --test", "bin/node --test",
    "node --test --test-reporter=tap --test-reporter=dot --test-reporter-destination=stdout", "vitest", "vitest list",
    "vitest run --help", "vitest watch", "npx vite", "npx tsc jest", "jest --listTests", "yarn vitest run",
    "bunx vitest run", "jest --watch", "julia", "julia main.jl", "julia -e 1 test/runtests.jl",
    "julia -L x.jl test/runtests.jl", "julia -p 2 test/runtests.jl", "./julia test/runtests.jl",
]  # fmt: skip


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_that_is_a_test_runner_runs_through_ours(command: str) -> None:
    adapted = recognise(command.split())
    assert adapted is not None
    assert " ".join(adapted.argv(RUNNERS)) == TAKEN[command]


@pytest.mark.parametrize("command", LEFT)
def test_what_is_not_evidently_one_is_run_as_it_is(command: str) -> None:
    assert recognise(command.split()) is None


@pytest.mark.parametrize("launcher", ["npx", "npx --no-install", "npx -y --", "npm exec --", "pnpm exec"])
@pytest.mark.parametrize("program", ["vitest run", "jest"])
def test_a_launcher_that_would_close_the_report_is_left_out(launcher: str, program: str) -> None:
    adapted = recognise(f"{launcher} {program} a".split())
    assert adapted is not None
    name, *rest = program.split()
    shell, option, line, *words = adapted.argv(RUNNERS)
    assert (shell, option, words[: 1 + len(rest)], words[-1]) == ("sh", "-c", [name, *rest], "a")
    assert 'exec "$0" "$@"' in line


@pytest.mark.parametrize("adapter", [Adapter.BUN_TEST, Adapter.NODE_TEST, Adapter.VITEST, Adapter.JEST])
def test_files_that_are_brought_are_roots_and_out_of_the_way(adapter: Adapter) -> None:
    commands = {Adapter.NODE_TEST: "node --test", Adapter.VITEST: "vitest run", Adapter.JEST: "jest"}
    adapted = recognise(commands.get(adapter, "bun test").split())
    assert adapted is not None
    assert adapted.adapter is adapter
    paths = [entry.path for entry in adapted.delivered(RUNNERS)]
    assert bool(paths) == (adapter is not Adapter.BUN_TEST)
    assert all(path.startswith(".gradebox") for path in paths)
