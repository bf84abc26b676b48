"""A transcript in the form that code graders read: its messages, and a trace of counts, messages and events."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from gradebox.graders.model.transcript import ToolCall, Transcript, TranscriptMessage

# Larger messages are left out, since they would not fit into a command's stdin. Counts are always included.
MAX_MESSAGES_BYTES = 8 * 1024 * 1024
# The trace repeats messages up to this size.
MAX_REPEATED_BYTES = 1024 * 1024

_FAILED = frozenset({"error", "failed", "failure", "timeout"})


def described(transcript: Transcript | None) -> dict[str, Any]:
    """Return a description of a transcript for JSON; data that it does not state is null."""
    if transcript is None:
        return {"messages": [], "trace": None, "token_usage": None, "cost_usd": None, "duration_ms": None}
    messages = [_message(message) for message in transcript.messages]
    size = len(json.dumps(messages, default=str))
    numbers = {
        "token_usage": _token_usage(transcript),
        "cost_usd": transcript.cost_usd,
        "duration_ms": transcript.duration_ms,
    }
    repeated = size <= MAX_REPEATED_BYTES
    trace = {
        **_counts(transcript),
        **numbers,
        "messages": messages if repeated else [],
        "events": list(_events(transcript)) if repeated else [],
    }
    return {"messages": messages if size <= MAX_MESSAGES_BYTES else [], "trace": trace, **numbers}


def _token_usage(transcript: Transcript) -> dict[str, float | None] | None:
    usage = {"input": transcript.input_tokens, "output": transcript.output_tokens, "total": transcript.total_tokens}
    return usage if any(count is not None for count in usage.values()) else None


def _counts(transcript: Transcript) -> dict[str, Any]:
    calls = transcript.tool_calls
    by_tool = dict(sorted(Counter(call.name for call in calls).items()))
    durations: defaultdict[str, list[float]] = defaultdict(list)
    for call in calls:
        if call.duration_ms is not None:
            durations[call.name].append(call.duration_ms)
    return {
        "event_count": len(calls),
        "tool_calls": by_tool,
        "tools": by_tool,
        "error_count": sum(call.status in _FAILED for call in calls),
        "llm_call_count": transcript.llm_calls,
        "llm_calls": transcript.llm_calls,
        "tool_durations": durations,
    }


def _message(message: TranscriptMessage) -> dict[str, Any]:
    return {
        **{field.name: getattr(message, field.name) for field in fields(message)},
        "tool_calls": [_call(call) for call in message.tool_calls],
    }


def _call(call: ToolCall) -> dict[str, Any]:
    return {**{field.name: getattr(call, field.name) for field in fields(call)}, "tool": call.name, "input": call.args}


def _events(transcript: Transcript) -> Iterator[dict[str, Any]]:
    happened: list[tuple[int, str, dict[str, Any]]] = []
    for turn, message in enumerate(transcript.messages):
        happened.append((turn, "message", {"message": {"role": message.role, "content": message.content}}))
        for call in message.tool_calls:
            tool = {"name": call.name, "call_id": call.id, "input": call.args}
            tool |= {"output": call.output, "status": call.status}
            happened.append((turn, "tool_call", {"duration_ms": call.duration_ms, "tool": tool}))
    for number, (turn, kind, about) in enumerate(happened):
        yield {"event_id": f"e{number}", "ordinal": number, "type": kind, "turn_index": turn, **about}
