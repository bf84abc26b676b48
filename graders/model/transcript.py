"""A transcript: the messages and tool calls that led to an answer, as data. Numbers that are not stated are None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gradebox.sandbox.records import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool."""

    name: str
    args: Any = None  # The arguments: usually a mapping; text if they were not JSON.
    output: Any = None  # The returned value; None if it was not recorded.
    status: str | None = None  # As recorded, such as `ok` or `error`.
    duration_ms: float | None = None
    id: str | None = None  # The id that the tool's message with the output refers to.

    def answered(self, answers: Mapping[str, str]) -> ToolCall:
        """Return the call with the output in the tool's message, unless it has one."""
        if self.output is not None or self.id is None or self.id not in answers:
            return self
        return replace(self, output=answers[self.id])


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """One message; `content` is its text, without the structure of blocks."""

    role: str
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """How an answer came about."""

    messages: tuple[TranscriptMessage, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()  # The calls of all messages, in order.
    # As stated; if `total_tokens` is not stated, it is the sum of the other two.
    input_tokens: float | None = None
    output_tokens: float | None = None
    total_tokens: float | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None
    llm_calls: int = 0  # The assistant's messages, or the stated number if larger.
    output: str = ""  # The last text of the assistant; empty without one.
