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
    args: Any = None  # What it was given: usually a mapping; text where the arguments were not JSON.
    output: Any = None  # What it returned, None where that is not recorded.
    status: str | None = None  # As recorded, such as `ok` or `error`.
    duration_ms: float | None = None
    id: str | None = None  # By which a message of the tool answers it.

    def answered(self, answers: Mapping[str, str]) -> ToolCall:
        """Return this with the output of the tool's message, unless it has one."""
        if self.output is not None or self.id is None or self.id not in answers:
            return self
        return replace(self, output=answers[self.id])


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """One message; `content` is its text, whatever blocks it was written in."""

    role: str
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """How an answer came about."""

    messages: tuple[TranscriptMessage, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()  # Of all messages, in order.
    # As stated; `total_tokens` is the sum of the two where it is not.
    input_tokens: float | None = None
    output_tokens: float | None = None
    total_tokens: float | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None
    llm_calls: int = 0  # Messages of the assistant, or what was stated if that is more.
    output: str = ""  # The last text of the assistant; empty without one.
