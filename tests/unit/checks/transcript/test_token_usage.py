"""How many tokens an answer took."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import called, judge, make

from gradebox.graders.checks.transcript.token_usage import TokenUsage
from gradebox.graders.model.evidence import Evidence

STATED = {"llm_calls": 3, "input_tokens": 900, "output_tokens": 100, "total_tokens": 1000, "cost_usd": 0.3,
          "duration_ms": 1500.0}  # fmt: skip
FULL = called("read", "Grep", "edit", "list_files", **STATED)


@pytest.mark.parametrize(
    ("fields", "score"),
    [({"max_total": 1000, "max_input": 900, "max_output": 100}, 1.0), ({"max_total": 1000, "max_output": 99}, 0.0)],
)
def test_the_limit_is_kept_or_not(fields: Any, score: float) -> None:
    assert judge(make(TokenUsage, **fields), Evidence(transcript=FULL)).score == score
