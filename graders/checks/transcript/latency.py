"""`latency`: how long the answer took."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from gradebox.graders.checks.transcript.transcript_limits import Bound, Limit, TranscriptLimits
from gradebox.graders.model.transcript import Transcript


class Latency(TranscriptLimits):
    """The answer took at most `threshold`."""

    type = "latency"

    threshold: Limit = Field(description="The longest duration in milliseconds.")

    def bounds(self, transcript: Transcript) -> Iterator[Bound]:
        yield Bound("duration in ms", transcript.duration_ms, self.threshold)
