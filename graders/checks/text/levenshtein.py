"""`levenshtein`: a few changed, added or removed letters turn the text into a value."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gradebox.graders.checks.text.text_check import TextCheck, quoted
from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Count, WrittenText

_Distance = Annotated[Count, Field(ge=0, le=10_000)]


class Levenshtein(TextCheck):
    """At most `threshold` edits turn the text into `value`; white space around both does not count."""

    type = "levenshtein"

    value: WrittenText = Field(description="What the text should be.")
    threshold: _Distance = optional("The most characters that may be changed, added or removed.", default=5)

    def unmet(self, text: str) -> str:
        within = is_within(text.strip(), self.value.strip(), self.threshold)
        return "" if within else f"more than {self.threshold} letters differ from {quoted(self.value)}"


def is_within(one: str, other: str, most: int) -> bool:
    """Return whether at most `most` edits turn one text into the other, in time proportional to length times `most`."""
    if abs(len(one) - len(other)) > most:
        return False
    far = most + 1
    row = [min(column, far) for column in range(len(other) + 1)]
    for number, letter in enumerate(one, 1):
        # Only the band around the diagonal can contain small enough distances.
        first, last = max(1, number - most), min(len(other), number + most)
        before, row = row, [far] * (len(other) + 1)
        row[0] = min(number, far)
        for column in range(first, last + 1):
            changed = before[column - 1] + (letter != other[column - 1])
            row[column] = min(changed, before[column] + 1, row[column - 1] + 1, far)
    return row[-1] <= most
