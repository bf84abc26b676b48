"""`contains` and its relatives: the text holds a value, one of several values, or all of them."""

from __future__ import annotations

from pydantic import Field

from graders.checks.text.text_check import Part, Parts, TextCheck, listed, quoted


class Contains(TextCheck):
    """The text holds `value`."""

    type = "contains"

    value: Part = Field(description="Letters count as they are written, except for `icontains`.")

    def unmet(self, text: str) -> str:
        return "" if self.value in text else f"it does not contain {quoted(self.value)}"


class IContains(Contains):
    """The same, whatever the case of letters."""

    type = "icontains"

    def unmet(self, text: str) -> str:
        return "" if self.value.casefold() in text.casefold() else f"it does not contain {quoted(self.value)}"


class ContainsAny(TextCheck):
    """The text holds one of the values, or all of them."""

    type = "contains-any"

    value: Parts = Field(description="The values, any or all of which must be there.")

    def unmet(self, text: str) -> str:
        return "" if any(value in text for value in self.value) else f"it contains none of {listed(self.value)}"


class ContainsAll(ContainsAny):
    """The text holds every value."""

    type = "contains-all"

    def unmet(self, text: str) -> str:
        missing = [value for value in self.value if value not in text]
        return f"it does not contain {listed(missing)}" if missing else ""


class IContainsAny(ContainsAny):
    """The text holds one of the values, whatever the case of letters."""

    type = "icontains-any"

    def unmet(self, text: str) -> str:
        folded = text.casefold()
        met = any(value.casefold() in folded for value in self.value)
        return "" if met else f"it contains none of {listed(self.value)}"


class IContainsAll(ContainsAny):
    """The text holds every value, whatever the case of letters."""

    type = "icontains-all"

    def unmet(self, text: str) -> str:
        folded = text.casefold()
        missing = [value for value in self.value if value.casefold() not in folded]
        return f"it does not contain {listed(missing)}" if missing else ""
