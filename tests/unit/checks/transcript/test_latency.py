"""How long an answer took."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import called, judge, make

from gradebox.graders.checks.transcript.latency import Latency
from gradebox.graders.model.evidence import Evidence

STATED = {"llm_calls": 3, "input_tokens": 900, "output_tokens": 100, "total_tokens": 1000, "cost_usd": 0.3,
          "duration_ms": 1500.0}  # fmt: skip
FULL = called("read", "Grep", "edit", "list_files", **STATED)


@pytest.mark.parametrize(("fields", "score"), [({"threshold": 1500}, 1.0), ({"threshold": 1499.9}, 0.0)])
def test_the_limit_is_kept_or_not(fields: Any, score: float) -> None:
    assert judge(make(Latency, **fields), Evidence(transcript=FULL)).score == score
