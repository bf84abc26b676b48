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
    """Limits of an answer's calls, tokens, cost and time; the score is the share of the limits that are kept."""

    type = "execution-metrics"
    in_parts = True

    max_tool_calls: Limit | None = optional("The most tool calls.")
    max_llm_calls: Limit | None = optional("The most model calls.")
    max_tokens: Limit | None = optional("The most tokens in total.")
    max_input_tokens: Limit | None = optional("The most input tokens.")
    max_output_tokens: Limit | None = optional("The most output tokens.")
    max_cost_usd: Limit | None = optional("The highest cost in US dollars.")
    max_duration_ms: Limit | None = optional("The longest duration in milliseconds.")
    target_exploration_ratio: Fraction | None = optional("The wanted share of tool calls that only explore.")
    exploration_tolerance: Fraction = optional("How far that share may differ from the wanted one.", default=0.2)
    missing: Literal["failed", "not-judged"] = optional(
        "How a limit counts if the transcript does not state its number. In a suite, the default is `failed`. If "
        "none of the numbers are stated, the check is not judged.",
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
