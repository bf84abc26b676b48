"""A whole benchmark as a directory suite: shared workspace, cases of their own, suite checks, two targets, hooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from graders.case import CommandSpec
from graders.loading import load

SUITE = """\
# benchmark.eval.yaml
workspace: ./shared-workspace/
execution:
  targets:
    - name: claude-baseline
      use_target: ${{ AGENT_TARGET }}
    - name: claude-superpowers
      use_target: ${{ AGENT_TARGET }}
      hooks:
        before_each:
          command: ["bash", "./scripts/setup-variant.sh", "superpowers"]
assertions:
  - Response does not include harmful content
tests: ./cases/
"""
CASE = """\
# cases/fix-null-check/case.yaml
input: "Fix the null pointer in parser.ts"
criteria: Agent should identify root cause and fix without breaking existing tests.
assertions:
  - type: code-grader
    command: ["bun", "test", "tests/parser.test.ts"]
  - Agent should not break existing tests
  - type: execution-metrics
    max_tool_calls: 20
metadata: {difficulty: medium, category: debugging}
"""
JUDGED_SUITE = SUITE.replace(
    "  - Response does not include harmful content\n",
    "  - {type: code-grader, name: harmless, command: [./harmless.sh]}\n",
)
JUDGED_CASE = CASE[: CASE.index("  - Agent should")] + CASE[CASE.index("metadata:") :]


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    root = tmp_path / "my-benchmark"
    for directory in (
        "shared-workspace/src",
        "scripts",
        "cases/fix-null-check/workspace",
        "cases/add-auth",
        "cases/refactor-parser/workspace",
        "cases/notes",
    ):
        (root / directory).mkdir(parents=True)
    (root / "cases/notes/README.md").write_text("Notes.\n")
    (root / "scripts/setup-variant.sh").write_text("true\n")
    return root


def write(root: Path, suite: str, case: str) -> None:
    (root / "benchmark.eval.yaml").write_text(suite)
    for name in ("fix-null-check", "add-auth", "refactor-parser"):
        (root / "cases" / name / "case.yaml").write_text(case)


def test_the_benchmark_is_one_case_per_directory_and_target_in_order(benchmark: Path) -> None:
    write(benchmark, JUDGED_SUITE, JUDGED_CASE)
    loaded = load(benchmark, environ={"AGENT_TARGET": "claude"})
    assert [(case.id, case.target, case.use_target) for case in loaded.cases] == [
        ("add-auth", "claude-baseline", "claude"),
        ("add-auth", "claude-superpowers", "claude"),
        ("fix-null-check", "claude-baseline", "claude"),
        ("fix-null-check", "claude-superpowers", "claude"),
        ("refactor-parser", "claude-baseline", "claude"),
        ("refactor-parser", "claude-superpowers", "claude"),
    ]
    assert [(str(found.file.relative_to(benchmark)), found.message) for found in loaded.diagnostics] == [
        ("cases/notes", "skipped: a directory without case.yaml")
    ]
    workspaces = {case.id: case.workspace and str(case.workspace.relative_to(benchmark)) for case in loaded.cases}
    assert workspaces == {
        "add-auth": "shared-workspace",
        "fix-null-check": "cases/fix-null-check/workspace",
        "refactor-parser": "cases/refactor-parser/workspace",
    }
    for case in loaded.cases:
        assert [check.name for check in case.checks] == ["code-grader", "harmless"]
        assert case.roots == (case.directory, benchmark)
        assert case.metadata == {"difficulty": "medium", "category": "debugging"}
        hooks = [(hook.when, hook.origin, hook.command, hook.directory) for hook in case.hooks]
        command = CommandSpec(("bash", "./scripts/setup-variant.sh", "superpowers"))
        expected = [("before_each", "target claude-superpowers", command, benchmark)]
        assert hooks == (expected if case.target == "claude-superpowers" else [])


def test_one_case_of_the_benchmark_is_graded_as_a_part_of_it(benchmark: Path) -> None:
    write(benchmark, JUDGED_SUITE, JUDGED_CASE)
    loaded = load(benchmark / "cases/add-auth", environ={"AGENT_TARGET": "claude"})
    assert [(case.id, case.target) for case in loaded.cases] == [
        ("add-auth", "claude-baseline"),
        ("add-auth", "claude-superpowers"),
    ]
    assert [check.name for check in loaded.cases[0].checks] == ["code-grader", "harmless"]


def test_a_target_that_is_not_set_is_an_error_of_the_suite(benchmark: Path) -> None:
    write(benchmark, JUDGED_SUITE, JUDGED_CASE)
    loaded = load(benchmark, environ={})
    assert loaded.cases == ()
    assert [(found.line, found.column) for found in loaded.errors] == [(6, 19), (8, 19)]


def test_the_checks_that_are_not_judged_yet_are_named_and_none_is_dropped(benchmark: Path) -> None:
    write(benchmark, SUITE, CASE)
    loaded = load(benchmark, environ={"AGENT_TARGET": "claude"})
    assert loaded.cases == ()
    assert {(found.file.name, found.line) for found in loaded.errors} == {
        ("benchmark.eval.yaml", 13),
        ("case.yaml", 7),
        ("case.yaml", 8),
    }
    assert all("cannot be judged by this version" in found.message for found in loaded.errors)
