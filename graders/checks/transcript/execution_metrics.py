"""`execution-metrics`: limits of calls, tokens, money, time, and of the share of calls that change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Self

from gradebox.graders.checks.base import Reading
from gradebox.graders.checks.transcript.transcript_limits import Bound, Limit, TranscriptLimits, at_most
from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Fraction
from gradebox.graders.model.transcript import Transcript

# Tools that only read and change nothing, in lower case, without underscores and hyphens.
_EXPLORATION_TOOLS = """
read grep glob search list ls find view cat readfile viewfile openfile listdir listdirectory listfiles
filesearch searchfiles grepsearch codebasesearch semanticsearch
"""
EXPLORATION_TOOLS = frozenset(_EXPLORATION_TOOLS.split())


class ExecutionMetrics(TranscriptLimits):
    """Limits of what an answer may have cost; the score is the share of the limits that are kept."""

    type = "execution-metrics"
    in_parts = True

    max_tool_calls: Limit | None = optional("Calls of tools at most.")
    max_llm_calls: Limit | None = optional("Calls of a model at most.")
    max_tokens: Limit | None = optional("Tokens in all at most.")
    max_input_tokens: Limit | None = optional("Tokens read at most.")
    max_output_tokens: Limit | None = optional("Tokens written at most.")
    max_cost_usd: Limit | None = optional("US dollars at most.")
    max_duration_ms: Limit | None = optional("Milliseconds at most.")
    target_exploration_ratio: Fraction | None = optional("The share of the tool calls that only look.")
    exploration_tolerance: Fraction = optional("How far that share may be off.", default=0.2)
    missing: Literal["failed", "not-judged"] = optional(
        "What a limit is whose number the transcript does not state; `failed` by default in a suite. "
        "A check none of whose numbers are stated is not judged.",
        default="not-judged",
    )

    def completed(self, reading: Reading) -> Self | None:
        """Refuse a check without a limit."""
        limits = [name for name in type(self).model_fields if name.startswith(("max_", "target_"))]
        if all(getattr(self, name) is None for name in limits):
            reading.nothing_requested(limits)
            return None
        if "exploration_tolerance" in self.model_fields_set and self.target_exploration_ratio is None:
            message = "`exploration_tolerance` has no effect without `target_exploration_ratio`"
            reading.warning(("exploration_tolerance",), message, "Remove it, or add the other.")
        if "missing" in self.model_fields_set or reading.reader.document.file.stem == "case":
            return self
        return self.but(missing="failed")

    @property
    def missing_fails(self) -> bool:
        return self.missing == "failed"

    def bounds(self, transcript: Transcript) -> Iterator[Bound]:
        yield from at_most(
            ("tool calls", len(transcript.tool_calls), self.max_tool_calls),
            ("calls of the model", transcript.llm_calls, self.max_llm_calls),
            ("tokens", transcript.total_tokens, self.max_tokens),
            ("input tokens", transcript.input_tokens, self.max_input_tokens),
            ("output tokens", transcript.output_tokens, self.max_output_tokens),
            ("cost in USD", transcript.cost_usd, self.max_cost_usd),
            ("duration in ms", transcript.duration_ms, self.max_duration_ms),
        )
        if self.target_exploration_ratio is not None:
            target, off = self.target_exploration_ratio, self.exploration_tolerance
            yield Bound("exploration ratio", exploration_ratio(transcript), target + off, target - off)


def exploration_ratio(transcript: Transcript) -> float | None:
    """Return the share of the tool calls that change nothing; None if there are no calls."""
    names = [call.name.lower().replace("_", "").replace("-", "") for call in transcript.tool_calls]
    return sum(name in EXPLORATION_TOOLS for name in names) / len(names) if names else None
