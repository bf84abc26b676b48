"""`token-usage`: how many tokens the answer took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from gradebox.graders.checks.base import Reading
from gradebox.graders.checks.transcript.transcript_limits import Bound, Limit, TranscriptLimits, at_most
from gradebox.graders.documents.entries import optional
from gradebox.graders.model.transcript import Transcript


class TokenUsage(TranscriptLimits):
    """The answer used no more tokens than the limits."""

    type = "token-usage"

    max_total: Limit | None = optional("The most tokens in total.")
    max_input: Limit | None = optional("The most input tokens.")
    max_output: Limit | None = optional("The most output tokens.")

    def completed(self, reading: Reading) -> Self | None:
        """Refuse a check without a limit."""
        if self.max_total is None and self.max_input is None and self.max_output is None:
            reading.nothing_requested(["max_total", "max_input", "max_output"])
            return None
        return self

    def bounds(self, transcript: Transcript) -> Iterator[Bound]:
        yield from at_most(
            ("tokens", transcript.total_tokens, self.max_total),
            ("input tokens", transcript.input_tokens, self.max_input),
            ("output tokens", transcript.output_tokens, self.max_output),
        )
