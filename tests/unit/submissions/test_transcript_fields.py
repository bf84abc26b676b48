"""Fields of transcripts, in all the shapes in which they are written."""

from __future__ import annotations

from typing import Any

import pytest

from gradebox.graders.submissions.transcript_fields import (
    TranscriptError,
    Usage,
    amount,
    block_calls,
    duration_ms,
    text_of,
    tool_calls,
    usage_of,
)


@pytest.mark.parametrize(
    ("written", "usage"),
    [
        ({}, Usage()),
        ({"tokens": [3, 4]}, Usage(3, 4, 7)),
        ({"tokens": [-1, 4]}, Usage(None, 4, 4)),
        ({"usage": {"prompt_tokens": 3, "completion_tokens": 4}}, Usage(3, 4, 7)),
        ({"token_usage": {"input": 3, "output": 4, "total": 9}}, Usage(3, 4, 9)),
        ({"token_usage": {"input": 3, "output": 4, "total": 1}}, Usage(3, 4, 7)),
        ({"token_usage": 12}, Usage(all=12)),
    ],
)
def test_token_usage_is_read_under_all_its_names(written: dict[str, Any], usage: Usage) -> None:
    assert usage_of(written, "Message 1") == usage


@pytest.mark.parametrize("value", [True, "1", -1, float("nan"), 1e16, [1]])
def test_an_amount_that_cannot_be_is_refused(value: Any) -> None:
    with pytest.raises(TranscriptError, match="cost"):
        amount(value, "cost")
    assert amount(None, "cost") is None


def test_durations_are_milliseconds_and_unknown_ones_are_none() -> None:
    written = [{"duration_ms": 5}, {"elapsed": 2}, {"elapsed": -1}, {}]
    assert [duration_ms(each, "Message 1") for each in written] == [5, 2000, None, None]


def test_content_is_text_blocks_or_data() -> None:
    blocks = ["a", {"type": "text", "text": "b"}, {"type": "json", "value": {"c": 1}}, {"type": "image"}]
    assert text_of(blocks, "Message 1") == 'a\nb\n{"c": 1}'
    assert [text_of(content, "Message 1") for content in (None, "x", {"y": 1})] == ["", "x", '{"y": 1}']
    with pytest.raises(TranscriptError, match="without `text`"):
        text_of([{"type": "text"}], "Message 1")


def test_calls_have_two_shapes_and_may_be_blocks() -> None:
    written = [{"tool": "a", "input": {"x": 1}}, {"id": "i", "function": {"name": "b", "arguments": '{"y": 2}'}}]
    blocks = [{"type": "tool_use", "name": "c", "input": {"z": 3}}]
    found = (*tool_calls(written, "Message 1"), *block_calls(blocks, "Message 1"))
    assert [(call.name, call.args) for call in found] == [("a", {"x": 1}), ("b", {"y": 2}), ("c", {"z": 3})]
    broken = [{"function": {"name": "b", "arguments": "{"}}]
    assert tool_calls(broken, "Message 1")[0].args == "{"
