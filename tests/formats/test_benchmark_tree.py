"""A whole benchmark as a directory suite: shared workspace, cases of their own, suite checks, two targets, hooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.cases import load
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.llm_grader import LlmGrader
from gradebox.graders.checks.transcript.execution_metrics import ExecutionMetrics
from gradebox.graders.model.case import CommandSpec


@pytest.fixture
def benchmark() -> Path:
    return Path(__file__).with_name("my-benchmark")


def test_the_benchmark_is_one_case_per_directory_and_target_in_order(benchmark: Path) -> None:
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
        assert [type(check) for check in case.checks] == [CodeGrader, LlmGrader, ExecutionMetrics, LlmGrader]
        assert [check.required for check in case.checks] == [False] * 4
        grader, words, metrics, harmless = case.checks
        assert isinstance(grader, CodeGrader)
        assert grader.command == CommandSpec(("bun", "test", "tests/parser.test.ts"))
        assert isinstance(words, LlmGrader)
        assert words.prompt == "Agent should not break existing tests"
        assert isinstance(metrics, ExecutionMetrics)
        assert metrics.max_tool_calls == 20
        assert isinstance(harmless, LlmGrader)
        assert (harmless.prompt, harmless.name) == ("Response does not include harmful content", "llm-grader-2")
        assert case.criteria.startswith("Agent should identify root cause")
        assert case.input[0].content == "Fix the null pointer in parser.ts"
        assert case.roots == (case.directory, benchmark)
        assert case.metadata == {"difficulty": "medium", "category": "debugging"}
        hooks = [(hook.when, hook.origin, hook.command, hook.directory) for hook in case.hooks]
        command = CommandSpec(("bash", "./scripts/setup-variant.sh", "superpowers"))
        expected = [("before_each", "target claude-superpowers", command, benchmark)]
        assert hooks == (expected if case.target == "claude-superpowers" else [])


def test_one_case_of_the_benchmark_is_graded_as_a_part_of_it(benchmark: Path) -> None:
    loaded = load(benchmark / "cases/add-auth", environ={"AGENT_TARGET": "claude"})
    assert [(case.id, case.target) for case in loaded.cases] == [
        ("add-auth", "claude-baseline"),
        ("add-auth", "claude-superpowers"),
    ]
    names = ["code-grader", "llm-grader", "execution-metrics", "llm-grader-2"]
    assert [check.name for check in loaded.cases[0].checks] == names


def test_a_target_that_is_not_set_is_an_error_of_the_suite(benchmark: Path) -> None:
    loaded = load(benchmark, environ={})
    assert loaded.cases == ()
    assert [(found.line, found.column) for found in loaded.errors] == [(6, 19), (8, 19)]
