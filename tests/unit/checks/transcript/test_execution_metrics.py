"""Numbers of a transcript against limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from evidence_bench import called, judge, make

from gradebox.graders.cases import load
from gradebox.graders.checks.transcript.execution_metrics import ExecutionMetrics
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.verdict import Status

STATED = {"llm_calls": 3, "input_tokens": 900, "output_tokens": 100, "total_tokens": 1000, "cost_usd": 0.3,
          "duration_ms": 1500.0}  # fmt: skip
FULL = called("read", "Grep", "edit", "list_files", **STATED)


@pytest.mark.parametrize(
    ("kind", "fields", "score"),
    [
        (ExecutionMetrics, {"max_tool_calls": 4}, 1.0),
        (ExecutionMetrics, {"max_tool_calls": 3}, 0.0),
        (ExecutionMetrics, {"max_tool_calls": 0}, 0.0),
        (ExecutionMetrics, {"max_tool_calls": 4, "max_llm_calls": 2}, 0.5),
        (ExecutionMetrics, {"max_tokens": 1000, "max_input_tokens": 899, "max_output_tokens": 100}, 2 / 3),
        (ExecutionMetrics, {"max_cost_usd": 0.1 + 0.2, "max_duration_ms": 1499}, 0.5),
        (ExecutionMetrics, {"target_exploration_ratio": 0.9}, 1.0),
        (ExecutionMetrics, {"target_exploration_ratio": 0.5}, 0.0),
        (ExecutionMetrics, {"target_exploration_ratio": 0.5, "exploration_tolerance": 0.25}, 1.0),
    ],
)
def test_limits_are_kept_or_not(kind: Any, fields: Any, score: float) -> None:
    assert judge(make(kind, **fields), Evidence(transcript=FULL)).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("missing", "stated", "score"),
    [
        ("failed", {"cost_usd": 0.1}, 0.5),
        ("not-judged", {"cost_usd": 0.1}, 1.0),
        # What states nothing at all is not judged, under neither.
        ("failed", {}, None),
        ("not-judged", {}, None),
    ],
)
def test_a_number_that_is_not_stated_fails_its_part_or_is_left_out(
    missing: str, stated: dict[str, float], score: float | None
) -> None:
    spec = make(ExecutionMetrics, max_cost_usd=1.0, max_duration_ms=5, missing=missing)
    found = judge(spec, Evidence(transcript=called("read", **stated)))
    assert found.score == score
    assert found.status is not Status.ERROR
    assert "duration in ms" in found.reason


def test_a_required_check_with_failed_parts_is_judged() -> None:
    spec = make(ExecutionMetrics, max_cost_usd=1.0, max_duration_ms=5, missing="failed", required=True)
    assert judge(spec, Evidence(transcript=called("read", cost_usd=0.1))).status is Status.FAILED


@pytest.mark.parametrize(
    ("file", "written", "missing"),
    [
        ("case.yaml", "", "not-judged"),
        ("EVAL.yaml", "", "failed"),
        ("a.eval.yaml", "", "failed"),
        ("a.eval.yaml", ", missing: not-judged", "not-judged"),
        ("case.yaml", ", missing: failed", "failed"),
    ],
)
def test_the_parts_of_a_suite_fail_where_a_number_is_missing(
    tmp_path: Path, file: str, written: str, missing: str
) -> None:
    check = f"{{type: execution-metrics, max_tool_calls: 3{written}}}"
    one = f"input: Do it.\nassertions: [{check}]\n"
    (tmp_path / file).write_text(one if file == "case.yaml" else f"tests: [{{id: a, input: x, assertions: [{check}]}}]")
    (case,) = load(tmp_path / file).cases
    (found,) = case.checks
    assert isinstance(found, ExecutionMetrics)
    assert found.missing == missing
