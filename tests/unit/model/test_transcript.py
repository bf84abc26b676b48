"""Transcripts as data."""

from __future__ import annotations

from gradebox.graders.model.transcript import ToolCall


def test_a_call_gets_the_output_of_the_message_that_answers_it() -> None:
    assert ToolCall("read", id="1").answered({"1": "text"}).output == "text"


def test_a_call_with_an_output_or_without_an_answer_stays_as_it_is() -> None:
    for call in (ToolCall("read", output="own", id="1"), ToolCall("read", id="2"), ToolCall("read")):
        assert call.answered({"1": "text"}) is call
