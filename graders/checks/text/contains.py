"""`contains` and its variants: the text contains a value, one of several values, or all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from gradebox.graders.checks.text.text_check import Part, Parts, TextCheck, listed, quoted


class Contains(TextCheck):
    """The text contains `value`."""

    type = "contains"
    ignores_case: ClassVar[bool] = False

    value: Part = Field(description="The text to find. Case matters, except for `icontains`.")

    def unmet(self, text: str) -> str:
        missing = _missing([self.value], text, ignore_case=self.ignores_case)
        return f"it does not contain {quoted(self.value)}" if missing else ""


class IContains(Contains):
    """The text contains `value`, ignoring case."""

    type = "icontains"
    ignores_case = True


class ContainsAny(TextCheck):
    """The text contains at least one of the values."""

    type = "contains-any"
    ignores_case: ClassVar[bool] = False

    value: Parts = Field(
        description="The values. `any` in the type: at least one must occur. `all` in the type: each must occur."
    )

    def unmet(self, text: str) -> str:
        missing = _missing(self.value, text, ignore_case=self.ignores_case)
        return f"it contains none of {listed(missing)}" if len(missing) == len(self.value) else ""


class ContainsAll(ContainsAny):
    """The text contains every value."""

    type = "contains-all"

    def unmet(self, text: str) -> str:
        missing = _missing(self.value, text, ignore_case=self.ignores_case)
        return f"it does not contain {listed(missing)}" if missing else ""


class IContainsAny(ContainsAny):
    """The text contains at least one of the values, ignoring case."""

    type = "icontains-any"
    ignores_case = True


class IContainsAll(ContainsAll):
    """The text contains every value, ignoring case."""

    type = "icontains-all"
    ignores_case = True


def _missing(values: Iterable[str], text: str, *, ignore_case: bool) -> list[str]:
    if not ignore_case:
        return [value for value in values if value not in text]
    folded = text.casefold()
    return [value for value in values if value.casefold() not in folded]
