"""`regex`: a regular expression matches somewhere in the text."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field

from gradebox.graders.checks.base import Reading
from gradebox.graders.checks.text import patterns
from gradebox.graders.checks.text.text_check import TextCheck, not_empty, quoted
from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Text
from gradebox.graders.documents.validators import refused


def _flags(text: str) -> str:
    if unknown := patterns.unknown_flag(text):
        raise refused(f"is wrong: {unknown}", "Write letters such as `i` or `im`.")
    return text


class Regex(TextCheck):
    """A regular expression matches somewhere in the text."""

    type = "regex"

    value: Annotated[Text, AfterValidator(not_empty)] = Field(
        description="The regular expression, in the syntax of Python's `re`."
    )
    flags: Annotated[Text, AfterValidator(_flags)] = optional("Any of the letters `imsxgu`.", default="")

    def completed(self, reading: Reading) -> Self | None:
        """Refuse a value that is not a regular expression."""
        try:
            patterns.compiled(self.value, self.flags)
        except patterns.PatternFault as fault:
            what = f"is not a regular expression: {fault.__cause__}" if fault.__cause__ else str(fault)
            reading.error(("value",), f"`value` {what}", "Check brackets and backslashes.")
            return None
        return self

    def unmet(self, text: str) -> str:
        return "" if patterns.found(self.value, text, self.flags) else f"it does not match {quoted(self.value)}"
