"""Numbers of a transcript against limits."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import called, judge, make

from graders.checks.transcript.execution_metrics import ExecutionMetrics
from graders.model.evidence import Evidence

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
