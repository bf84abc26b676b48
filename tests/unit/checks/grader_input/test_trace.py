"""A transcript as a code-grader reads it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gradebox.graders.checks.grader_input import trace
from gradebox.graders.submissions.transcript_json import parse_transcript

MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Fix it."},
    {
        "role": "assistant",
        "content": "Done.",
        "tool_calls": [
            {"id": "c1", "tool": "edit", "input": {"path": "a"}, "output": "ok", "status": "ok", "duration_ms": 12},
            {"tool": "bash", "input": {"line": "false"}, "status": "error"},
            {"tool": "edit", "duration_ms": 8},
        ],
    },
]
TOLD = trace.described(parse_transcript(json.dumps({"messages": MESSAGES, "cost_usd": 0.5})))


def test_calls_are_counted() -> None:
    found = TOLD["trace"]
    assert (found["event_count"], found["error_count"], found["llm_call_count"]) == (3, 1, 1)
    assert found["tool_calls"] == found["tools"] == {"bash": 1, "edit": 2}
    assert found["tool_durations"] == {"edit": [12, 8]}
    assert (found["cost_usd"], found["token_usage"], TOLD["token_usage"]) == (0.5, None, None)


def test_a_call_has_a_tool_an_input_an_output_and_an_id() -> None:
    call = TOLD["messages"][1]["tool_calls"][0]
    assert {name: call[name] for name in ("id", "tool", "input", "output")} == {
        "id": "c1",
        "tool": "edit",
        "input": {"path": "a"},
        "output": "ok",
    }


def test_events_are_the_messages_and_calls_in_their_order() -> None:
    events = TOLD["trace"]["events"]
    assert [event["type"] for event in events] == ["message", "message", "tool_call", "tool_call", "tool_call"]
    assert [event["ordinal"] for event in events] == [0, 1, 2, 3, 4]
    assert events[3]["tool"]["status"] == "error"
    assert TOLD["trace"]["messages"] == TOLD["messages"]


def test_large_messages_are_not_repeated_and_huge_ones_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = parse_transcript(json.dumps(MESSAGES))
    monkeypatch.setattr(trace, "MAX_REPEATED_BYTES", 10)
    told = trace.described(transcript)
    assert len(told["messages"]) == 2
    assert (told["trace"]["messages"], told["trace"]["events"], told["trace"]["event_count"]) == ([], [], 3)
    monkeypatch.setattr(trace, "MAX_MESSAGES_BYTES", 10)
    assert trace.described(transcript)["messages"] == []
