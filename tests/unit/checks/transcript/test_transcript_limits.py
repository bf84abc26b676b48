"""Limits on what a transcript states."""

from __future__ import annotations

from typing import Any

import pytest
from evidence_bench import called, judge, make

from gradebox.graders.checks.transcript.cost import Cost
from gradebox.graders.checks.transcript.execution_metrics import ExecutionMetrics
from gradebox.graders.checks.transcript.latency import Latency
from gradebox.graders.checks.transcript.token_usage import TokenUsage
from gradebox.graders.model.evidence import Evidence
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.verdict import Status

STATED = {"llm_calls": 3, "input_tokens": 900, "output_tokens": 100, "total_tokens": 1000, "cost_usd": 0.3,
          "duration_ms": 1500.0}  # fmt: skip
FULL = called("read", "Grep", "edit", "list_files", **STATED)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (ExecutionMetrics, {"max_cost_usd": 1}),
        (ExecutionMetrics, {"target_exploration_ratio": 0.5}),
        (Latency, {"threshold": 1}),
        (Cost, {"budget": 1}),
        (TokenUsage, {"max_total": 1}),
    ],
)
@pytest.mark.parametrize("transcript", [None, Transcript()])
def test_a_number_that_nobody_stated_is_not_judged(kind: Any, fields: Any, transcript: Any) -> None:
    evidence = Evidence(transcript=transcript)
    assert judge(make(kind, **fields), evidence).status is Status.NOT_JUDGED
    assert judge(make(kind, required=True, **fields), evidence).status is Status.ERROR


def test_what_is_stated_is_judged_without_the_rest_unless_it_is_a_gate() -> None:
    limits = {"max_tool_calls": 1, "max_cost_usd": 1}
    found = judge(make(ExecutionMetrics, **limits), Evidence(transcript=called("a")))
    assert (found.score, found.reason) == (1.0, "not stated: cost in USD")
    gate = judge(make(ExecutionMetrics, required=True, **limits), Evidence(transcript=called("a")))
    assert gate.status is Status.ERROR


@pytest.mark.parametrize("kind", [ExecutionMetrics, TokenUsage])
def test_to_limit_nothing_is_the_authors_mistake(kind: Any) -> None:
    assert judge(make(kind), Evidence(transcript=FULL)).status is Status.ERROR
