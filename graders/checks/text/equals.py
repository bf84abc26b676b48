"""`equals`, `starts-with`, `ends-with`: the text equals a value, or starts or ends with it.

White space around both does not count, since only some models end an answer with a newline.
"""

from __future__ import annotations

from pydantic import Field

from gradebox.graders.checks.text.text_check import Part, TextCheck, quoted
from gradebox.graders.documents.fields import WrittenText


class Equals(TextCheck):
    """The text equals `value`; white space around both does not count."""

    type = "equals"

    value: WrittenText = Field(description="What the text must be.")

    def unmet(self, text: str) -> str:
        return "" if text.strip() == self.value.strip() else f"it is not {quoted(self.value)}"


class StartsWith(TextCheck):
    """The text starts with `value`; white space around both does not count."""

    type = "starts-with"

    value: Part = Field(description="What the text must begin with.")

    def unmet(self, text: str) -> str:
        return "" if text.strip().startswith(self.value.strip()) else f"it does not start with {quoted(self.value)}"


class EndsWith(TextCheck):
    """The text ends with `value`; white space around both does not count."""

    type = "ends-with"

    value: Part = Field(description="What the text must end with.")

    def unmet(self, text: str) -> str:
        return "" if text.strip().endswith(self.value.strip()) else f"it does not end with {quoted(self.value)}"
