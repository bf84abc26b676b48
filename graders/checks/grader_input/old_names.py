"""Adds older names to the stdin of a code grader with the type `code_judge` or `script`.

Each name has two spellings, such as ``candidate_answer`` and ``candidateAnswer``. No further data is added.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gradebox.graders.checks.grader_input.case_messages import text_of

# More copies of larger messages would not fit into a command's stdin.
_MOST_BYTES = 2 * 1024 * 1024


def old_names(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data on a code grader's stdin under their older names."""
    answer = told["output"] or ""
    question, expected = text_of(told["input"], "user"), text_of(told["expected_output"], "assistant")
    messages = told["messages"] if len(json.dumps(told["messages"], default=str)) <= _MOST_BYTES else []
    if not messages and told["output"] is not None:
        messages = [{"role": "assistant", "content": answer}]
    plain = {"question": question, "answer": answer}
    spelled = {
        "input_text": question,
        "output_text": answer,
        "candidate_answer": answer,
        "expected_output_text": expected,
        "reference_answer": expected,
        "expected_outcome": told["criteria"],
        "input_messages": told["input"],
        "expected_messages": told["expected_output"],
        "output_messages": messages,
        "guideline_files": [],
        "trace_summary": _summary(told["trace"]),
    }
    camel = {_camel(name): value for name, value in spelled.items()}
    summary = spelled["trace_summary"]
    camel["traceSummary"] = summary and {_camel(name): value for name, value in summary.items()}
    return {**plain, **spelled, **camel}


def _summary(trace: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if trace is None:
        return None
    kept = ("event_count", "error_count", "llm_call_count", "tool_durations", "token_usage", "cost_usd", "duration_ms")
    stated = {name: trace[name] for name in kept if trace[name] is not None}
    return {**stated, "tool_names": list(trace["tool_calls"]), "tool_calls_by_name": trace["tool_calls"]}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
