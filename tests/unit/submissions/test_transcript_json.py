"""Transcripts in all their shapes, and hostile ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradebox.graders.model.transcript import ToolCall, Transcript
from gradebox.graders.submissions import transcript_json
from gradebox.graders.submissions.transcript_fields import TranscriptError
from gradebox.graders.submissions.transcript_json import parse_transcript, transcript_lines

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "value": "Fix it."}]},
    {
        "role": "assistant",
        "content": "Looking.",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}},
            {"tool": "edit", "input": {"path": "a.py"}, "output": "ok", "id": "c2", "status": "ok", "duration_ms": 12},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "text of a.py"},
    {"role": "tool", "tool_call_id": "c2", "content": "ignored: the call has its output"},
    {"role": "assistant", "content": "StepOutcome."},
    {"role": "assistant", "content": "", "tool_calls": [{"tool": "stop"}]},
]
CALLS = (
    ToolCall("read", {"path": "a.py"}, "text of a.py", id="c1"),
    ToolCall("edit", {"path": "a.py"}, "ok", "ok", 12, "c2"),
    ToolCall("stop"),
)
WHOLE = {"token_usage": {"prompt_tokens": 10, "completion_tokens": 5}, "cost_usd": 0.25, "duration_ms": 800}


def lines(*objects: Any) -> str:
    return "\n".join(json.dumps(each) for each in objects)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(MESSAGES),
        json.dumps(MESSAGES, indent=2),
        json.dumps({"messages": MESSAGES}),
        json.dumps({"output": MESSAGES}),
        lines(*MESSAGES),
        lines(*MESSAGES) + "\n\n",
        "\r\n".join(json.dumps(each) for each in MESSAGES),
        "\ufeff" + json.dumps(MESSAGES),
    ],
)
def test_the_same_messages_are_read_from_every_form(text: str) -> None:
    found = parse_transcript(text.encode())
    assert found.tool_calls == CALLS
    assert (found.output, found.llm_calls, len(found.messages)) == ("StepOutcome.", 3, 7)
    assert found.messages[1].content == "Fix it."
    assert (found.total_tokens, found.cost_usd, found.duration_ms) == (None, None, None)


@pytest.mark.parametrize("text", [json.dumps({"messages": MESSAGES, **WHOLE}), lines(*MESSAGES, WHOLE)])
def test_numbers_of_the_whole_are_read_from_beside_the_messages(text: str) -> None:
    found = parse_transcript(text)
    assert (found.input_tokens, found.output_tokens, found.total_tokens) == (10, 5, 15)
    assert (found.cost_usd, found.duration_ms) == (0.25, 800)


@pytest.mark.parametrize(
    ("stated", "usage"),
    [
        ({"token_usage": {"input_tokens": 1, "output_tokens": 2}}, (1, 2, 3)),
        ({"usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 9}}, (1, 2, 9)),
        ({"usage": {"input": 1, "output": 2, "total": 1}}, (1, 2, 3)),
        ({"usage": {"total_tokens": 7}}, (None, None, 7)),
        ({"tokens": [4, 5]}, (4, 5, 9)),
        ({"tokens": [-1, -1]}, (None, None, None)),
        ({"tokens": 12}, (None, None, 12)),
        ({}, (None, None, None)),
    ],
)
def test_token_usage_goes_by_many_names(stated: Any, usage: Any) -> None:
    found = parse_transcript(json.dumps({"messages": MESSAGES, **stated}))
    assert (found.input_tokens, found.output_tokens, found.total_tokens) == usage


def test_what_messages_say_of_themselves_is_added_up_where_nothing_is_said_of_the_whole() -> None:
    each = {"role": "assistant", "content": "x", "usage": {"input_tokens": 3, "output_tokens": 1}, "cost_usd": 0.5}
    found = parse_transcript(json.dumps([each, {"role": "user", "content": "y"}, {**each, "duration_ms": 7}]))
    assert (found.input_tokens, found.output_tokens, found.total_tokens) == (6, 2, 8)
    assert (found.cost_usd, found.duration_ms) == (1.0, 7)
    assert parse_transcript(json.dumps({"messages": [each], "cost_usd": 2})).cost_usd == 2


def test_numbers_of_the_whole_that_every_line_repeats_are_not_added_up() -> None:
    whole = {
        "transcript_token_usage": {"input": 70, "output": 30},
        "transcript_cost_usd": 0.25,
        "transcript_duration_ms": 4200,
    }
    rows = [{**message, **whole} for message in MESSAGES]
    found = parse_transcript("\n".join(map(json.dumps, rows)))
    assert (found.total_tokens, found.cost_usd, found.duration_ms) == (100, 0.25, 4200)
    assert parse_transcript(json.dumps({"messages": MESSAGES, **whole})).cost_usd == 0.25


def test_a_recorded_conversation_of_the_leaderboard_is_read() -> None:
    recorded = [
        {"content": "Act as a Julia developer.", "_type": "systemmessage"},
        {"content": "Write f.", "variables": [], "_type": "usermessage"},
        {"content": "```julia\nf() = 1\n```", "status": 200, "tokens": [20, 10], "elapsed": 1.5, "_type": "aimessage"},
    ]
    found = parse_transcript(json.dumps(recorded))
    assert [message.role for message in found.messages] == ["system", "user", "assistant"]
    assert found.output.startswith("```julia")
    assert (found.input_tokens, found.output_tokens, found.duration_ms) == (20, 10, 1500)


def test_calls_may_be_blocks_and_arguments_may_be_broken() -> None:
    block = {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "grep", "input": {"q": 1}}]}
    broken = {"role": "assistant", "tool_calls": [{"function": {"name": "run", "arguments": "{broken"}}]}
    empty = {"role": "assistant", "tool_calls": [{"function": {"name": "stop", "arguments": ""}}]}
    found = parse_transcript(json.dumps([block, broken, empty]))
    assert [(call.name, call.args) for call in found.tool_calls] == [
        ("grep", {"q": 1}),
        ("run", "{broken"),
        ("stop", {}),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("no json", "not JSON"),
        ("[]", "no messages"),
        ("42", "neither a list"),
        ('"text"', "neither a list"),
        ("{}", "without a list of `messages`"),
        ('{"messages": {}}', "without a list of `messages`"),
        ("[1]", "Message 1 of the transcript is not an object"),
        ('[{"content": "x"}]', "has the role None"),
        ('[{"role": "user"}, {"role": "judge"}]', "Message 2 has the role 'judge'"),
        ('[{"role": ["user"]}]', "has the role"),
        ('[{"_type": "strangemessage"}]', "has the role 'strangemessage'"),
        ('{"role": "user"}\n{broken', "Line 2 of the transcript is not JSON"),
        ('{"role": "user"}\n[]', "Line 2 of the transcript is not an object"),
        ('[{"role": "assistant", "tool_calls": {}}]', "`tool_calls` is not a list"),
        ('[{"role": "assistant", "tool_calls": [1]}]', "tool call 1 is not an object"),
        ('[{"role": "assistant", "tool_calls": [{}]}]', "does not name a tool"),
        ('[{"role": "assistant", "tool_calls": [{"function": 1}]}]', "`function` is not an object"),
        ('[{"role": "assistant", "tool_calls": [{"tool": "x", "duration_ms": -1}]}]', "duration_ms is not between"),
        ('[{"role": "assistant", "content": [{"type": "text"}]}]', "without `text`"),
        ('[{"role": "user", "usage": {"input_tokens": -5}}]', "input_tokens is not between"),
        ('[{"role": "user", "usage": {"input_tokens": "5"}}]', "input_tokens is not a number"),
        ('[{"role": "user", "usage": {"input_tokens": true}}]', "input_tokens is not a number"),
        ('[{"role": "user", "usage": {"input_tokens": 1e999}}]', "too large"),
        ('[{"role": "user", "usage": {"input_tokens": NaN}}]', "NaN"),
        ('[{"role": "user", "tokens": [1, 2, 3]}]', "not of two numbers"),
        ('[{"role": "user", "cost_usd": -0.01}]', "cost is not between"),
        ('{"messages": [{"role": "user"}], "duration_ms": 1e16}', "duration_ms is not between"),
        ('{"messages": [{"role": "user"}], "llm_calls": "no"}', "llm_calls is not a number"),
        ("[" * 100_000, "nested too deeply"),
        (f'[{{"role": "user", "cost_usd": {"9" * 5000}}}]', "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_what_is_no_transcript_is_refused_with_a_sentence(text: str | bytes, says: str) -> None:
    with pytest.raises(TranscriptError, match=says.replace("[", r"\[")) as refused:
        parse_transcript(text)
    assert str(refused.value).endswith(".")
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("cap", "most", "says"),
    [("MAX_BYTES", 100, "larger than"), ("MAX_MESSAGES", 6, "6 messages"), ("MAX_TOOL_CALLS", 2, "2 tool calls")],
)
def test_there_is_a_cap_on_everything(monkeypatch: pytest.MonkeyPatch, cap: str, most: int, says: str) -> None:
    monkeypatch.setattr(transcript_json, cap, most)
    with pytest.raises(TranscriptError, match=says):
        parse_transcript(json.dumps(MESSAGES))


def test_a_stated_number_of_model_calls_cannot_be_less_than_what_is_seen() -> None:
    assert parse_transcript(json.dumps({"messages": MESSAGES, "llm_calls": 1})).llm_calls == 3
    assert parse_transcript(json.dumps({"messages": MESSAGES, "llm_calls": 9})).llm_calls == 9


KEYS = ["role", "content", "tool_calls", "_type", "messages", "usage", "tokens", "cost", "elapsed", "function", "name",
        "tool", "input", "type", "text", "arguments", "duration_ms", "tool_call_id", "id", "llm_calls"]  # fmt: skip
WORDS = st.sampled_from(["user", "assistant", "tool", "aimessage", "text", "tool_use", "c1", "", "{}", "[1"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=30,
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(ANYTHING.map(json.dumps), st.lists(ANYTHING.map(json.dumps)).map("\n".join), st.text(), st.binary()))
def test_nothing_but_a_transcript_or_its_error_comes_out(text: str | bytes) -> None:
    try:
        found = parse_transcript(text)
    except TranscriptError:
        return
    assert isinstance(found, Transcript)
    assert found.messages


def test_arguments_that_others_could_not_read_stay_text() -> None:
    calls = [{"function": {"name": "f", "arguments": text}} for text in ('{"a": NaN}', "[" * 5000, '{"a": 1}', "")]
    found = parse_transcript(json.dumps([{"role": "assistant", "tool_calls": calls}])).tool_calls
    assert [call.args for call in found] == ['{"a": NaN}', "[" * 5000, {"a": 1}, {}]


def test_what_is_written_is_read_back() -> None:
    transcript = parse_transcript(json.dumps({"messages": MESSAGES, **WHOLE}))
    assert parse_transcript(lines(*transcript_lines(transcript))) == transcript
    bare = parse_transcript(json.dumps(MESSAGES))
    assert parse_transcript(lines(*transcript_lines(bare))) == bare


def test_keys_of_typescript_are_read_too() -> None:
    call = {"tool": "read", "input": {}, "id": "c1", "durationMs": 4}
    messages = [
        {"role": "assistant", "toolCalls": [call], "tokenUsage": {"input": 2, "output": 1}, "durationMs": 9},
        {"role": "tool", "toolCallId": "c1", "content": "text"},
    ]
    read = parse_transcript(json.dumps({"messages": messages, "costUsd": 0.5}))
    assert read.tool_calls == (ToolCall("read", {}, "text", None, 4, "c1"),)
    assert (read.total_tokens, read.cost_usd, read.duration_ms) == (3, 0.5, 9)
