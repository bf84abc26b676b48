"""`cost`: how much money the answer took."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from gradebox.graders.checks.transcript.transcript_limits import Bound, Limit, TranscriptLimits
from gradebox.graders.documents.entries import also
from gradebox.graders.model.transcript import Transcript


class Cost(TranscriptLimits):
    """The answer cost at most `budget`."""

    type = "cost"

    budget: Limit = Field(validation_alias=also("threshold"), description="The highest cost in US dollars.")

    def bounds(self, transcript: Transcript) -> Iterator[Bound]:
        yield Bound("cost in USD", transcript.cost_usd, self.budget)
