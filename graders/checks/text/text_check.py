"""`TextCheck`: the base of all checks of text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, Field

from gradebox.graders.checks.base import Check
from gradebox.graders.checks.results import error, not_judged, scored, unfinished
from gradebox.graders.documents.entries import optional
from gradebox.graders.documents.fields import Listed, WorkspacePath, WrittenText
from gradebox.graders.documents.validators import refused
from gradebox.graders.model.case import Case
from gradebox.graders.model.evidence import Evidence, TextUnreadable, answer_text, file_text
from gradebox.graders.model.verdict import CheckResult


def not_empty(text: str) -> str:
    if not text:
        raise refused("must not be empty", "Every text holds the empty text.")
    return text


Part = Annotated[WrittenText, AfterValidator(not_empty)]
Parts = Annotated[Listed[Part], Field(min_length=1)]


class Unusable(Exception):
    """The check's value cannot be used on this text; the message says why."""


class TextCheck(Check):
    """A check of text."""

    negatable = True

    file: WorkspacePath | None = optional("The workspace file to look at instead of the answer.")

    def reads_workspace(self, _case: Case) -> bool:
        return self.file is not None

    def judge(self, case: Case, evidence: Evidence) -> CheckResult:
        try:
            text = answer_text(evidence) if self.file is None else file_text(evidence.tree, self.file)
        except TextUnreadable as problem:
            return unfinished(self, case, str(problem))
        if text is None:
            return not_judged(self, case, "the submission brings no answer text")
        try:
            unmet = self.unmet(text)
        except Unusable as problem:
            return error(self, case, str(problem))
        return scored(self, case, 0.0 if unmet else 1.0, unmet or ("the text meets it" if self.negate else ""))

    @abstractmethod
    def unmet(self, text: str) -> str:
        """Return why a text does not meet the check; empty if it does.

        Raises Unusable if the check's value cannot be used on this text.
        """


def quoted(value: str) -> str:
    """Return a value quoted for a reason."""
    return f"{value!r:.80}"


def listed(values: Iterable[str]) -> str:
    """Return the first few values quoted for a reason."""
    return ", ".join(quoted(value) for value in list(values)[:8])
